"""Keeps what an organisation added, in a folder that is never made again.

``collection.json`` lists every version; ``content/<digest>`` holds each. Content is written before
the list names it, and both are written aside and renamed in, by one process at a time. A reader
needs no lock: the list that it read names files that stay.
"""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from knowledge.bilingual import Part
from knowledge.errors import CollectionDamagedError, NotOwnError
from knowledge.own.document import Document, Kept, is_content

_LIST = "collection.json"
_CONTENT = "content"
_LOCK = "collection.lock"
Status = Literal["added", "replaced", "unchanged", "older", "restored"]
"""older: it is there already, with a later date that it states itself. restored: the same is there,
but its content had been lost or changed."""


class _Listed(Part):
    kept: tuple[Kept, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an addition; `before` is the version that it met."""

    status: Status
    kept: Kept
    before: Kept | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """The folder of one organisation."""

    root: Path

    def exists(self) -> bool:
        """Tell whether anything was ever added."""
        return (self.root / _LIST).exists()

    def kept(self) -> Sequence[Kept]:
        """Return every version, in the order in which they were added.

        Raises:
            CollectionDamagedError: the list cannot be read.
        """
        try:
            content = (self.root / _LIST).read_bytes()
        except FileNotFoundError:
            return ()
        try:
            return _Listed.model_validate_json(content).kept
        except ValidationError as error:
            raise CollectionDamagedError(str(self.root / _LIST), _short(error)) from error

    def current(self) -> Sequence[Kept]:
        """Return the versions that count."""
        return [each for each in self.kept() if not each.superseded_by]

    def find(self, name: str) -> Kept:
        """Return what is called so: by id the version that counts, by digest any.

        Raises:
            NotOwnError: nothing is.
        """
        every = self.kept()
        found = [each for each in every if each.digest == name]
        found = found or [each for each in every if each.id == name]
        if not found:
            raise NotOwnError(name)
        return min(found, key=lambda each: bool(each.superseded_by))

    def content(self, kept: Kept) -> bytes:
        """Return what was kept.

        Raises:
            CollectionDamagedError: it is not there, or not what was kept.
        """
        path = self.root / _CONTENT / kept.digest
        try:
            content = path.read_bytes()
        except OSError as error:
            raise CollectionDamagedError(str(path), error.strerror or "") from error
        if not is_content(kept, content):
            raise CollectionDamagedError(str(path), "it is not what was kept")
        return content

    def holds(self, kept: Kept) -> bool:
        """Tell whether the content is there, exactly as it was kept."""
        try:
            return bool(self.content(kept))
        except CollectionDamagedError:
            return False

    def document(self, kept: Kept) -> Document:
        """Return the text of a document.

        Raises:
            CollectionDamagedError: it is not there, or not what was kept.
        """
        where = str(self.root / _CONTENT / kept.digest)
        try:
            return Document.model_validate_json(self.content(kept))
        except ValidationError as error:
            raise CollectionDamagedError(where, _short(error)) from error

    def put(self, kept: Kept, content: bytes) -> Outcome:
        """Add a version; one that is there already, as it was kept, changes nothing.

        Raises:
            CollectionDamagedError: the list cannot be read.
            OSError: nothing can be written there.
        """
        with self._turn():
            every = self.kept()
            outcome = _judge(kept, every)
            if outcome.status == "unchanged" and not self.holds(kept):
                outcome = Outcome("restored", outcome.kept)
                _write(self.root / _CONTENT / kept.digest, content)
            if outcome.status in {"added", "replaced"}:
                _write(self.root / _CONTENT / kept.digest, content)
                self._save(_with(kept, every, outcome.before))
            return outcome

    def remove(self, name: str) -> Kept:
        """Remove what is called so; earlier versions of it stay listed.

        Raises:
            NotOwnError: nothing is.
            OSError: nothing can be written there.
        """
        with self._turn():
            gone = self.find(name)
            self._save([each for each in self.kept() if each.digest != gone.digest])
            (self.root / _CONTENT / gone.digest).unlink(missing_ok=True)
            return gone

    def _save(self, every: Sequence[Kept]) -> None:
        listed = _Listed(kept=tuple(every)).model_dump_json(indent=1, exclude_defaults=True)
        _write(self.root / _LIST, listed.encode())

    @contextmanager
    def _turn(self) -> Iterator[None]:
        self.root.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for folder in (self.root, self.root / _CONTENT):
            folder.mkdir(exist_ok=True, mode=0o700)
        lock = os.open(self.root / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _judge(kept: Kept, every: Sequence[Kept]) -> Outcome:
    """Tell what a version is beside those that count: the same, another of its source, or new."""
    current = [each for each in every if not each.superseded_by]
    for each in current:
        if each.digest == kept.digest and (kept.dated != "given" or each.date == kept.date):
            return Outcome("unchanged", each)
    before = next(
        (each for each in current if (each.kind, each.key) == (kept.kind, kept.key)), None
    )
    if before is None:
        return Outcome("added", kept)
    stated = "file" not in {before.dated, kept.dated}
    if stated and kept.date < before.date and kept.kind == "document":
        return Outcome("older", before, before)
    return Outcome("replaced", kept, before)


def _with(kept: Kept, every: Sequence[Kept], before: Kept | None) -> list[Kept]:
    rest = [each for each in every if each.digest != kept.digest]
    if before is not None:
        gone = {"superseded_by": kept.digest}
        rest = [e.model_copy(update=gone) if e.digest == before.digest else e for e in rest]
    return [*rest, kept]


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; it is on the disk before it has its name."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as held:
        held.write(content)
        held.flush()
        os.fsync(held.fileno())
    aside.replace(path)


def _short(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
