"""Logs that Cisco's NX-OS keeps itself: the year first, then the switch's name and a mnemonic."""

import re

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.stamps import MONTHS

PATTERN = compile_late(
    r"(?P<stamp>(?P<year>20\d\d) (?P<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
    r"(?P<day>[ \d]\d) (?P<hms>\d\d:\d\d:\d\d)(?:\.(?P<fraction>\d{1,6}))?) "
    r"(?:(?P<offset>[+-]\d\d:\d\d) )?(?P<host>[A-Za-z][\w.-]*) (?P<text>%[A-Z][\w-]*-\d-\w+: .*)",
    re.DOTALL,
)


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read stamp and switch; the mnemonic stays in the text."""
    hour, minute, second = (int(part) for part in match["hms"].split(":"))
    month, day = MONTHS[match["month"].lower()], int(match["day"])
    micro = int((match["fraction"] + "000000")[:6]) if match["fraction"] else 0
    if match["offset"]:
        stamp = f"{match['year']}-{month:02d}-{day:02d}T{match['hms']}.{micro:06d}{match['offset']}"
        instant = setting.dating.iso(stamp)
    else:
        numbers = (int(match["year"]), month, day, hour, minute, second)
        instant = setting.dating.wall(numbers, micro, host=match["host"], original=match["stamp"])
    return Line(match["text"], instant, host=match["host"]) if instant else None


DIALECT = Dialect("nxos", PATTERN, build, weight=0.97, channel="device")
