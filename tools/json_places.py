"""Finds the line on which a value of a JSON document stands."""

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from tools.late_patterns import compile_late

LARGEST = 16 << 20
"""Beyond this a document is not read a second time for its line numbers."""
_SPACE = compile_late(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
Path = tuple[str | int, ...]


class Places:
    """Line numbers by path, for one whole document."""

    def __init__(self, data: bytes, skipped: int = 0) -> None:
        """Take the document's bytes, and how many lines stand before them."""
        self._data, self._skipped = data, skipped
        self._items: dict[Path, list[int]] = {}

    def line_of(self, path: Sequence[str | int]) -> int:
        """Return the 1-based line of the value at `path`; 0 where it cannot be told."""
        if len(self._data) > LARGEST:
            return 0
        if not self._ends:
            return 1 + self._skipped
        try:
            place = self._walk(tuple(path))
        except (ValueError, IndexError, RecursionError):
            return 0
        return 0 if place is None else bisect_left(self._ends, place) + 1 + self._skipped

    @cached_property
    def _text(self) -> str:
        return self._data.decode("utf-8", "replace")

    @cached_property
    def _ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self._text)]

    def _walk(self, path: Path) -> int | None:
        place: int | None = _skip(self._text, 0)
        for depth, step in enumerate(path):
            if place is None:
                return None
            if self._text[place] == "[":
                items = self._items_at(path[:depth], place)
                number = int(step)
                place = items[number] if number < len(items) else None
            else:
                pairs = _pairs(self._text, place)
                place = next((value for key, value in pairs if key == step), None)
        return place

    def _items_at(self, path: Path, place: int) -> list[int]:
        """Find where each item of a list begins; a list is walked through once."""
        if path not in self._items:
            self._items[path] = list(_elements(self._text, place))
        return self._items[path]


def _skip(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return match.end() if match else place


def _pairs(text: str, place: int) -> Iterator[tuple[str, int]]:
    """Yield each key of the object that begins at `place`, and where its value begins."""
    place = _skip(text, place + 1)
    while text[place] == '"':
        key, place = _DECODER.raw_decode(text, place)
        value = _skip(text, _skip(text, place) + 1)
        yield key, value
        place = _skip(text, _DECODER.raw_decode(text, value)[1])
        place = _skip(text, place + 1) if text[place] == "," else place


def _elements(text: str, place: int) -> Iterator[int]:
    place = _skip(text, place + 1)
    while text[place] != "]":
        yield place
        place = _skip(text, _DECODER.raw_decode(text, place)[1])
        place = _skip(text, place + 1) if text[place] == "," else place


class Finder:
    """Finds the lines of texts that stand in a document in a known order."""

    def __init__(self, data: bytes, skipped: int = 0) -> None:
        """Take the document's bytes, and how many lines stand before them."""
        self._data, self._skipped = data, skipped
        self._place, self._line = 0, 1

    def line_of(self, text: str) -> int:
        """Return the 1-based line of the next occurrence of a decoded text; 0 where it is none."""
        spelled = {json.dumps(text, ensure_ascii=plain)[1:-1].encode() for plain in (True, False)}
        found = [self._data.find(one, self._place) for one in spelled if one]
        place = min((one for one in found if one >= 0), default=-1)
        if place < 0:
            return 0
        self._line += self._data.count(b"\n", self._place, place)
        self._place = place + 1
        return self._line + self._skipped
