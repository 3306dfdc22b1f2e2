"""Regular expressions of pages: RE2, so that no page can make matching slow.

The engine is called without re2's Python layer, which costs more than the match itself; texts are
UTF-8 bytes, because RE2 counts bytes and translating its offsets to characters costs more again.
"""

from functools import lru_cache
from typing import Protocol

import re2
from re2 import _re2

from knowledge.errors import PatternInvalidError

Span = tuple[int, int]

_ANYWHERE = _re2.RE2.Anchor.UNANCHORED
_WHOLE = _re2.RE2.Anchor.ANCHOR_BOTH
_NOWHERE = -1


class _Engine(Protocol):
    """The part of RE2's own interface that is used here."""

    def ok(self) -> bool: ...
    def error(self) -> bytes: ...
    def NamedCapturingGroups(self) -> list[tuple[bytes, int]]: ...  # noqa: N802 - RE2's name
    def Match(self, anchor: object, text: bytes, start: int, end: int) -> list[Span]: ...  # noqa: N802 - RE2's name


class Pattern:
    """A compiled expression with its named groups."""

    __slots__ = ("_engine", "_groups", "names")

    def __init__(self, engine: _Engine) -> None:
        self._engine = engine
        groups = engine.NamedCapturingGroups()
        self._groups = tuple(sorted((index, name.decode()) for name, index in groups))
        self.names = tuple(name for _, name in self._groups)

    def search(self, text: bytes) -> dict[str, str] | None:
        """Find the expression anywhere; return the named groups that took part, or None."""
        spans = self._engine.Match(_ANYWHERE, text, 0, len(text))
        if spans[0][0] == _NOWHERE:
            return None
        values: dict[str, str] = {}
        for index, name in self._groups:
            start, end = spans[index]
            if start != _NOWHERE:
                values[name] = text[start:end].decode("utf-8", "replace")
        return values

    def covers(self, text: bytes) -> bool:
        """Tell whether the expression matches the whole text."""
        return self._engine.Match(_WHOLE, text, 0, len(text))[0][0] != _NOWHERE


@lru_cache(maxsize=4096)
def compile_pattern(expression: str) -> Pattern:
    """Compile an RE2 expression; ``.`` also spans the newlines of a joined message only with (?s).

    Raises:
        PatternInvalidError: RE2 refuses it (look-around and back-references do not exist).
    """
    options = re2.Options()
    options.log_errors = False
    engine: _Engine = _re2.RE2(expression.encode(), options)
    if not engine.ok():
        raise PatternInvalidError("pattern", expression, engine.error().decode(errors="replace"))
    return Pattern(engine)


def encode(text: str) -> bytes:
    """Turn a line into the bytes that patterns read; what is no character becomes ``?``."""
    return text.encode("utf-8", "replace")
