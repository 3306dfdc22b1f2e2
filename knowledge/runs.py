"""Stretches of samples that satisfy a comparison for long enough."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class Columns(Protocol):
    """Samples whose values lie side by side."""

    @property
    def values(self) -> Sequence[float]:
        """The values, in order of time."""


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
    held = samples.values if isinstance(samples, Columns) else None
    values = map(attrgetter("value"), samples) if held is None else held
    if not any(map(test, values, itertools.repeat(threshold))):
        return []
    limit = _patience(samples)
    return [
        run
        for run in _stretches(samples, op, threshold, limit)
        if (run.last - run.start).total_seconds() >= for_s
    ]


def _stretches(
    samples: Sequence[Point], op: Operator, threshold: float, limit: timedelta
) -> Iterator[Interval]:
    run: list[Point] = []
    before: Point | None = None
    for point in samples:
        if run and point.at - run[-1].at > limit:
            yield _interval(run, op, before, None)
            run, before = [], None
        if compare_numbers(point.value, op, threshold):
            run.append(point)
            continue
        if run:
            yield _interval(run, op, before, point)
            run = []
        before = point
    if run:
        yield _interval(run, op, before, None)


def _interval(run: list[Point], op: Operator, before: Point | None, end: Point | None) -> Interval:
    values = [point.value for point in run]
    return Interval(
        start=run[0].at,
        last=run[-1].at,
        end=end.at if end else None,
        peak=min(values) if op in {"<", "<="} else max(values),
        before=before.at if before else None,
    )


def _patience(samples: Sequence[Point]) -> timedelta:
    gaps = [(right.at - left.at).total_seconds() for left, right in itertools.pairwise(samples)]
    step = min((gap for gap in gaps if gap > 0), default=0.0)
    return timedelta(seconds=max(STALE_S, 2.5 * step))
