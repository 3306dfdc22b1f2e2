"""Times and spans read the same everywhere and never hide a doubt."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from integrations.rendering.moments import (
    write_delay,
    write_instant,
    write_iso,
    write_known,
    write_offset,
    write_span,
    write_window,
)
from integrations.wording.words import load_words
from tools.evidence import UNDATED_S, UNKNOWN_BOOT_S, Instant, Window

EN, ZH = load_words("en"), load_words("zh")
NOON = datetime(2025, 6, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "en", "zh"),
    [
        (0, "0 s", "0 秒"),
        (0.021, "0.021 s", "0.021 秒"),
        (1.04, "1 s", "1 秒"),
        (12.5, "12.5 s", "12.5 秒"),
        (252, "4 min 12 s", "4 分 12 秒"),
        (3600, "1 h", "1 时"),
        (5400, "1 h 30 min", "1 时 30 分"),
        (90000, "1 d 1 h", "1 天 1 时"),
    ],
)
def test_spans_have_at_most_two_units(seconds: float, en: str, zh: str) -> None:
    """Nobody needs the seconds of a day."""
    assert (write_span(seconds, EN), write_span(seconds, ZH)) == (en, zh)


def test_an_unknown_zone_is_said() -> None:
    """The error bar and the reason for it stand beside the time."""
    instant = Instant(NOON, 14 * 3600, "unknown")

    assert write_instant(instant, EN) == "12:00:00Z ±14 h (zone unknown)"


def test_what_has_no_date_shows_none() -> None:
    """Its own clock is all that is known of it, where it has one."""
    ring = Instant(NOON, UNDATED_S, "unknown", "[123461.881213]")

    assert write_instant(ring, EN) == "time unknown (boot clock [123461.881213])"
    assert write_instant(Instant(NOON, UNDATED_S, "unknown"), ZH) == "时间未知"
    assert write_known(None, EN) == "time unknown"
    assert write_known(NOON, EN, day=False) == "12:00:00Z"


def test_a_boot_clock_bounds_the_time_from_above() -> None:
    """The stamp itself stands beside the latest moment it can mean."""
    instant = Instant(NOON, UNKNOWN_BOOT_S, "unknown", "[123461.881213]")

    assert write_instant(instant, EN) == "≤ 12:00:00Z (boot clock [123461.881213])"


def test_a_stamp_of_another_zone_is_written_in_utc() -> None:
    """Display is UTC, whatever came in."""
    moment = datetime(2025, 6, 20, 20, tzinfo=timezone(timedelta(hours=8)))

    assert write_iso(moment) == "2025-06-20T12:00:00Z"


def test_delays_carry_sign_and_error() -> None:
    """An effect that seems to come before its cause shows."""
    assert write_delay(12, 1, EN) == "+11 s to 13 s"
    assert write_delay(30.9, 30.9, EN) == "within 1 min 2 s"
    assert write_delay(252, 14 * 3600, EN) == "delay unknown"
    assert write_delay(1825 * 86400, 1825 * 86400, EN) == "delay unknown"
    assert write_delay(2, 5, EN) == "−3 s to +7 s"
    assert write_delay(12, 1, ZH) == "+11 秒 至 13 秒"
    assert write_offset(-8, 1, EN) == "−8 s ±1 s"
    assert write_delay(-3, 0, EN) == "−3 s"


def test_windows_name_the_day_once() -> None:
    """An open end is an ellipsis; no window is said."""
    dash = "–"
    hour = Window(since=NOON, until=NOON + timedelta(hours=1))

    assert write_window(hour, EN) == f"2025-06-20 12:00:00Z {dash} 13:00:00Z"
    assert write_window(Window(since=NOON), EN) == f"2025-06-20 12:00:00Z {dash} …"
    assert write_window(Window(), EN) == "not bounded"
