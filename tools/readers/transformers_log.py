"""Hugging Face's trainers: `[INFO|trainer.py:2134] 2024-09-17 23:35:34,372 >> text`."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.readers.stamped import rank_of

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r"(?:\[rank\d+\]:)?\[(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)\|[\w./-]+:\d+\] "
    r"(?P<stamp>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) >>"
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole line stays the text."""
    instant = setting.dating.iso(match["stamp"], setting.host)
    return Line(match.string, instant, fields=rank_of(match.string)) if instant else None


DIALECT = Dialect("transformers", PATTERN, build, weight=0.82, channel="app")
