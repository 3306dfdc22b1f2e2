"""Validated pages kept between runs, because reading YAML costs ten times the validation.

A cache is one JSON file of models by the SHA-256 of what made them: the file's bytes and place,
and the schema's own source. It is read through the same validation as any page, and whatever is
wrong with it (unreadable, damaged, not writable) only costs the time that it would have saved.
"""

import hashlib
import os
from contextlib import suppress
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from pydantic import BaseModel, ValidationError

from knowledge.page import Page

M = TypeVar("M", bound=BaseModel)


class ModelCache(Generic[M]):
    """Models by key; remembers those asked for and drops the others when saved.

    `name` is that of its file; `schema` are the sources of `knowledge` that shape the model.
    """

    def __init__(self, folder: Path | None, model: type[M], name: str, *schema: str) -> None:
        self._model = model
        self._file = folder / name if folder else None
        self._schema = _schema(*schema) if folder else b""
        self._kept = _read(self._file) if self._file else {}
        self._used: dict[str, msgspec.Raw] = {}
        self._grown = False

    def key(self, content: bytes, *place: str) -> str:
        """Name a model by all that its value depends on."""
        parts = (self._schema, "\0".join(place).encode(), content)
        return hashlib.sha256(b"\0".join(parts)).hexdigest()

    def get(self, key: str) -> M | None:
        """Return the model as validated earlier, or None."""
        raw = self._kept.get(key)
        if raw is None:
            return None
        try:
            found = _validated(self._model, bytes(raw))
        except ValidationError:
            return None
        self._used[key] = raw
        return found if isinstance(found, self._model) else None

    def put(self, key: str, model: M) -> None:
        """Remember what had to be read from YAML."""
        if self._file is not None:
            self._used[key] = msgspec.Raw(model.model_dump_json(exclude_defaults=True).encode())
            self._grown = True

    def save(self) -> None:
        """Write what is in use, if it changed; renamed into place, so never half."""
        if self._file is None or not (self._grown or len(self._used) < len(self._kept)):
            return
        aside = self._file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(msgspec.json.encode(self._used))
            aside.replace(self._file)


class PageCache(ModelCache[Page]):
    """The pages of the handbook."""

    def __init__(self, folder: Path | None) -> None:
        super().__init__(folder, Page, "handbook.json", "page.py")


@lru_cache(maxsize=4096)
def _validated(model: type[BaseModel], content: bytes) -> BaseModel:
    """Validate what was kept; one that looks again validates nothing twice."""
    return model.model_validate_json(content)


def _read(file: Path) -> dict[str, msgspec.Raw]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, msgspec.Raw])
    except (OSError, msgspec.DecodeError):
        return {}


def _schema(*names: str) -> bytes:
    return hashlib.sha256(b"\0".join((files("knowledge") / n).read_bytes() for n in names)).digest()
