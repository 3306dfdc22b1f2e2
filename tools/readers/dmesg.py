"""The kernel ring buffer as `dmesg` prints it: boot clock, or wall time with `-T`.

Any of its lines that another log stamped too places it, as surely as that log's zone is known.
Where nothing ties the boot clock to wall time, its last line is put at the latest moment it can be
of: its capture. A file without one has no date, whatever its age says: a copy is younger.
The distance between two lines stays exact, and their place is unknown.
"""

import re
from datetime import UTC, datetime, timedelta

from tools.dialect import Dialect, Line, Setting
from tools.evidence import UNDATED_S, UNKNOWN_BOOT_S, Instant
from tools.late_patterns import compile_late
from tools.stamps import MONTH, month_of

BOOT_CLOCK_ERROR_S = 2.0
"""Anchors name whole seconds, and the boot clock drifts against wall time."""

WEEKDAY = "Mon|Tue|Wed|Thu|Fri|Sat|Sun|[日一二三四五六月火水木金土일월화수목금토]"
"""As locales shorten it."""
PATTERN = compile_late(
    r"(?:<\d{1,3}>|(?:kern|user|daemon|syslog) *:\w+ *: )?"
    r"(?:\[ *(?P<boot>\d+\.\d{3,6})(?:, *\d+|\]\[ *[TC]\d+)?\]"
    rf"|\[(?:{WEEKDAY}) +(?P<month>{MONTH}) +(?P<day>\d+) "
    r"(?P<hms>\d\d:\d\d:\d\d) "
    r"(?P<year>\d{4})\]"
    r"|(?P<iso>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]\d\d:\d\d)) ?(?P<text>.*)",
    re.DOTALL,
)
_CLOCK_SET = compile_late(rb"\[ *(\d+\.\d+)\][^\n]*setting system clock to [^\n]*?\((\d{9,10})\)")
_STAMP = compile_late(rb"^(?:<\d{1,3}>|\w+ *:\w+ *: )?\[ *(\d{1,9}\.\d{3,6})[\],]", re.MULTILINE)
_TAIL = 64 << 10
_LOOSE = "boot-unknown"
"""Note of a setting whose boot time is only bounded."""
_AUDIT = compile_late(rb"\[ *(\d+\.\d+)\][^\n]*audit\((\d{9,10}\.\d+):\d+\)")


def build(match: "re.Match[str]", setting: Setting) -> Line | None:
    """Read the stamp of whichever kind."""
    text = match["text"]
    if seconds := match["boot"]:
        instant = _from_boot(float(seconds), setting)
        # A clock of the file's own: what the host's other clocks say does not place it.
        host = "" if _LOOSE in setting.notes else setting.host
        return Line(text, instant, host, "kernel", "kernel", {"boot_s": seconds})
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
    original = f"[{seconds:.6f}]"
    if _LOOSE in setting.notes:
        error_s = UNKNOWN_BOOT_S if setting.notes[_LOOSE] == "captured" else UNDATED_S
        return Instant(utc, error_s, "unknown", original)
    if (wall := setting.wall) is not None:
        return Instant(utc, wall.uncertainty_s + BOOT_CLOCK_ERROR_S, wall.zone, original)
    return Instant(utc, BOOT_CLOCK_ERROR_S, "stated", original)


def _wall(match: "re.Match[str]", setting: Setting) -> Instant | None:
    day, year, month = int(match["day"]), int(match["year"]), month_of(match["month"])
    numbers = (year, month, day, *(int(part) for part in match["hms"].split(":")))
    original = f"{match['month']} {match['day']} {match['hms']} {match['year']}"
    return setting.dating.wall(numbers, -1, host=setting.host, original=original)


def anchor(text: bytes, setting: Setting) -> None:
    """Find when the host booted from lines that carry both clocks, here or elsewhere."""
    for pattern in (_AUDIT, _CLOCK_SET):
        if setting.boot is None and (match := pattern.search(text)):
            wall = datetime.fromtimestamp(float(match.group(2)), UTC)
            setting.boot = wall - timedelta(seconds=float(match.group(1)))
    if setting.boot is None:
        _place(text, setting)
    if setting.boot is None:
        _bound(text, setting)


def _place(text: bytes, setting: Setting) -> None:
    """Find a line of the ring in another log, which says when and where it was printed.

    Of several the last counts: clocks drift, and the end of the ring is what matters most.
    """
    if not setting.stamped:
        return
    for match in _STAMP.finditer(text):
        found = setting.stamped.get(match.group(1).decode())
        if found is not None and setting.host in {"", found[1]}:
            setting.wall, host = found
            setting.boot = setting.wall.utc - timedelta(seconds=float(match.group(1)))
            setting.host = host


def _bound(text: bytes, setting: Setting) -> None:
    """Let the last line be as young as the capture; without one, keep the lines' order alone."""
    captured = setting.dating.captured or setting.undated
    if captured is None:
        return
    seconds = [float(match.group(1)) for match in _STAMP.finditer(text[-_TAIL:])]
    if not seconds:
        return
    try:
        setting.boot = captured.astimezone(UTC) - timedelta(seconds=max(seconds))
    except OverflowError:
        return
    setting.notes[_LOOSE] = "captured" if setting.dating.captured else "undated"


DIALECT = Dialect(
    "dmesg", PATTERN, build, weight=0.97, channel="kernel", source="host",
    prepare=anchor,
)  # fmt: skip
