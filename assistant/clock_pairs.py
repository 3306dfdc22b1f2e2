"""Offsets of hosts' clocks, from happenings that both they and others stamped."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from assistant.burst import Burst
from assistant.event import ClockCorrection
from assistant.zones import SLACK_S, Grouped, Happening, Written, between
from tools.evidence import Channel

_LAG_S = 45.0
"""How much later a controller may report what a host saw itself."""
_SAMPLED_S = 90.0
"""The same of a sample: an exporter's own pace and one more scrape than the samples show, for a
query's steps may be finer than the scrapes."""
_WAITS_S = 600.0
"""The same of an alert: its rule waits until the condition has held for a while."""
_LAGS: Mapping[Channel, float] = {"metric": _SAMPLED_S, "alert": _WAITS_S}
_NEAR_S = 900.0
"""Pairs farther apart than this are two happenings, unless their zone is in question."""
_ENOUGH = 2
"""Happenings that tell an offset, where any one of them may be a mistake."""
_LOGS: frozenset[Channel] = frozenset({"kernel", "service"})


@dataclass(frozen=True, slots=True)
class _Met:
    """One happening that a host's clock and others stamped."""

    low: float
    high: float
    """What is to be added to the host's clock lies between."""
    evidence: frozenset[str]
    proves: bool
    """No delay and no mistake explains it, only the clock."""


def compare(
    sure: Sequence[Burst], known: set[str], begun: Mapping[Written, datetime]
) -> Iterator[ClockCorrection]:
    """Compare each host's clock with those of controllers and scrapers over shared happenings.

    Args:
        sure: what clocks of known zone stamped.
        known: clocks whose offset was measured.
        begun: the first stamp of each clock in each capture.
    """
    hosts, others = _by_happening(sure)
    met: dict[str, list[_Met]] = defaultdict(list)
    for happening, own in hosts.items():
        for burst in own:
            told = _meet(burst, own, others.get(happening, ()), begun)
            if told is not None and burst.clock not in known:
                met[burst.clock].append(told)
    for clock, found in met.items():
        yield from _conclude(clock, found)


def _by_happening(sure: Iterable[Burst]) -> tuple[Grouped, Grouped]:
    hosts: dict[Happening, list[Burst]] = defaultdict(list)
    others: dict[Happening, list[Burst]] = defaultdict(list)
    for burst in sure:
        side = hosts if burst.clock.startswith("host:") else others
        side[(burst.page, burst.entity)].append(burst)
    return hosts, others


def _meet(
    burst: Burst,
    own: Sequence[Burst],
    others: Sequence[Burst],
    begun: Mapping[Written, datetime],
) -> _Met | None:
    """Bound the offset by all that others tell of a happening."""
    near = list(_near(burst, others))
    if not near:
        return None
    bounds = [_bounds(burst, other) for other in near]
    return _Met(
        low=max(low for low, _ in bounds),
        high=min(high for _, high in bounds),
        evidence=frozenset(other.places[0].evidence for other in near),
        proves=any(_follows(burst, own, other, begun) for other in near),
    )


def _near(burst: Burst, others: Sequence[Burst]) -> Iterator[Burst]:
    """Yield what one way of reporting told nearby once; told twice, it may mean either."""
    by_way: dict[tuple[str, frozenset[Channel]], list[Burst]] = defaultdict(list)
    for other in others:
        if abs(between(burst, other)) <= _NEAR_S + other.before_s and other.before_s <= _NEAR_S:
            by_way[other.clock, frozenset(other.channels)].append(other)
    return (told[0] for told in by_way.values() if len(told) == 1)


def _bounds(burst: Burst, other: Burst) -> tuple[float, float]:
    """Between which offsets the two reports are of one moment: the other may lag, not lead."""
    apart = between(burst, other)
    blur = burst.first.uncertainty_s + other.first.uncertainty_s + SLACK_S
    lag = max(_LAGS.get(channel, _LAG_S) for channel in other.channels)
    return apart - other.before_s - lag - blur, apart + burst.before_s + blur


def _follows(
    burst: Burst, own: Sequence[Burst], other: Burst, begun: Mapping[Written, datetime]
) -> bool:
    """Tell whether a report came before the very line of the host's log that it repeats.

    There is one such line, and the log was already being written when it was due.
    """
    low, high = _bounds(burst, other)
    if not other.echo or not burst.channels & _LOGS or high >= 0.0:
        return False
    due = burst.first.utc + timedelta(seconds=low)
    since = begun.get((burst.clock, burst.places[0].evidence))
    alike = [b for b in own if b.clock == burst.clock and abs(between(b, other)) <= _NEAR_S]
    return since is not None and since <= due and len(alike) == 1


def _conclude(clock: str, found: Sequence[_Met]) -> Iterator[ClockCorrection]:
    """Yield the offset on which all happenings agree, unless delays explain them all.

    One happening tells enough where a report of it came before the line that it repeats.
    """
    low, high = max(met.low for met in found), min(met.high for met in found)
    enough = len(found) >= _ENOUGH or found[0].proves
    if low > high or low <= 0.0 <= high or not enough:
        return
    many = "happenings" if len(found) > 1 else "happening"
    yield ClockCorrection(
        clock=clock,
        offset_s=round((low + high) / 2, 1),
        uncertainty_s=round((high - low) / 2, 1),
        evidence=tuple(sorted(frozenset[str]().union(*(met.evidence for met in found)))),
        why=f"{len(found)} {many} that another clock stamped too",
    )
