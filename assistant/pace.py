"""How fast work went on, and when it fell far behind its own pace."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from assistant.burst import PACE_S, quarter_of
from assistant.event import Event, Slowdown

MANY = 10
"""Fewer steps than this in a quarter of an hour show no pace."""
SLOWER = 3.0
"""So many times slower than its best half hour is no longer the usual pace."""


def find_slowdowns(events: Iterable[Event], working: Collection[str]) -> tuple[Slowdown, ...]:
    """Return the stretches in which a job went on, but far slower than it had or has since.

    The measure is the job's best half hour, so that what began slow and stayed so has none. Half an
    hour must be slow as a whole: saving a checkpoint takes its minutes.
    """
    found = []
    for job, counts in sorted(_steps(events, working).items()):
        # The first and the last quarter are rarely whole.
        whole = sorted(counts)[1:-1]
        halves = [(a, counts[a] + counts[b]) for a, b in pairwise(whole) if b == a + 1]
        best = max((steps for _, steps in halves), default=0)
        slow = [a for a, steps in halves if best >= 2 * MANY and steps * SLOWER < best]
        found += [_slowdown(job, a) for a in slow]
    return tuple(found)


def _slowdown(job: str, quarter: int) -> Slowdown:
    begin, end = (datetime.fromtimestamp(q * PACE_S, UTC) for q in (quarter, quarter + 2))
    return Slowdown(job=job, since=begin, until=end)


def _steps(events: Iterable[Event], working: Collection[str]) -> Mapping[str, Counter[int]]:
    """Count each job's steps by quarter of an hour since the epoch."""
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for event in events:
        if event.page in working and event.start.dated:
            found[event.worker].update(event.pace or _spread(event))
    return found


def _spread(event: Event) -> Mapping[int, int]:
    """Share the steps of less than a quarter of an hour between the two that it may touch."""
    first, last = quarter_of(event.start.utc), quarter_of(event.last.utc)
    if first == last:
        return {first: event.count}
    begin, end = event.start.utc.timestamp(), event.last.utc.timestamp()
    early = round(event.count * (last * PACE_S - begin) / (end - begin))
    return {first: early, last: event.count - early}
