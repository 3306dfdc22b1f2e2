"""Validated pages kept between runs, because reading YAML costs ten times the validation.

The cache is one JSON file of pages by the SHA-256 of what made them: the page's bytes and place,
and the schema's own source. It is read through the same validation as any page, and whatever is
wrong with it (unreadable, damaged, not writable) only costs the time that it would have saved.
"""

import hashlib
import os
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import msgspec
from pydantic import ValidationError

from knowledge.page import Page


class PageCache:
    """Pages by key; remembers those asked for and drops the others when saved."""

    def __init__(self, folder: Path | None) -> None:
        self._file = folder / "handbook.json" if folder else None
        self._schema = _schema() if folder else b""
        self._kept = _read(self._file) if self._file else {}
        self._used: dict[str, msgspec.Raw] = {}
        self._grown = False

    def key(self, content: bytes, *place: str) -> str:
        """Name a page by all that its value depends on."""
        parts = (self._schema, "\0".join(place).encode(), content)
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def get(self, key: str) -> Page | None:
        """Return the page as validated earlier, or None."""
        raw = self._kept.get(key)
        if raw is None:
            return None
        try:
            page = _validated(bytes(raw))
        except ValidationError:
            return None
        self._used[key] = raw
        return page

    def put(self, key: str, page: Page) -> None:
        """Remember a page that had to be read from YAML."""
        if self._file is not None:
            self._used[key] = msgspec.Raw(page.model_dump_json(exclude_defaults=True).encode())
            self._grown = True

    def save(self) -> None:
        """Write the pages in use, if they changed; renamed into place, so never half."""
        if self._file is None or not (self._grown or len(self._used) < len(self._kept)):
            return
        aside = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(msgspec.json.encode(self._used))
            aside.replace(self._file)


@lru_cache(maxsize=4096)
def _validated(content: bytes) -> Page:
    """Validate a page; one that looks again validates no page twice."""
    return Page.model_validate_json(content)


def _read(file: Path) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw])
    except (OSError, msgspec.DecodeError):
        return {}


def _schema() -> bytes:
    return hashlib.sha256((files("knowledge") / "page.py").read_bytes()).digest()
