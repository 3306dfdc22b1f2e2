"""`ipmitool sel list` and `elist`: what the management controller has noted."""

from typing import TYPE_CHECKING

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.stamps import zone_of

if TYPE_CHECKING:
    import re

PATTERN = compile_late(
    r" *[0-9a-f]{1,8} \| *(?:(?P<month>\d\d?)[/.](?P<day>\d\d?)[/.](?P<year>\d{4}|\d\d)"
    r" \| (?P<h>\d\d?):(?P<m>\d\d):(?P<s>\d\d)(?: (?P<half>[AP]M))?"
    r"(?: (?P<zone>[A-Z][A-Z0-9/+-]*))?"
    r"|Pre-Init *\| *\w+ *) ?\| ?[^|]*\S"
)
DECEMBER = 12


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp; the whole row stays the text. What the controller noted at boot has none."""
    if match["year"] is None:
        return Line(match.string, None, unit="bmc")
    hour = int(match["h"])
    if match["half"]:
        hour = hour % DECEMBER + DECEMBER * (match["half"] == "PM")
    month, day = int(match["month"]), int(match["day"])
    if month > DECEMBER:  # a locale that puts the day first
        month, day = day, month
    year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)  # noqa: PLR2004  # YY
    numbers = (year, month, day, hour, int(match["m"]), int(match["s"]))
    zone = match["zone"] if match["zone"] and zone_of(match["zone"]) else ""
    original = match.string[match.start("month") : match.end("s")]
    instant = setting.dating.wall(numbers, -1, host=setting.host, zone=zone, original=original)
    return Line(match.string, instant, unit="bmc") if instant else None


DIALECT = Dialect("ipmi-sel", PATTERN, build, weight=0.96, channel="device")
