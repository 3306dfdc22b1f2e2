from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, nan

import pytest

from knowledge.page import Operator
from knowledge.runs import extremes_of, may_satisfy, satisfied

START = datetime(2026, 1, 5, tzinfo=UTC)


@dataclass(frozen=True)
class Dot:
    at: datetime
    value: float


def series(*values: float, step_s: float = 60) -> list[Dot]:
    return [Dot(START + timedelta(seconds=step_s * n), value) for n, value in enumerate(values)]


@pytest.mark.parametrize(
    ("values", "for_s", "lengths"),
    [
        ((0, 1, 1, 0, 1), 0, [1, 0]),
        ((0, 1, 1, 0, 1), 60, [1]),
        ((1, nan, 1), 0, [0, 0]),
        ((0, 0), 0, []),
        ((), 0, []),
    ],
)
def test_stretches(values: tuple[float, ...], for_s: float, lengths: list[int]) -> None:
    """A sample that does not satisfy, or is not a number, ends a stretch."""
    found = satisfied(series(*values), ">", 0.5, for_s=for_s)
    assert [(run.last - run.start).total_seconds() / 60 for run in found] == lengths


def test_an_open_stretch_has_no_end() -> None:
    """The last sample still satisfies; the first one too, so the onset is unknown."""
    (run,) = satisfied(series(1, 2), ">", 0)
    assert (run.end, run.before) == (None, None)


def test_the_peak_is_farthest_beyond_the_threshold() -> None:
    """The maximum above, the minimum below."""
    assert satisfied(series(3, 9, 4), ">", 1)[0].peak == 9
    assert satisfied(series(3, 1, 4), "<", 5)[0].peak == 1


def test_a_gap_splits_a_stretch() -> None:
    """Nobody knows what was in between; coarse series are judged by their own step."""
    dots = series(1, 1)
    late = [Dot(dot.at + timedelta(hours=1), dot.value) for dot in dots]
    first, second = satisfied([*dots, *late], ">", 0)
    assert (first.end, second.before) == (None, None)
    assert len(satisfied(series(1, 1, 1, step_s=900), ">", 0)) == 1


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_what_cannot_hold_is_told_from_the_extremes(op: Operator) -> None:
    """Never of a series that has a stretch, not even beside values that are no number."""
    passed = 0
    for values in ((1, 2, 3), (2,), (nan, 2, 9), (-inf, inf), (nan,), ()):
        dots = series(*values)
        for threshold in (0, 1, 2, 3, 4):
            if not may_satisfy(extremes_of(dots), op, threshold):
                passed += 1
                assert not satisfied(dots, op, threshold)
    assert passed
