"""Turns the time texts of logs into instants that know how certain they are."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.evidence import UNKNOWN_ZONE_S, Instant
from tools.late_patterns import compile_late
from tools.request import Request

if TYPE_CHECKING:
    import re

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
}
MONTH_SIGNS = "月월"
"""What Chinese, Japanese and Korean locales put behind a month's number: ``10月 21``."""
MONTH = rf"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|(?:[1-9]|1[0-2])[{MONTH_SIGNS}]"
"""How ``%b`` prints a month, as a pattern; `month_of` reads it."""
WHOLE_SECOND_S = 1.0
"""A stamp without fraction names a second, and the moment lies somewhere in it."""
AHEAD_OF_CAPTURE = timedelta(days=1, hours=2)
"""How far a stamp without year may lie beyond its capture: zones, and clocks that run ahead."""

RECENT = 2048
"""How many stamps are remembered: recent ones repeat, old ones do not."""
_SHORTEST, _LONGEST = map(len, ("2025-06-20T10:23:15.1Z", "2025-06-20T10:23:15.123456789Z"))

_OFFSET = compile_late(r"([+-])(\d\d):?(\d\d)?$")
_ISO = compile_late(
    r"(\d{4})[-/](\d\d)[-/](\d\d)[T _]?(\d\d):(\d\d):(\d\d)(?:[.,:](\d{1,9}))?"
    r" ?(Z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?(?![\d:])"
)


def month_of(name: str) -> int:
    """Read what `MONTH` matches; 0 where it names no month."""
    number = name.rstrip(MONTH_SIGNS)
    return int(number) if number.isdecimal() else MONTHS.get(name.lower(), 0)


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo | None:
    """Find a zone by IANA name or ±HH:MM; None where there is no such zone."""
    if name.upper() in {"Z", "UTC", "GMT"}:
        return UTC
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        delta = timedelta(hours=int(hours), minutes=int(minutes or 0))
        return timezone(-delta if sign == "-" else delta) if delta < timedelta(days=1) else None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def from_epoch(seconds: float, original: str = "") -> Instant | None:
    """Read seconds since 1970; None where no calendar holds them."""
    try:
        return Instant(datetime.fromtimestamp(seconds, UTC), 0.0, "stated", original)
    except (OverflowError, ValueError, OSError):
        return None


class Dating:
    """Reads stamps under one request: zones by host, years by when the evidence was taken."""

    def __init__(
        self,
        request: Request,
        reference: datetime | None = None,
        captured: datetime | None = None,
    ) -> None:
        """Take zones from `request`; `reference` is the latest moment the evidence can speak of.

        `captured` is when it was taken, where a capture says so: a file's age does not.
        """
        self._zone = request.zone
        self._host_zones = request.host_zones
        self.reference = (
            request.window.until or reference or request.now or datetime.now(UTC)
        ).astimezone(UTC)
        self.captured = captured
        self._cache: dict[tuple[str, str], Instant | None] = {}

    def iso(self, text: str, host: str = "") -> Instant | None:
        """Read ``2025-06-20T10:23:15.123+08:00`` and its many relatives."""
        return self.recalled(text, host, lambda: self._iso(text, host))

    def _iso(self, text: str, host: str) -> Instant | None:
        if utc := _read_utc(text):
            return Instant(utc, 0.0, "stated", text)
        match = _ISO.match(text)
        return None if match is None else self._from_match(match, host, text)

    def _from_match(self, match: "re.Match[str]", host: str, text: str) -> Instant | None:
        fraction, zone = match.group(7) or "", match.group(8) or ""
        numbers = tuple(int(part) for part in match.group(1, 2, 3, 4, 5, 6))
        micro = int((fraction + "000000")[:6]) if fraction else -1
        return self.wall(numbers, micro, host=host, zone=zone, original=text)

    def wall(
        self, numbers: tuple[int, ...], micro: int, *, host: str, zone: str = "", original: str = ""
    ) -> Instant | None:
        """Build an instant from year … second; `micro` below 0 means whole seconds."""
        try:
            naive = datetime(*_six(numbers), max(micro, 0))  # noqa: DTZ001  # the zone comes next
        except ValueError:
            return None
        return self._place(naive, WHOLE_SECOND_S if micro < 0 else 0.0, host, zone, original)

    def yearless(
        self, numbers: tuple[int, ...], micro: int, *, host: str, original: str = ""
    ) -> Instant | None:
        """Build an instant from month … second, in the last year that is not after the capture."""
        latest = self.reference + AHEAD_OF_CAPTURE
        for year in range(latest.year, latest.year - 5, -1):
            found = self.wall((year, *numbers), micro, host=host, original=original)
            if found and found.utc <= latest:
                return found
        return None

    def recalled(self, text: str, host: str, make: Callable[[], Instant | None]) -> Instant | None:
        """Read a stamp by `make`, or recall what it read of the same text before."""
        key = (text, host)
        if key not in self._cache:
            if len(self._cache) > RECENT:
                self._cache.clear()
            self._cache[key] = make()
        return self._cache[key]

    def _place(
        self, naive: datetime, error_s: float, host: str, zone: str, original: str
    ) -> Instant | None:
        configured = self._host_zones.get(host) or self._zone
        name = zone or configured
        found = zone_of(name) if name else None
        try:
            if found is None:
                utc = naive.replace(tzinfo=UTC)
                return Instant(utc, UNKNOWN_ZONE_S + error_s, "unknown", original)
            utc = naive.replace(tzinfo=found).astimezone(UTC)
        except (OverflowError, ValueError):
            return None
        return Instant(utc, error_s, "stated" if zone else "assumed", original)


def _read_utc(text: str) -> datetime | None:
    """Read the form that container runtimes print, ``2025-06-20T10:23:15.123456789Z``, at once."""
    if text[7:20:3] != "-T::." or text[-1] != "Z" or not _SHORTEST <= len(text) <= _LONGEST:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _six(numbers: tuple[int, ...]) -> tuple[int, int, int, int, int, int]:
    year, month, day, hour, minute, second = numbers
    return year, month, day, hour, minute, min(second, 59)


def rename(instant: Instant, original: str) -> Instant:
    """Give an instant the text it was read from."""
    return replace(instant, original=original)
