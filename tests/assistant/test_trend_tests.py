"""The statistics of a few weeks."""

import pytest

from assistant.trend_tests import (
    Activity,
    activity_of,
    beyond,
    more_active,
    rising,
    serial_of,
    slope,
    spread_of,
    usual_share,
)


def test_the_chance_of_at_least_no_active_day_is_one() -> None:
    """It is a distribution: all outcomes together are certain, and each step is rarer."""
    chances = [more_active(Activity(k, 7), Activity(1, 21), 0.05) for k in range(8)]

    assert chances[0] == pytest.approx(1.0)
    assert chances == sorted(chances, reverse=True)


def test_a_quiet_past_makes_activity_rarer() -> None:
    """So does a quiet fleet."""
    now = Activity(4, 7)

    assert more_active(now, Activity(0, 21), 0.01) < more_active(now, Activity(6, 21), 0.01)
    assert more_active(now, Activity(0, 21), 0.01) < more_active(now, Activity(0, 21), 0.2)


def test_days_that_were_not_seen_do_not_count() -> None:
    """Neither as quiet nor as active."""
    assert activity_of([None, 0.0, 3.0, None]) == Activity(1, 2)
    assert usual_share([Activity(0, 9)]) == pytest.approx(0.05)


def test_mann_kendall_agrees_with_its_formula() -> None:
    """Ten rising values: S = 45, variance 125, z = 44 / sqrt(125), one-sided."""
    assert rising([float(n) for n in range(10)]) == pytest.approx(4.156e-5, rel=1e-2)
    assert rising([float(-n) for n in range(10)]) == 1.0
    assert rising([1.0] * 10) == 1.0


def test_days_that_resemble_each_other_weigh_less() -> None:
    """The same rise is less sure where a day repeats the one before."""
    values = [float(n) for n in range(10)]
    assert rising(values, 0.5) > rising(values)


def test_the_slope_bears_an_outlier() -> None:
    """Theil and Sen's is a median."""
    assert slope([0.0, 1.0, 2.0, 300.0, 4.0, 5.0, 6.0]) == pytest.approx(1.0)


def test_serial_correlation_is_told() -> None:
    """Alternating values have none, a slow wave has much, a constant none to tell."""
    wave = [0, 1, 2, 3, 2, 1, 0, -1, -2, -3, -2, -1, 0, 1, 2, 3]

    assert serial_of([float(n % 2) for n in range(16)]) == 0.0
    assert (serial_of([float(value) for value in wave]) or 0) > 0.5
    assert serial_of([1.0] * 16) is None


def test_a_rise_is_measured_by_the_fleets_own() -> None:
    """Half of the fleet may wear without hiding it; few devices tell no spread."""
    spread = spread_of([-1.0, 0.0, 1.0, -0.5, 0.5, 0.2, -0.2, 0.1, 30.0])

    assert spread is not None
    assert beyond(30.0, spread) < 1e-9
    assert beyond(0.5, spread) > 0.05
    assert spread_of([1.0, 2.0]) is None
