"""Early warning is measured on generated fleets, and the measure itself is sound."""

import pytest

from evals.model import open_stream
from evals.trend_fleet import PER_DAY, SIGNALS, Ailment, make_fleet
from evals.trend_rates import Rate, alarms, lead_of, looks, measure_healthy


def test_every_signal_of_the_fleets_has_its_check() -> None:
    """Nothing is generated that nobody judges."""
    assert set(looks()) == set(SIGNALS)


def test_a_rate_carries_its_number_and_interval() -> None:
    """Wilson's interval of 1 in 100, to three digits."""
    rate = Rate("x", 1, 100)

    assert rate.interval == pytest.approx((0.00177, 0.05446), abs=1e-4)
    assert str(rate) == "x: 1/100 = 1.00% [0.18%, 5.45%]"
    assert Rate("x", 0, 0).interval == (0.0, 1.0)


def test_an_ailing_fleet_differs_in_one_device_only() -> None:
    """So what is warned of beside it is a false alarm."""
    ill = Ailment("trend-row-remaps", 3, 10.0, 8.0)
    well, worn = (make_fleet(open_stream("t", 1, "f"), 1, 20, one) for one in (None, ill))
    devices = list(well.values[ill.signal])
    differing = [
        (signal, labels)
        for signal in SIGNALS
        for labels in devices
        if well.values[signal][labels] != worn.values[signal][labels]
    ]
    assert differing == [(ill.signal, devices[3])]
    assert len(well.values[ill.signal][devices[0]]) == 20 * PER_DAY


def test_healthy_fleets_are_left_alone_most_times() -> None:
    """A handful of looks; `python -m evals.trend_rates` measures many."""
    rates = list(measure_healthy(3, seed=5))

    assert [rate.tries for rate in rates] == [3] * len(SIGNALS)
    assert sum(rate.hits for rate in rates) <= 2


def test_a_wearing_link_is_named_before_it_breaks() -> None:
    """Days before, by name."""
    lead = lead_of("trend-pcie-replays", "7")

    assert lead is not None
    assert lead > 1


def test_what_is_warned_of_says_since_when() -> None:
    """The counts of the last week and of the days before."""
    ill = Ailment("trend-link-errors", 2, 22.0, 14.0)
    fleet = make_fleet(open_stream("t", 2, "f"), 4, 29, ill)
    named = list(fleet.values[ill.signal])[2][0]
    found = alarms(fleet, ill.signal)

    assert named in {change.host for change in found}
    assert all("last 7 days" in change.text.en for change in found)
