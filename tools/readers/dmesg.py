"""The kernel ring buffer as `dmesg` prints it: boot clock, or wall time with `-T`."""

import re
from datetime import UTC, datetime, timedelta

from tools.dialect import Dialect, Line, Setting
from tools.evidence import Instant
from tools.stamps import MONTHS

BOOT_CLOCK_ERROR_S = 2.0
"""Anchors name whole seconds, and the boot clock drifts against wall time."""

PATTERN = re.compile(
    r"(?:<\d{1,3}>|(?:kern|user|daemon|syslog) *:\w+ *: )?"
    r"(?:\[ *(?P<boot>\d+\.\d{3,6})(?:, *\d+|\]\[ *[TC]\d+)?\]"
    r"|\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>\w{3}) +(?P<day>\d+) (?P<hms>\d\d:\d\d:\d\d) "
    r"(?P<year>\d{4})\]"
    r"|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d)) ?(?P<text>.*)",
    re.DOTALL,
)
_CLOCK_SET = re.compile(rb"\[ *(\d+\.\d+)\][^\n]*setting system clock to [^\n]*?\((\d{9,10})\)")
_AUDIT = re.compile(rb"\[ *(\d+\.\d+)\][^\n]*audit\((\d{9,10}\.\d+):\d+\)")


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp of whichever kind."""
    text = match["text"]
    if seconds := match["boot"]:
        instant = _from_boot(float(seconds), setting)
        return Line(text, instant, setting.host, "kernel", "kernel", {"boot_s": seconds})
    if iso := match["iso"]:
        instant = setting.dating.iso(iso, setting.host)
    else:
        instant = _wall(match, setting)
    return Line(text, instant, setting.host, "kernel", "kernel") if instant else None


def _from_boot(seconds: float, setting: Setting) -> Instant | None:
    if setting.boot is None:
        return None
    try:
        utc = setting.boot + timedelta(seconds=seconds)
    except OverflowError:
        return None
    return Instant(utc, BOOT_CLOCK_ERROR_S, "stated", f"[{seconds:.6f}]")


def _wall(match: "re.Match[str]", setting: Setting) -> Instant | None:
    month = MONTHS.get(match["month"].lower())
    if month is None:
        return None
    hour, minute, second = (int(part) for part in match["hms"].split(":"))
    numbers = (int(match["year"]), month, int(match["day"]), hour, minute, second)
    original = f"{match['month']} {match['day']} {match['hms']} {match['year']}"
    return setting.dating.wall(numbers, -1, host=setting.host, original=original)


def anchor(text: bytes, setting: Setting) -> None:
    """Find when the host booted from lines that carry both clocks."""
    for pattern in (_AUDIT, _CLOCK_SET):
        if setting.boot is None and (match := pattern.search(text)):
            wall = datetime.fromtimestamp(float(match.group(2)), UTC)
            setting.boot = wall - timedelta(seconds=float(match.group(1)))


DIALECT = Dialect(
    "dmesg", PATTERN, build, weight=0.97, channel="kernel", source="host", forgeable=True,
    prepare=anchor,
)  # fmt: skip
