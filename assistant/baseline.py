"""What was there before: the fault's window, chronic noise, and hosts already in repair."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import timedelta

from assistant.burst import UNKNOWN_ONSET_S, Burst
from assistant.event import Event
from assistant.ledger import Spanned
from knowledge.catalog import Catalog
from knowledge.page import Severity
from tools.evidence import Window

CALM_S = 1800.0
"""A pause after which a new disturbance begins."""
BASELINE_S = 86400.0
_LIKE = 3.0
"""Up to this many times the earlier rate is the same noise."""
_HABIT = 2
"""Occurrences before the window that make a habit."""
_LEAST_HOURS = 0.25
_WEIGHTS: dict[Severity, float] = {"critical": 4.0, "error": 2.0, "warning": 0.5, "info": 0.0}
_ASIDE = frozenset({"node-cordoned", "node-drained", "node-in-repair"})

_Mark = tuple[float, float, float]
"""Begin, finish (both epoch seconds) and weight."""


def disturbance(
    sightings: Sequence[Burst] | Sequence[Event], catalog: Catalog | None = None
) -> tuple[float, float] | None:
    """Return begin and end, in epoch seconds, of the densest stretch of damage and alarms.

    Bursts need the catalog to tell how grave they are; events know it themselves.
    """
    marks = sorted(_marks(sightings, catalog))
    best: tuple[float, float, float] | None = None
    current: list[float] = []
    for begin, finish, weight in marks:
        if current and begin - current[1] <= CALM_S:
            current[1] = max(current[1], finish)
            current[2] += weight
        else:
            current = [begin, finish, weight]
        # The later of two equal ones: people report what has just happened.
        if best is None or current[2] >= best[2]:
            best = (current[0], current[1], current[2])
    return None if best is None else best[:2]


def _marks(
    sightings: Sequence[Burst] | Sequence[Event], catalog: Catalog | None
) -> Iterable[_Mark]:
    for item in sightings:
        if isinstance(item, Event):
            weight = _weight(item.role, item.severity, item.damage)
            begin, sure = item.start, item.start.zone != "unknown"
        else:
            page = catalog.pages[item.page] if catalog else None
            if page is None:
                continue
            weight = _weight(page.role, item.severity or page.severity, page.damage)
            begin, sure = item.first, item.timed
        if weight and sure and item.before_s < UNKNOWN_ONSET_S / 2:
            yield begin.utc.timestamp(), item.last.utc.timestamp(), weight


def _weight(role: str, severity: Severity, damage: int) -> float:
    if role in {"benign", "change", "context"}:
        return 0.0
    return _WEIGHTS[severity] + 3.0 * damage


def mark_baseline(events: Sequence[Event], window: Window, spans: Sequence[Spanned]) -> list[Event]:
    """Set the earlier rate of each condition, and mark as chronic what only goes on as before."""
    if window.since is None:
        return list(events)
    hours = _hours_before(window, spans)
    earlier = _earlier(events, window)
    lasted = _hours_inside(window)
    return [_rated(event, window, earlier, (hours, lasted)) for event in events]


def _rated(
    event: Event,
    window: Window,
    earlier: dict[tuple[str, str], int],
    hours: tuple[float, float],
) -> Event:
    own = earlier.get((event.page, event.entity.key), 0)
    peers = [count for (page, _), count in earlier.items() if page == event.page]
    usual = max(own, sum(peers) / len(peers) if len(peers) >= _HABIT else 0.0)
    if not usual:
        return event
    rate = usual / hours[0]
    inside = window.since is not None and event.latest >= window.since.timestamp()
    now = event.count / max(hours[1], _LEAST_HOURS)
    chronic = usual >= _HABIT and (not inside or now <= _LIKE * rate)
    return event.model_copy(update={"baseline_rate": rate, "chronic": chronic})


def _earlier(events: Sequence[Event], window: Window) -> dict[tuple[str, str], int]:
    """Count occurrences of each condition on each thing in the day before the window."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    if window.since is None:
        return counts
    until = window.since.timestamp()
    for event in events:
        if until - BASELINE_S <= event.latest < until and event.before_s < BASELINE_S:
            counts[event.page, event.entity.key] += event.count
    return counts


def _hours_before(window: Window, spans: Sequence[Spanned]) -> float:
    """How much of the day before the window any log shows."""
    if window.since is None:
        return _LEAST_HOURS
    firsts = [span.first.utc for span in spans if span.first is not None]
    since = max(min(firsts, default=window.since), window.since - timedelta(seconds=BASELINE_S))
    return max((window.since - since).total_seconds() / 3600, _LEAST_HOURS)


def _hours_inside(window: Window) -> float:
    if window.since is None or window.until is None:
        return _LEAST_HOURS
    return (window.until - window.since).total_seconds() / 3600


def mark_known(events: Sequence[Event], window: Window) -> list[Event]:
    """Mark everything on hosts that were set aside, with a reason, before the window began."""
    if window.since is None:
        return list(events)
    begin = window.since.timestamp()
    aside = {
        anchor.id
        for event in events
        if event.page in _ASIDE and event.latest < begin <= event.finish
        for anchor in event.anchors
        if anchor.kind == "node"
    }
    if not aside:
        return list(events)
    return [
        event.model_copy(update={"known": True}) if _lies_on(event, aside) else event
        for event in events
    ]


def _lies_on(event: Event, nodes: set[str]) -> bool:
    own = {anchor.id for anchor in event.anchors if anchor.kind == "node"}
    return bool(own) and own <= nodes
