# ruff: noqa: E501  (a pattern broken in two is harder to check)
"""Finds passwords in tables whose cells stand between bars: under such a header, or beside it."""

import re
from collections.abc import Iterator, Sequence

from tools.late_patterns import compile_late
from tools.secret_shapes import MASK, Taken

_WORDS = r"(?:password|passwd|passphrase|passcode|pwd|密码|口令|密钥)"
TABLE_TRIGGER = rf"(?i)(?:{_WORDS}[^\n|]{{0,40}}\||\|[^\n|]{{0,40}}{_WORDS})"
_HEADER = compile_late(
    rb"(?:[^\n|]{0,40}[^A-Za-z\n|])?(?:" + _WORDS[3:-1].encode() + rb")s?[ \t]*(?:\([^()|]*\))?",
    re.IGNORECASE,
)
_LINE = compile_late(rb"-{2,}|:?-+:?")
_NOTHING = frozenset({b"", b"none", b"n/a", b"-", b"yes", b"no", b"required", b"null", b"vault"})
_CHOSEN = compile_late(rb"[^\s]*(?:[A-Za-z][^\s]*\d|\d[^\s]*[A-Za-z]|\d{6})")
_TEMPLATE = b"<${%"
_MOST_ROWS = 400

Cell = tuple[int, int]
"""Where a cell's text begins and ends."""


def find_table_secrets(data: bytes, ends: list[int]) -> Iterator[Taken]:
    """Take the values of each table with a column or a row of passwords, whose name ends at `ends`."""
    done = -1
    for end in sorted(ends):
        start = data.rfind(b"\n", 0, end - 1) + 1
        if start == done:
            continue
        done = start
        cells, following = _cells(data, start)
        columns = [
            index for index, cell in enumerate(cells) if _HEADER.fullmatch(data[slice(*cell)])
        ]
        for column in columns:
            yield from _beside(data, cells, column)
            yield from _below(data, following, column, len(cells))


def _beside(data: bytes, cells: Sequence[Cell], column: int) -> Iterator[Taken]:
    """Take the cell behind a name, if it looks like a password: it may be the next header."""
    if column + 1 < len(cells):
        start, end = cells[column + 1]
        if _CHOSEN.fullmatch(data[start:end]) or _CHOSEN.match(data[start:end]):
            yield from _taken(data, (start, end))


def _below(data: bytes, start: int, column: int, width: int) -> Iterator[Taken]:
    """Take the column's cells down to where the table ends; empty lines may stand between rows."""
    for _ in range(_MOST_ROWS):
        while data[start : start + 1] in {b"\n", b"\r"}:
            start += 1
        cells, start = _cells(data, start)
        if len(cells) != width or width == 1:
            return
        yield from _taken(data, cells[column])


def _taken(data: bytes, cell: Cell) -> Iterator[Taken]:
    """Take one word; what is a sentence, a line of dashes or a template is no password."""
    text = data[slice(*cell)]
    plain = b" " in text or text.lower() in _NOTHING or text == MASK or _LINE.fullmatch(text)
    if not plain and text[:1] not in {bytes([each]) for each in _TEMPLATE} and len(text) > 1:
        yield (*cell, MASK)


def _cells(data: bytes, start: int) -> tuple[list[Cell], int]:
    """Return a line's cells without the space around them, and where the next line begins."""
    stop = data.find(b"\n", start)
    stop = len(data) if stop < 0 else stop
    found: list[Cell] = []
    for part in data[start:stop].split(b"|"):
        inner = part.strip()
        begin = start + len(part) - len(part.lstrip())
        found.append((begin, begin + len(inner)))
        start += len(part) + 1
    return found, stop + 1
