"""Prometheus' functions over the samples of one series within a window.

The extrapolation follows `extrapolatedRate` in promql/functions.go of Prometheus 2.42: the window
is closed at both ends, and a counter is not extended below zero.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import isnan

_NEAR = 1.1
"""Within this many sample distances of the window's edge the series is taken to reach it."""


class Samples:
    """Values of one series with their epoch seconds, in order of time.

    Running totals are kept, so that a long window costs no more than a short one.
    """

    def __init__(self, times: list[float], values: list[float]) -> None:
        self.times = times
        self.values = values

    @cached_property
    def lost(self) -> list[float]:
        """What resets had taken from the counter, up to each sample."""
        return self._total(left if right < left else 0.0 for left, right in pairwise(self.values))

    @cached_property
    def changed(self) -> list[float]:
        """How often the value had changed, up to each sample."""
        return self._total(
            float(left != right and not (isnan(left) and isnan(right)))
            for left, right in pairwise(self.values)
        )

    def _total(self, steps: Iterable[float]) -> list[float]:
        return list(accumulate(steps, initial=0.0))

    def window(self, start: float, end: float) -> "Window":
        """Cut out the samples from `start` to `end`, both included."""
        first, after = bisect_left(self.times, start), bisect_right(self.times, end)
        return Window(self, first, after - 1, start, end)


@dataclass(frozen=True, slots=True)
class Window:
    """The samples from position `first` to `last` that lie between `start` and `end`."""

    samples: Samples
    first: int
    last: int
    start: float
    end: float

    @property
    def values(self) -> list[float]:
        """The values inside."""
        return self.samples.values[self.first : self.last + 1]


Function = Callable[[Window], float | None]


def increase(window: Window) -> float | None:
    """How much a counter grew, resets added back, extended to the window's edges."""
    if window.last <= window.first:
        return None
    samples, first, last = window.samples, window.first, window.last
    lost = samples.lost[last] - samples.lost[first]
    grown = samples.values[last] - samples.values[first] + lost
    sampled = samples.times[last] - samples.times[first]
    distance = sampled / (last - first)
    before, after = samples.times[first] - window.start, window.end - samples.times[last]
    if grown > 0 and samples.values[first] >= 0:
        before = min(before, sampled * (samples.values[first] / grown))
    covered = sampled + sum(
        edge if edge < distance * _NEAR else distance / 2 for edge in (before, after)
    )
    return grown * (covered / sampled)


def rate(window: Window) -> float | None:
    """Growth of a counter a second."""
    grown = increase(window)
    return None if grown is None else grown / (window.end - window.start)


def changes(window: Window) -> float | None:
    """How often the value changed."""
    if window.last < window.first:
        return None
    return window.samples.changed[window.last] - window.samples.changed[window.first]


def _over(fold: Callable[[list[float]], float]) -> Function:
    def apply(window: Window) -> float | None:
        return fold(window.values) if window.last >= window.first else None

    return apply


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


FUNCTIONS: Mapping[str, Function] = {
    "increase": increase,
    "rate": rate,
    "changes": changes,
    "avg_over_time": _over(_mean),
    "min_over_time": _over(min),
    "max_over_time": _over(max),
}
