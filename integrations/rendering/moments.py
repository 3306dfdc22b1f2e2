"""Times and spans as people read them, always UTC, always with their doubt."""

from datetime import UTC, datetime

from integrations.wording.words import Words
from tools.evidence import UNKNOWN_ZONE_S, Instant, Window

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_MINUS, _TO = "−", "–"
_ERROR_SHOWN_S = 0.5
"""Smaller error bars would only add noise to a time printed to the second."""


def write_iso(moment: datetime) -> str:
    """Write `moment` as ISO 8601 in UTC with ``Z``; fractions only where there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def write_stamp(moment: datetime) -> str:
    """Write day and time to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%SZ")


def write_time(moment: datetime) -> str:
    """Write the time of day to the second, for places where the day is clear."""
    return moment.astimezone(UTC).strftime("%H:%M:%SZ")


def write_known(moment: datetime | None, words: Words, *, day: bool = True) -> str:
    """Write a moment of which nothing more is known, or that nothing tells it."""
    if moment is None:
        return words("time.undated")
    return write_stamp(moment) if day else write_time(moment)


def write_instant(instant: Instant, words: Words, *, day: bool = False) -> str:
    """Write a moment with its error bar and what is known of its zone."""
    shown = write_stamp(instant.utc) if day else write_time(instant.utc)
    if not instant.dated:
        told = f" ({words('time.boot_clock')} {instant.original})" if instant.original else ""
        return words("time.undated") + told
    if instant.common_s > UNKNOWN_ZONE_S:
        return f"≤ {shown} ({words('time.boot_clock')} {instant.original})"
    if instant.uncertainty_s >= _ERROR_SHOWN_S:
        shown += f" ±{write_span(instant.uncertainty_s, words)}"
    if instant.zone != "stated":
        shown += f" ({words(f'time.zone_{instant.zone}')})"
    return shown


def write_span(seconds: float, words: Words) -> str:
    """Write a length of time with at most two units."""
    seconds = abs(seconds)
    if seconds < _MINUTE:
        digits = f"{seconds:.{1 if seconds >= _ERROR_SHOWN_S else 3}f}".rstrip("0").rstrip(".")
        return f"{digits} {words('time.seconds')}"
    if seconds < _HOUR:
        return _two(seconds, _MINUTE, ("time.minutes", "time.seconds"), words)
    if seconds < _DAY:
        return _two(seconds / _MINUTE, _MINUTE, ("time.hours", "time.minutes"), words)
    return _two(seconds / _HOUR, 24, ("time.days", "time.hours"), words)


def write_delay(seconds: float, uncertainty_s: float, words: Words) -> str:
    """Write how long after its cause an effect began: from how much to how much, if not sure."""
    if uncertainty_s < _ERROR_SHOWN_S:
        return _signed(seconds, words)
    low, high = seconds - uncertainty_s, seconds + uncertainty_s
    if uncertainty_s > _DAY or (low < 0 and uncertainty_s > _HOUR):
        return words("time.delay_unknown")
    if abs(low) < _ERROR_SHOWN_S:
        return words("time.within", span=write_span(high, words))
    shown = write_span(high, words) if low > 0 else _signed(high, words)
    return words("time.between", low=_signed(low, words), high=shown)


def _signed(seconds: float, words: Words) -> str:
    return (_MINUS if seconds < 0 else "+") + write_span(seconds, words)


def write_offset(seconds: float, uncertainty_s: float, words: Words) -> str:
    """Write what was added to a clock's stamps, with its error bar."""
    shown = (_MINUS if seconds < 0 else "+") + write_span(seconds, words)
    if uncertainty_s >= _ERROR_SHOWN_S:
        shown += f" ±{write_span(uncertainty_s, words)}"
    return shown


def write_window(window: Window, words: Words) -> str:
    """Write a window; the day of its end only where it differs from that of its start."""
    if window.since is None and window.until is None:
        return words("time.no_window")
    since = write_stamp(window.since) if window.since else "…"
    if window.until is None:
        return f"{since} {_TO} …"
    same_day = window.since is not None and window.since.date() == window.until.date()
    return f"{since} {_TO} {write_time(window.until) if same_day else write_stamp(window.until)}"


def _two(amount: float, base: float, units: tuple[str, str], words: Words) -> str:
    whole, rest = divmod(round(amount), round(base))
    shown = f"{whole} {words(units[0])}"
    return f"{shown} {rest} {words(units[1])}" if rest else shown
