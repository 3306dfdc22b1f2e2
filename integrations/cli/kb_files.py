"""Finds and reads the files of an organisation: plain files only, and no link is followed."""

import errno
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from knowledge.errors import DocumentRefusedError
from knowledge.own.reading import MOST_BYTES, SUFFIXES

_MOST_FILES = 20_000
_DEEPEST = 40
_LINK = "a symbolic link; these are not followed, name its target"
_NAMED = 6
"""Kinds of files passed over that are named."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read; `part` is its place below the folder that was named, empty for a file."""

    path: Path
    part: str = ""


@dataclass(frozen=True, slots=True)
class Passed:
    """What is not read, and why."""

    path: Path
    why: str


@dataclass(frozen=True, slots=True)
class Others:
    """Files below a folder that are of no kind that is read, such as pictures."""

    path: Path
    kinds: tuple[str, ...]

    @property
    def why(self) -> str:
        """Say how many there are, and of what kinds."""
        named = Counter(self.kinds).most_common(_NAMED)
        told = ", ".join(f"{kind} {count}" for kind, count in named)
        more = ", …" if len(set(self.kinds)) > _NAMED else ""
        return f"files of other kinds passed over: {told}{more}"


def find_files(root: Path) -> Iterator[Found | Passed | Others]:
    """Yield the documents at a path; in a folder only files of known kinds, in order of name.

    Raises:
        FileNotFoundError: nothing is there.
    """
    if root.is_dir():
        yield from _walk(root)
    elif root.exists():
        yield Found(root)
    else:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(root))


def read_file(path: Path) -> tuple[bytes, date]:
    """Read a plain file; return its bytes and the day when it was written.

    Raises:
        DocumentRefusedError: it is no plain file, or too large.
        OSError: it cannot be read.
    """
    held = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(held, "rb") as file:
        told = os.fstat(file.fileno())
        if not stat.S_ISREG(told.st_mode):
            raise DocumentRefusedError("", "it is no plain file")
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise DocumentRefusedError("", f"it is larger than {MOST_BYTES >> 20} MiB; split it")
    return content, datetime.fromtimestamp(told.st_mtime, UTC).date()


def _walk(root: Path) -> Iterator[Found | Passed | Others]:
    count, others = 0, list[str]()
    for folder, folders, names in os.walk(root, followlinks=False):
        here = Path(folder)
        yield from _enter(here, folders, root)
        shown = [here / name for name in sorted(names) if not name.startswith(".")]
        others += [path.suffix.lower() or path.name for path in shown if not _is_known(path)]
        for path in filter(_is_known, shown):
            count += 1
            if count > _MOST_FILES:
                yield Passed(root, f"holds more than {_MOST_FILES:,} documents; add its parts")
                return
            link = path.is_symlink()
            yield Passed(path, _LINK) if link else Found(path, path.relative_to(root).as_posix())
    if others:
        yield Others(root, tuple(others))


def _enter(here: Path, folders: list[str], root: Path) -> Iterator[Passed]:
    """Leave in `folders` those to go into."""
    folders[:] = sorted(each for each in folders if not each.startswith((".", "__MACOSX")))
    for each in [name for name in folders if (here / name).is_symlink()]:
        yield Passed(here / each, _LINK)
    if len(here.relative_to(root).parts) > _DEEPEST:
        folders.clear()
        yield Passed(here, f"nested deeper than {_DEEPEST} folders")


def _is_known(path: Path) -> bool:
    return path.name.lower().endswith(SUFFIXES)
