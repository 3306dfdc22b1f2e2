"""Stamps of logs: the form that is read at once, and those that are not."""

import pytest

from tools.request import Request
from tools.stamps import Dating


@pytest.mark.parametrize("fraction", ["1", "123", "123456", "123456789"])
def test_a_utc_stamp_is_read_alike_in_both_spellings_of_its_zone(fraction: str) -> None:
    """What container runtimes print is read by a shorter way than the same with an offset."""
    short, general = (
        Dating(Request()).iso(f"2025-06-20T10:23:15.{fraction}{zone}") for zone in ("Z", "+00:00")
    )
    assert short is not None
    assert general is not None
    assert (short.utc, short.uncertainty_s, short.zone) == (general.utc, 0.0, "stated")
    assert short.utc.tzinfo is general.utc.tzinfo


@pytest.mark.parametrize("text", ["2025-06-20T10:23:15Z", "2025-06-20T10:23:15.Z"])
def test_a_stamp_without_fraction_names_a_whole_second(text: str) -> None:
    """The moment lies somewhere in it."""
    instant = Dating(Request()).iso(text)
    assert instant is not None
    assert instant.uncertainty_s >= 1.0


def test_a_leap_second_is_read_as_the_second_before() -> None:
    """No calendar of the language holds it."""
    instant = Dating(Request()).iso("2016-12-31T23:59:60.500000Z")
    assert instant is not None
    assert instant.utc.second == 59


def test_a_day_that_does_not_exist_is_no_moment() -> None:
    """Neither way of reading finds one."""
    assert Dating(Request()).iso("2025-02-30T10:23:15.123456Z") is None
