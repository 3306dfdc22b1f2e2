"""`uptime`, `uptime -s`, `/proc/uptime`, `who -b`: since when a host runs."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    import re

    from tools.gpu_values import Value

_SPOKEN = compile_late(
    r"up +(?:(?P<days>\d+) days?, +)?(?:(?P<hours>\d+):(?P<minutes>\d\d)|(?P<min>\d+) min)"
    r".*load averages?: +(?P<load>[\d.]+)"
)
_PROC = compile_late(r"^(\d+\.\d\d) \d+\.\d\d\s*$")
_SINCE = compile_late(r"^(?:\s+system boot +)?(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?)\s*$")


def recognise(head: bytes) -> float:
    """Look for any of the four shapes in a content of a line or two."""
    text = head[:400].decode("utf-8", "replace")
    if len(head) > 400 or text.count("\n") > 2:  # noqa: PLR2004  # these outputs are short
        return 0.0
    return 0.9 if _SPOKEN.search(text) or _PROC.match(text) or _SINCE.match(text) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read seconds since boot, and the boot's time where the capture's time is known."""
    values: dict[str, Value] = {}
    if match := _SPOKEN.search(printed.text):
        values = {"uptime_s": spoken_seconds(match), "load": float(match["load"])}
    elif match := _PROC.match(printed.text):
        values = {"uptime_s": float(match.group(1))}
    elif match := _SINCE.match(printed.text):
        text = match.group(1)
        boot = printed.dating.iso(text if text.count(":") > 1 else f"{text}:00", printed.host)
        values = {"boot": boot.utc.isoformat() if boot else text}
    seconds = values.get("uptime_s")
    if isinstance(seconds, float | int) and printed.observed:
        moment = printed.observed.utc - timedelta(seconds=float(seconds))
        values["boot"] = moment.isoformat()
    if values:
        yield Typed("uptime", values)


def spoken_seconds(match: "re.Match[str]") -> float:
    """Add up days, hours and minutes."""
    hours, minutes = int(match["hours"] or 0), int(match["minutes"] or match["min"] or 0)
    return float(int(match["days"] or 0) * 86400 + hours * 3600 + minutes * 60)


READER = CommandReader("uptime", recognise, parse)
