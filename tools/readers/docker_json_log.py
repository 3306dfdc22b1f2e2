"""Docker's json-file logs: one JSON object per line with log, stream and time."""

import re

import msgspec

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late

PATTERN = compile_late(r'\{"log":".*"time":"[^"]+"\}\s*$', re.DOTALL)


class Entry(msgspec.Struct):
    """One line of output."""

    log: str
    time: str


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Unwrap the program's line."""
    try:
        entry = msgspec.json.decode(match.group(), type=Entry)
    except (msgspec.DecodeError, UnicodeError):
        return None
    instant = setting.dating.iso(entry.time)
    return Line(entry.log.rstrip("\n"), instant) if instant else None


DIALECT = Dialect(
    "docker-json", PATTERN, build, weight=0.98, channel="app", source="containers", escaped=True
)
