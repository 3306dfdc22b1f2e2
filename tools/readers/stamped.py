"""Programs' own stamps at a line's beginning: bare or in brackets, with or without zone."""

import re

from tools.dialect import Dialect, Line, Setting

PATTERN = re.compile(
    r"[^\d\n]{0,24}?[\[(<]?(?P<stamp>\d{4}[-/]\d\d[-/]\d\d[T _]?\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d))?)(?=[\s\])>|,:;-])",
)
_RANK = re.compile(r"\[(?:rank|default)(\d+)\]|\b[Rr]ank[ :=]{1,2}(\d+)\b")


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole line stays the text."""
    instant = setting.dating.iso(match["stamp"], setting.host)
    return Line(match.string, instant, fields=rank_of(match.string)) if instant else None


def rank_of(text: str) -> dict[str, str] | None:
    """Find the rank that a launcher or program writes before its text."""
    match = _RANK.search(text[:160])
    return {"rank": match.group(1) or match.group(2)} if match else None


DIALECT = Dialect("stamped", PATTERN, build, weight=0.8)
