"""Stretches of samples that satisfy a comparison for long enough."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from knowledge.conditions import COMPARISONS, compare_numbers
from knowledge.page import Operator

STALE_S = 300.0
"""After this long without a sample Prometheus itself treats a series as gone."""


class Point(Protocol):
    """A value at a moment."""

    @property
    def at(self) -> datetime:
        """When it was so, aware."""

    @property
    def value(self) -> float:
        """What it was."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A stretch: `end` is the first sample that no longer satisfies, None when there is none.

    `before` is the last sample seen not to satisfy, so the onset lies in (before, start];
    `peak` is the value farthest beyond the threshold.
    """

    start: datetime
    last: datetime
    end: datetime | None
    peak: float
    before: datetime | None = None


def satisfied(
    samples: Sequence[Point], op: Operator, threshold: float, *, for_s: float = 0.0
) -> list[Interval]:
    """Return the stretches, at least `for_s` long, over which every sample satisfies the test."""
    test = COMPARISONS[op]
    times, values = columns(samples)
    if not any(map(test, values, itertools.repeat(threshold))):
        return []
    return [
        _interval(samples, values, stretch, op)
        for stretch in _stretches(times, values, op, threshold)
        if times[stretch.last] - times[stretch.first] >= for_s
    ]


def columns(samples: Sequence[Point]) -> tuple[Sequence[float], Sequence[float]]:
    """Return epoch seconds and values; samples that lie in columns are not taken apart."""
    times: Sequence[float] | None = getattr(samples, "times", None)
    values: Sequence[float] | None = getattr(samples, "values", None)
    if times is not None and values is not None:
        return times, values
    return [sample.at.timestamp() for sample in samples], [sample.value for sample in samples]


def extremes_of(samples: Sequence[Point]) -> tuple[float, float]:
    """Return the least and the greatest value; without bounds where one is no number."""
    _, values = columns(samples)
    total = sum(values)
    if not values or math.isnan(total):
        return -math.inf, math.inf
    return min(values), max(values)


def may_satisfy(extremes: tuple[float, float], op: Operator, threshold: float) -> bool:
    """Tell from the least and the greatest value whether any may satisfy the test."""
    least, greatest = extremes
    if op == "==":
        return least <= threshold <= greatest
    if op == "!=":
        return not least == greatest == threshold
    return compare_numbers(least if op in {"<", "<="} else greatest, op, threshold)


class _Stretch(NamedTuple):
    """Positions of a stretch's ends, and of what was seen before and after it."""

    first: int
    last: int
    before: int | None
    end: int | None


def _stretches(
    times: Sequence[float], values: Sequence[float], op: Operator, threshold: float
) -> Iterator[_Stretch]:
    limit = _patience(times)
    first: int | None = None
    before: int | None = None
    for place, value in enumerate(values):
        if first is not None and times[place] - times[place - 1] > limit:
            yield _Stretch(first, place - 1, before, None)
            first = before = None
        if compare_numbers(value, op, threshold):
            first = place if first is None else first
            continue
        if first is not None:
            yield _Stretch(first, place - 1, before, place)
            first = None
        before = place
    if first is not None:
        yield _Stretch(first, len(values) - 1, before, None)


def _interval(
    samples: Sequence[Point], values: Sequence[float], stretch: _Stretch, op: Operator
) -> Interval:
    within = values[stretch.first : stretch.last + 1]
    return Interval(
        start=samples[stretch.first].at,
        last=samples[stretch.last].at,
        end=None if stretch.end is None else samples[stretch.end].at,
        peak=min(within) if op in {"<", "<="} else max(within),
        before=None if stretch.before is None else samples[stretch.before].at,
    )


def _patience(times: Sequence[float]) -> float:
    """Return the seconds after which a series without a sample is taken to have ended."""
    gaps = (right - left for left, right in itertools.pairwise(times))
    step = min((gap for gap in gaps if gap > 0), default=0.0)
    return max(STALE_S, 2.5 * step)
