"""logfmt: `time="…" level=error msg="…"`, as containerd, dockerd and Prometheus write."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r'(?:[\w.]+=(?:"(?:[^"\\]|\\.)*"|\S*) ){0,3}?(?:time|ts|t|timestamp)="?'
    r'(?P<stamp>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"?(?: |$)'
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the time; the whole line stays the text."""
    instant = setting.dating.iso(match["stamp"], setting.host)
    return Line(match.string, instant) if instant else None


DIALECT = Dialect("logfmt", PATTERN, build, weight=0.9)
