"""An immutable folder named by its content: built aside, renamed in, held by its readers.

Everything under `root` can be made again. Who reads or builds ``<name>`` shares ``<name>.lock``,
and only who gets it alone removes the folder; builders take turns by ``<name>.turn``. So nothing is
read half, nothing in use is removed and nobody waits for a reader, whoever dies whenever.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ABSENT = "absent"
DAMAGED = "damaged"
_MARK = "complete.json"
_ASIDE = ".building"
_WORN = ".damaged"
_LOCK = ".lock"
_TURN = ".turn"
_CHANGING = (
    "chroma.sqlite3",
    "chroma.sqlite3-journal",
    "chroma.sqlite3-wal",
    "chroma.sqlite3-shm",
    "opening.lock",
)
"""What Chroma itself touches when it opens a folder; SQLite guards that against damage."""


@dataclass(frozen=True, slots=True)
class Held:
    """A whole folder, locked against removal while `lock` (a file descriptor) is open.

    `why` says in a few words why it had to be made, empty if it was there.
    """

    folder: Path
    lock: int
    why: str = ""

    def release(self) -> None:
        """Let others remove it."""
        os.close(self.lock)


def hold(root: Path, name: str, build: Callable[[Path], None]) -> Held:
    """Return the folder `name` under `root`, built by `build` if it is absent or not whole.

    Raises:
        OSError: nothing can be written there.
    """
    root.mkdir(parents=True, exist_ok=True)
    folder = root / name
    lock = _locked(root / f"{name}{_LOCK}", fcntl.LOCK_SH)
    with ExitStack() as failed:
        failed.callback(os.close, lock)
        why = find_fault(folder) and _build_in_turn(folder, build)
        failed.pop_all()
    return Held(folder, lock, why)


def _build_in_turn(folder: Path, build: Callable[[Path], None]) -> str:
    """Build it unless somebody did so meanwhile; return what was wrong with it, if anything."""
    turn = _locked(folder.with_name(f"{folder.name}{_TURN}"), fcntl.LOCK_EX)
    try:
        why = find_fault(folder)
        if why:
            _make(folder, build)
        return why
    finally:
        os.close(turn)


def remove_others(root: Path, *names: str) -> None:
    """Remove what nobody reads of the folders that are none of `names`."""
    for lock in root.glob(f"*{_LOCK}"):
        other = lock.name.removesuffix(_LOCK)
        with _tried(lock) as free:
            if free and other not in names:
                _remove(root, other)
                lock.unlink(missing_ok=True)


def _remove(root: Path, name: str) -> None:
    for rest in ("", _ASIDE, _WORN):
        shutil.rmtree(root / f"{name}{rest}", ignore_errors=True)
    (root / f"{name}{_TURN}").unlink(missing_ok=True)


def find_fault(folder: Path) -> str:
    """Say what is wrong with a folder; empty for a whole one."""
    if not folder.is_dir():
        return ABSENT
    try:
        told = json.loads((folder / _MARK).read_text("utf-8"))
        return "" if told == _digests(folder) else DAMAGED
    except (OSError, ValueError):
        return DAMAGED


def _make(folder: Path, build: Callable[[Path], None]) -> None:
    aside, worn = (folder.with_name(f"{folder.name}{rest}") for rest in (_ASIDE, _WORN))
    for rest in (aside, worn):
        shutil.rmtree(rest, ignore_errors=True)
    aside.mkdir()
    build(aside)
    (aside / _MARK).write_text(json.dumps(_digests(aside)), "utf-8")
    if folder.exists():
        folder.replace(worn)
    aside.replace(folder)
    shutil.rmtree(worn, ignore_errors=True)


def _digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): _digest(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in (_MARK, *_CHANGING)
    }


def _digest(path: Path) -> str:
    with path.open("rb") as held:
        return hashlib.file_digest(held, "sha256").hexdigest()


def _locked(path: Path, how: int) -> int:
    """Take a lock on a file that is still the one of its name once the lock is held."""
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, how)
        if _is_same(path, lock):
            return lock
        os.close(lock)


@contextmanager
def _tried(path: Path) -> Iterator[bool]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _is_free(lock) and _is_same(path, lock)
    finally:
        os.close(lock)


def _is_free(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_same(path: Path, lock: int) -> bool:
    try:
        return os.path.samestat(path.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False
