"""Dates as documents write them."""

import re
from datetime import date, datetime

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS = re.compile(
    r"\b((?:19|20)\d\d)(?:[-/.]|\s*年\s*)(\d\d?)(?:[-/.]|\s*月\s*)(\d\d?)(?!\d)"  # 2025-06-20
)
_DAY_LAST = re.compile(r"\b([A-Za-z]{3,9})\.? (\d\d?),? ((?:19|20)\d\d)\b")
_DAY_FIRST = re.compile(r"\b(\d\d?)\.? ([A-Za-z]{3,9})\.?,? ((?:19|20)\d\d)\b")
_LABEL = re.compile(
    r"(?:^|\n)\W{0,6}(?:last[ -](?:updated|modified|reviewed)|updated|date|reviewed|日期|更新日期"
    r"|更新时间|最后更新|修改日期|发布日期)(?: on)?\W{0,4}[:：]?\W{0,4}([^\n]{6,60})",
    re.IGNORECASE,
)
_TOP = 2000
"""Characters at the top in which a document states its date."""


def read_date(value: object) -> date | None:
    """Read the first date in a value, or None; a point in time gives its day."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return _first(value) if isinstance(value, str) else None


def find_date(text: str) -> date | None:
    """Find the date that a text states of itself near its top, after such a word as "Updated"."""
    dates = (_first(label.group(1)) for label in _LABEL.finditer(text[:_TOP]))
    return next(filter(None, dates), None)


def _first(text: str) -> date | None:
    if found := _NUMBERS.search(text):
        return _day(*(int(part) for part in found.groups()))
    if found := _DAY_LAST.search(text):
        return _day(int(found[3]), _month(found[1]), int(found[2]))
    if found := _DAY_FIRST.search(text):
        return _day(int(found[3]), _month(found[2]), int(found[1]))
    return None


def _month(name: str) -> int:
    near = (n for n, month in enumerate(_MONTHS, 1) if month.startswith(name.casefold()))
    return next(near, 0)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
