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
_FEWEST = 8
"""Days below which the normal approximation does not hold."""


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


def rising(values: Sequence[float | None], serial: float = 0.0) -> float:
    """Return the one-sided p of Mann and Kendall's test for a rise, ties corrected.

    Days that resemble the one before carry less: the variance is widened by the serial correlation
    (after Hamed and Rao, first lag only). It is the fleet's, because a device that wears shows its
    own rise as correlation.
    """
    points = [value for value in values if value is not None]
    count = len(points)
    if count < _FEWEST:
        return 1.0
    score = sum(_sign(later - earlier) for earlier, later in combinations(points, 2))
    variance = (count * (count - 1) * (2 * count + 5) - _tie_term(points)) / 18
    variance *= (1 + serial) / (1 - serial)
    if score <= 0 or variance <= 0:
        return 1.0
    return math.erfc((score - 1) / math.sqrt(2 * variance)) / 2


def serial_of(values: Sequence[float | None]) -> float | None:
    """Return how much a day resembles the one before when the slope is taken out, 0 to 0.9."""
    points = [(day, value) for day, value in enumerate(values) if value is not None]
    if len(points) < _FEWEST:
        return None
    steep = slope(values)
    left = [value - steep * day for day, value in points]
    middle = fmean(left)
    spread = sum((value - middle) ** 2 for value in left)
    if not spread:
        return None
    product = sum((a - middle) * (b - middle) for a, b in pairwise(left))
    return min(_MOST_SERIAL, max(0.0, product / spread))


def usual_serial(fleet: Sequence[Sequence[float | None]]) -> float:
    """Return the upper quartile over a fleet: most of its devices do not wear."""
    known = sorted(found for values in fleet if (found := serial_of(values)) is not None)
    return known[len(known) * 3 // 4] if known else 0.0


def spread_of(rises: Sequence[float]) -> tuple[float, float] | None:
    """Return middle and spread of a fleet's rises; None of fewer devices than tell a spread.

    The median of deviations bears that up to half of the fleet wears; it is widened by a quarter,
    because rises have longer tails than a normal distribution.
    """
    if len(rises) < _FEWEST:
        return None
    middle = median(rises)
    deviation = median(abs(rise - middle) for rise in rises)
    return middle, 1.25 * 1.4826 * deviation


def beyond(rise: float, spread: tuple[float, float]) -> float:
    """Return the one-sided p of a rise within a fleet's spread."""
    middle, width = spread
    if not width:
        return 0.0 if rise > middle else 1.0
    return math.erfc((rise - middle) / width / math.sqrt(2)) / 2


def slope(values: Sequence[float | None]) -> float:
    """Return Theil and Sen's slope, a day: the median over all pairs."""
    points = [(day, value) for day, value in enumerate(values) if value is not None]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points, 2)]
    return median(slopes) if slopes else 0.0


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
