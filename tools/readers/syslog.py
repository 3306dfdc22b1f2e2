"""Syslog as files keep it: RFC 3164 with its year-less stamps, also `journalctl -o short`.

The latter names months by the locale; some fill a month's number up with a space.
"""

import re

from tools.dialect import Dialect, Line, Setting
from tools.evidence import Instant
from tools.late_patterns import compile_late
from tools.stamps import MONTH, month_of
from tools.syslog_tags import HOST, tagged_line

PATTERN = compile_late(
    rf"(?:<\d{{1,3}}>)? ?({MONTH}) ([ \d]\d) "
    r"(\d\d):(\d\d):(\d\d)"
    rf"(?:\.(\d{{1,9}}))?(?: (\d{{4}}))? ({HOST}) (.*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read stamp, host and tag."""
    host, rest = match.group(8, 9)
    original = match.string[match.start(1) : match.start(8) - 1]
    instant = setting.dating.recalled(original, host, lambda: _instant(match, setting, original))
    return tagged_line(rest, instant, host) if instant else None


def _instant(match: "re.Match[str]", setting: Setting, original: str) -> Instant | None:
    month, day, hour, minute, second, fraction, year, host, _ = match.groups()
    numbers = (month_of(month), int(day), int(hour), int(minute), int(second))
    micro = int((fraction + "000000")[:6]) if fraction else -1
    dating = setting.dating
    if year:
        return dating.wall((int(year), *numbers), micro, host=host, original=original)
    return dating.yearless(numbers, micro, host=host, original=original)


DIALECT = Dialect("syslog", PATTERN, build, weight=0.95, channel="service", source="journal")
