"""OpenSM and NVLink's subnet manager: a stamp without a year, microseconds, thread and level."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.stamps import MONTHS

PATTERN = compile_late(
    r"(?P<stamp>(?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) (?P<day>[ \d]\d) "
    r"(?P<hms>\d\d:\d\d:\d\d) (?P<micro>\d{6})) \[[0-9A-Fa-f]{4,16}\] (?P<level>0x[0-9a-f]{2}) -> "
    r"(?P<text>.*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; what follows the arrow is the text."""
    hour, minute, second = (int(part) for part in match["hms"].split(":"))
    numbers = (MONTHS[match["month"].lower()], int(match["day"]), hour, minute, second)
    instant = setting.dating.yearless(
        numbers, int(match["micro"]), host=setting.host, original=match["stamp"]
    )
    return Line(match["text"], instant, unit="opensm") if instant else None


DIALECT = Dialect("opensm", PATTERN, build, weight=0.97, channel="service")
"""Above syslog, which would take the microseconds for a host."""
