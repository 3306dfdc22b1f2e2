"""Times as people type them: ISO 8601, @epoch, or how long ago."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from integrations.cli.fault import UsageFault
from tools.late_patterns import compile_late

_AGO = compile_late(r"-?(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)(?: ago)?", re.ASCII)
_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}
_OFFSET = compile_late(r"([+-])(\d{2}):?(\d{2})", re.ASCII)


def read_moment(text: str, zone: tzinfo, now: datetime) -> datetime:
    """Read a moment; one without zone is read in `zone`.

    Raises:
        UsageFault: it is none of the forms.
    """
    text = text.strip()
    try:
        if text == "now":
            return now
        if found := _AGO.fullmatch(text):
            return now - timedelta(seconds=float(found[1]) * _UNITS[found[2]])
        if text.startswith("@"):
            return datetime.fromtimestamp(float(text[1:]), UTC)
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError, OSError) as error:
        hint = "Write 2025-06-20T10:20:00+08:00, @1750386000, 2h or now."
        raise UsageFault(f"{text!r} is not a time", hint) from error


def is_exact(text: str) -> bool:
    """Tell whether `text` names its moment by itself, without a zone or the present."""
    text = text.strip()
    if text.startswith("@"):
        return True
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def read_zone(name: str) -> tzinfo:
    """Read an IANA zone or ±HH:MM.

    Raises:
        UsageFault: there is no such zone.
    """
    if found := _OFFSET.fullmatch(name):
        offset = timedelta(hours=int(found[2]), minutes=int(found[3]))
        if offset < timedelta(days=1):
            return timezone(-offset if found[1] == "-" else offset)
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        hint = "Write an IANA zone such as Asia/Shanghai, or an offset such as +08:00."
        raise UsageFault(f"{name!r} is not a time zone", hint) from error
