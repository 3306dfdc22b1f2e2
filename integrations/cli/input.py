"""The paths of a command line: what cannot be read is told before anything is loaded."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import typer

from integrations.cli.fault import CommandFault, NotAllowedFault, NotFoundFault, UsageFault
from integrations.rendering.escaping import make_visible
from integrations.wording.errors import say_in_chinese
from integrations.wording.words import Words

_STDIN = Path("-")
_CHECK_NAME = "Check the name; nothing was read."


@contextmanager
def take_input(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """Let ``-`` stand for the standard input, kept as a file while it is read."""
    if _STDIN not in paths:
        yield paths
        return
    with tempfile.TemporaryDirectory(prefix="firstfault-") as room:
        saved = Path(room) / "stdin"
        with saved.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield [saved if path == _STDIN else path for path in paths]


def check_paths(paths: Sequence[Path]) -> Sequence[CommandFault]:
    """Find what cannot be read from, before anything is loaded; the rest is read without it.

    Raises:
        CommandFault: nothing is left to be read, and why the first is not.
    """
    faults = [fault for path in paths if (fault := _fault_of(path))]
    if faults and len(faults) == len(paths):
        raise faults[0]
    if paths and not any(_holds_a_file(path) for path in paths):
        names = ", ".join(str(path) for path in paths)
        raise NotFoundFault(f"There is no file in {names}.", "Nothing was read.")
    return faults


def _fault_of(path: Path) -> CommandFault | None:
    if not path.exists():
        return NotFoundFault(f"There is no file or folder {path}.", _CHECK_NAME)
    if not path.is_file() and not path.is_dir():
        hint = "Save what it gives to a file first, and name that."
        return UsageFault(f"{path} is neither a file nor a folder", hint)
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        hint = "Run as a user who may, or copy it to where this user may read."
        return NotAllowedFault(f"{path} may not be read by this user", hint)
    return None


def tell_unread(faults: Sequence[CommandFault], words: Words) -> None:
    """Say on stderr what is left out, for the rest is read."""
    for fault in faults:
        told = say_in_chinese(fault.message) if words.lang == "zh" else fault.message
        typer.echo(make_visible(told), err=True)


def _holds_a_file(path: Path) -> bool:
    return path.is_file() or any(inner.is_file() for inner in path.rglob("*"))
