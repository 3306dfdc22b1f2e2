"""Statistics of a few weeks of daily values: is a rise more than its usual noise?

Counts are judged by on how many days anything happened, because one bad hour can count thousands;
measured levels by ranks, because an outlier must not make a slope.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, median

PRIOR_DAYS = 10.0
"""How many days of a device's own history weigh as much as what is usual in its fleet."""
_HALF = 0.5
_MOST_SERIAL = 0.9


@dataclass(frozen=True, slots=True)
class Activity:
    """On how many days of how many something happened."""

    active: int
    days: int


def activity_of(increments: Sequence[float | None]) -> Activity:
    """Count the days that were seen, and those on which anything happened."""
    known = [value for value in increments if value is not None]
    return Activity(sum(1 for value in known if value > 0), len(known))


def more_active(recent: Activity, before: Activity, usual: float) -> float:
    """Return how likely so many active days are for a device that has not changed.

    Beta-binomial: the share of active days is drawn from a Beta whose mean is what is usual in the
    fleet and which the device's own earlier days then move; so a device of which little is known
    needs more to stand out, and a chronic one is measured by itself.
    """
    if not recent.days:
        return 1.0
    up = usual * PRIOR_DAYS + before.active
    down = (1 - usual) * PRIOR_DAYS + before.days - before.active
    days = recent.days
    tail = sum(
        math.exp(_log_choose(days, k) + _log_beta(k + up, days - k + down) - _log_beta(up, down))
        for k in range(recent.active, days + 1)
    )
    return min(1.0, tail)


def usual_share(fleet: Sequence[Activity]) -> float:
    """Return the share of active days in a fleet; half an event where there was none at all."""
    active, days = sum(one.active for one in fleet), sum(one.days for one in fleet)
    return min(0.99, (active + _HALF) / (days + 1))


def rising(values: Sequence[float | None]) -> float:
    """Return the one-sided p of Mann and Kendall's test for a rise, ties corrected.

    Days that resemble the one before carry less: the variance is widened by the serial correlation
    of what is left when the slope is taken out (after Hamed and Rao, first lag only).
    """
    points = [(day, value) for day, value in enumerate(values) if value is not None]
    count = len(points)
    if count < 8:  # noqa: PLR2004 -- below, the normal approximation does not hold
        return 1.0
    score = sum(_sign(b[1] - a[1]) for a, b in combinations(points, 2))
    ties = _tie_term([value for _, value in points])
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    variance *= _widening(points)
    if score <= 0 or variance <= 0:
        return 1.0
    return math.erfc((score - 1) / math.sqrt(2 * variance)) / 2


def slope(values: Sequence[float | None]) -> float:
    """Return Theil and Sen's slope, a day: the median over all pairs."""
    points = [(day, value) for day, value in enumerate(values) if value is not None]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2)]
    return median(slopes) if slopes else 0.0


def _widening(points: Sequence[tuple[int, float]]) -> float:
    steep = median((b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2))
    left = [value - steep * day for day, value in points]
    middle = fmean(left)
    spread = sum((value - middle) ** 2 for value in left)
    if not spread:
        return 1.0
    serial = sum((a - middle) * (b - middle) for a, b in pairwise(left)) / spread
    serial = min(_MOST_SERIAL, max(0.0, serial))
    return (1 + serial) / (1 - serial)


def _tie_term(values: Sequence[float]) -> int:
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return sum(n * (n - 1) * (2 * n + 5) for n in counts.values() if n > 1)


def _sign(difference: float) -> int:
    return (difference > 0) - (difference < 0)


def _log_choose(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
