"""Regular expressions of pages: RE2, so that no page can make matching slow.

Texts are matched as UTF-8 bytes, because RE2 counts bytes and translating its offsets back to
characters costs three times the match.
"""

from functools import lru_cache
from typing import Protocol

import re2

from knowledge.errors import PatternInvalidError


class _Compiled(Protocol):
    """The part of re2's pattern object that is used here."""

    @property
    def groupindex(self) -> dict[bytes, int]: ...
    def search(self, text: bytes) -> "_Found | None": ...
    def fullmatch(self, text: bytes) -> "_Found | None": ...


class _Found(Protocol):
    def groups(self) -> tuple[bytes | None, ...]: ...


class Pattern:
    """A compiled expression with its named groups."""

    __slots__ = ("_compiled", "_names", "names")

    def __init__(self, compiled: _Compiled) -> None:
        self._compiled = compiled
        groups = sorted((index - 1, name.decode()) for name, index in compiled.groupindex.items())
        self._names = tuple(groups)
        self.names = tuple(name for _, name in groups)

    def search(self, text: bytes) -> dict[str, str] | None:
        """Find the expression anywhere; return the named groups that took part, or None."""
        found = self._compiled.search(text)
        if found is None:
            return None
        groups = found.groups()
        return {
            name: value.decode(errors="replace")
            for index, name in self._names
            if (value := groups[index]) is not None
        }

    def covers(self, text: bytes) -> bool:
        """Tell whether the expression matches the whole text."""
        return self._compiled.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def compile_pattern(expression: str) -> Pattern:
    """Compile an RE2 expression; ``.`` also spans the newlines of a joined message only with (?s).

    Raises:
        PatternInvalidError: RE2 refuses it (look-around and back-references do not exist).
    """
    options = re2.Options()
    options.log_errors = False
    try:
        return Pattern(re2.compile(expression.encode(), options))
    except re2.error as error:
        raise PatternInvalidError("pattern", expression, _reason(error)) from error


def encode(text: str) -> bytes:
    """Turn a line into the bytes that patterns read; what is no character becomes ``?``."""
    return text.encode("utf-8", "replace")


def _reason(error: Exception) -> str:
    reason = error.args[0] if error.args else error
    return reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
