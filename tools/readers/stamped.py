"""Programs' own stamps at a line's beginning: bare or in brackets, with or without zone."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r"[^\d\n]{0,24}?[\[(<]?(?P<stamp>\d{4}[-/]\d\d[-/]\d\d[T _]?\d\d:\d\d:\d\d(?:[.,:]\d{1,9})?"
    r"(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d))?)(?=[\s\])>|,:;-])",
)
_TRACEBACK = b"Traceback (most recent call last)"
_CARRIER = "stamps of a carrier"
_BEHIND = compile_late(r"[\])>|,:;-]? ?")
_RANK = compile_late(r"\[(?:rank|default)(\d+)\]|\b[Rr]ank[ :=]{1,2}(\d+)\b")


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole line stays the text, less a stamp that is not the program's."""
    instant = setting.dating.iso(match["stamp"], setting.host)
    if instant is None:
        return None
    text = match.string
    if _CARRIER in setting.notes and (behind := _BEHIND.match(text, match.end())):
        text = text[behind.end() :]
    return Line(text, instant, fields=rank_of(match.string))


def prepare(data: bytes, setting: Setting) -> None:
    """Tell whether each line got its stamp from a carrier: no program stamps within a traceback."""
    place = data.find(_TRACEBACK)
    if place < 0:
        return
    begin, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place) + 1
    stop = data.find(b"\n", end)
    inner = data[end : stop if stop >= 0 else None]
    lines = (data[begin:end].decode("utf-8", "replace"), inner.decode("utf-8", "replace"))
    if end and all(PATTERN.match(line) for line in lines):
        setting.notes[_CARRIER] = ""


def rank_of(text: str) -> dict[str, str] | None:
    """Find the rank that a launcher or program writes before its text."""
    match = _RANK.search(text[:160])
    return {"rank": match.group(1) or match.group(2)} if match else None


DIALECT = Dialect("stamped", PATTERN, build, weight=0.8, prepare=prepare)
