"""What rises over weeks is told from what only looks so."""

from collections.abc import Callable, Sequence

import pytest

from assistant.inspection_seen import Seen
from assistant.trend import DAY_S, NEEDED_DAYS, Change, judge_trend
from knowledge.inspection import TrendLook, load_inspections
from tools.evidence import Series
from tools.samples import Samples

START = 1_750_000_000.0
DAYS = 28
LOOKS = {
    each.id: look
    for each in load_inspections()
    for look in each.looks
    if isinstance(look, TrendLook)
}
COUNTER, LEVEL = LOOKS["trend-pcie-replays"], LOOKS["trend-gpu-temperature"]
Shape = Callable[[int], float]


def judge(look: TrendLook, shapes: Sequence[Shape], days: int = DAYS) -> list[Change]:
    """Judge one device for each shape, which gives its value by the day; two hosts."""
    seen = Seen()
    for number, shape in enumerate(shapes):
        times = [START + DAY_S * day for day in range(days)]
        labels = {"Hostname": f"n{number % 2}", "UUID": f"GPU-{number}"}
        values = [float(shape(day)) for day in range(days)]
        seen.series[look.query].append(Series("E1", look.query, labels, Samples(times, values)))
    return list(judge_trend(look, seen))


def quiet(_day: int) -> float:
    return 40.0


def rest(count: int = 15) -> list[Shape]:
    return [quiet] * count


def warned(changes: Sequence[Change]) -> list[str]:
    return [each.subject for each in changes if each.level == "warning"]


def test_a_counter_that_begins_to_count_every_day_is_told() -> None:
    """Quiet for three weeks, then every day of the last one."""
    changes = judge(COUNTER, [lambda day: 40.0 + max(0, day - 20) * 30, *rest()])

    assert warned(changes) == ["n0 GPU-0"]
    assert changes[0].values["active"] == 7
    assert changes[0].evidence == ("E1",)


def test_one_bad_day_is_no_trend() -> None:
    """However many it counted: one burst is one happening."""
    changes = judge(COUNTER, [lambda day: 40.0 + (5000 if day >= 25 else 0), *rest()])

    assert warned(changes) == []
    assert [each.level for each in changes] == ["ok"]


def test_a_device_that_always_counted_is_measured_by_itself() -> None:
    """A chronic link that counts as much as ever is no news."""
    changes = judge(COUNTER, [lambda day: 60.0 * day, *rest()])

    assert warned(changes) == []


def test_a_counter_that_starts_anew_lost_nothing() -> None:
    """A boot sets it to zero: that is no fall and no rise."""
    changes = judge(COUNTER, [lambda day: 9000.0 if day < 24 else 0.0, *rest()])

    assert warned(changes) == []


def test_a_gpu_that_grows_hotter_than_its_fleet_is_told() -> None:
    """By a degree a day in the last ten; the others keep their spread."""

    def steady(number: int) -> Shape:
        return lambda day: 60.0 + number % 5 + 0.3 * ((day * 7 + number * 3) % 5)

    ill: Shape = lambda day: steady(3)(day) + max(0, day - 17)  # noqa: E731 -- one line, used once
    changes = judge(LEVEL, [ill, *map(steady, range(15))])

    assert warned(changes) == ["n0 GPU-0"]
    assert float(str(changes[0].values["rise"])) > 5


def test_a_warm_season_heats_all_and_is_no_fault_of_one() -> None:
    """What all do is taken out."""
    changes = judge(LEVEL, [lambda day: 50.0 + 0.8 * day] * 16)

    assert warned(changes) == []


@pytest.mark.parametrize("look", [COUNTER, LEVEL])
def test_too_few_days_are_unknown(look: TrendLook) -> None:
    """A week of samples tells nothing of weeks, and says so."""
    (change,) = judge(look, rest(), NEEDED_DAYS - 4)

    assert change.level == "unknown"
    assert "are needed" in change.text.en


def test_no_samples_are_unknown() -> None:
    """A metric that nobody exports is not a metric that did not rise."""
    (change,) = judge_trend(COUNTER, Seen())

    assert change.level == "unknown"


def test_samples_under_the_metrics_own_name_do_too() -> None:
    """A loose file of samples has no name of a query."""
    seen = Seen()
    times = [START + DAY_S * day for day in range(DAYS)]
    name = COUNTER.metrics[0]
    seen.series[name].append(Series("E1", name, {"UUID": "GPU-0"}, Samples(times, [1.0] * DAYS)))

    assert [each.level for each in judge_trend(COUNTER, seen)] == ["ok"]
