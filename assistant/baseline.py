"""What was there before: the fault's window, chronic noise, and hosts already in repair."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assistant.burst import PACE_S, Burst
from assistant.event import Event
from assistant.ledger import Spanned
from assistant.repair import latest_boots, undone
from knowledge.catalog import Catalog
from knowledge.page import Severity
from tools.evidence import Channel, Window

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
CALM_S = 1800.0
"""A pause after which a new disturbance begins."""
BASELINE_S = 86400.0
_LIKE = 3.0
"""Up to this many times the earlier rate is the same noise."""
_VAGUE_S = 900.0
"""A state whose onset is less sure than this does not say when anything broke."""
_HABIT = 2
"""Separate occurrences before the window that make a habit, if they lie apart."""
_SPREAD_S = 1800.0
_GRACE_S = 600.0
"""What was still going on this shortly before the window belongs to the fault, not to its past."""
_SNAPSHOTS: frozenset[Channel] = frozenset({"object", "reading"})
"""Seen last means captured last there: it says nothing of how long the disturbance went on."""
_RATED = frozenset({"root", "mechanism", "symptom", "change", "unread"})
_LEAST_HOURS = 0.25
_HUM_S = 6 * 3600.0
"""What goes on at one rate for so long is no fault of the hour; people ask late of younger ones."""
_STOPS_WORK = 2
"""Damage that nobody lives with for hours, however steady."""
_WEIGHTS: dict[Severity, float] = {"critical": 4.0, "error": 2.0, "warning": 0.5, "info": 0.0}
_ASIDE = frozenset({"node-cordoned", "node-drained", "node-in-repair"})

_MANY = 10
"""Fewer occurrences than this show no trend."""

Thing = tuple[str, str]
"""A page and the key of an entity."""
_Mark = tuple[float, float, float]
"""Begin, finish (both epoch seconds) and weight."""
_Judged = tuple[float, float, float, bool]
"""A mark, and whether it is only what was always so."""


@dataclass(frozen=True, slots=True)
class Disturbance:
    """The densest stretch of damage and alarms, in epoch seconds."""

    since: float
    onsets_until: float
    """The last time that something new broke."""
    until: float
    weight: float


def disturbance(
    sightings: Sequence[Burst] | Sequence[Event], catalog: Catalog | None = None
) -> Disturbance | None:
    """Find the densest stretch of damage and alarms.

    Bursts need the catalog to tell how grave they are; events know it themselves.
    """
    best: Disturbance | None = None
    current: Disturbance | None = None
    for begin, finish, weight in _telling(sightings, catalog):
        if current is not None and begin - current.until <= CALM_S:
            until = max(current.until, finish)
            current = Disturbance(current.since, begin, until, current.weight + weight)
        else:
            current = Disturbance(begin, begin, finish, weight)
        # The later of two equal ones: people report what has just happened.
        if best is None or current.weight >= best.weight:
            best = current
    return best


def _telling(sightings: Sequence[Burst] | Sequence[Event], catalog: Catalog | None) -> list[_Mark]:
    """Return the marks that say when things broke, in order of time.

    Warnings that trickle for days, and what hums since yesterday, would draw the window out to
    where they began, and what has long run again would draw it away from what has not: they count
    where there is nothing else.
    """
    marks = sorted(_marks(sightings, catalog))
    grave = [mark for mark in marks if mark[2] >= _WEIGHTS["error"]]
    fresh = [mark for mark in grave if not mark[3]]
    return [mark[:3] for mark in fresh or grave or marks]


def _marks(
    sightings: Sequence[Burst] | Sequence[Event], catalog: Catalog | None
) -> Iterable[_Judged]:
    newest = max((item.last.utc for item in sightings if item.last.dated), default=EPOCH)
    boots = latest_boots(item for item in sightings if isinstance(item, Event))
    for item in sightings:
        if isinstance(item, Event):
            weight = _weight(item.role, item.severity, item.damage)
            begin, sure = item.start, item.start.zone != "unknown"
            usual = item.chronic or item.known or hums(item.pace, item.damage)
            usual = usual or undone(item, newest, boots)
        else:
            page = catalog.pages[item.page] if catalog else None
            if page is None:
                continue
            weight = _weight(page.role, item.severity or page.severity, page.damage)
            begin, sure = item.first, item.timed
            usual = hums(item.pace, page.damage)
        if weight and sure and begin.dated and item.before_s <= _VAGUE_S:
            last = begin if item.channels & _SNAPSHOTS else item.last
            yield begin.utc.timestamp(), last.utc.timestamp(), weight, usual


def alarming(catalog: Catalog) -> frozenset[str]:
    """Return the pages whose conditions mark a disturbance."""
    return frozenset(
        page.id
        for page in catalog.pages.values()
        if _weight(page.role, page.severity, page.damage) >= _WEIGHTS["error"]
    )


def _weight(role: str, severity: Severity, damage: int) -> float:
    if role in {"benign", "change", "context", "unread"}:
        return 0.0
    return _WEIGHTS[severity] + 3.0 * damage


def hums(pace: Mapping[int, int], damage: int) -> bool:
    """Tell whether something went on for hours, no oftener at the end than at the beginning."""
    if not pace or damage >= _STOPS_WORK:
        return False
    low, high = min(pace), max(pace)
    quarter = max(1, (high - low) // 4)
    first = sum(count for at, count in pace.items() if at < low + quarter)
    last = sum(count for at, count in pace.items() if at > high - quarter)
    return (high - low) * PACE_S >= _HUM_S and last < _LIKE * first


class Habits:
    """How often each condition occurred in the day before, on each thing and on its peers.

    A habit takes several occurrences spread over time: a fault that began shortly before the
    window asked for is no habit, however many lines it printed.
    """

    def __init__(self, events: Sequence[Event], window: Window, spans: Sequence[Spanned]) -> None:
        self._begin = window.since.timestamp() if window.since else float("-inf")
        self._inside = max(_hours_inside(window), _LEAST_HOURS)
        self._hours = _hours_before(window, spans)
        own: dict[Thing, list[Event]] = defaultdict(list)
        begun: dict[Thing, list[Event]] = defaultdict(list)
        for event in events:
            if event.role not in _RATED or event.before_s >= BASELINE_S:
                continue
            if event.latest < self._begin - _GRACE_S:
                begun[event.page, event.entity.key].append(event)
            if self._is_before(event):
                own[event.page, event.entity.key].append(event)
        self.rising = {thing for thing, group in begun.items() if _rises(group)}
        """What came more and more often: a precursor, no noise."""
        recent = {thing: [e for e in own[thing] if self._is_recent(e)] for thing in own}
        pages: dict[str, list[list[Event]]] = defaultdict(list)
        for group in filter(None, recent.values()):
            pages[_kind(group[0])].append(group)
        self._own = {thing: _habit(group) for thing, group in recent.items()}
        self._peers = {page: _fleet_habit(groups) for page, groups in pages.items()}

    def rate(self, event: Event) -> Event:
        """Return the event with its earlier rate, chronic if it only goes on as before."""
        thing = (event.page, event.entity.key)
        usual = max(self._own.get(thing, 0.0), self._peers.get(_kind(event), 0.0))
        rate = max(usual / self._hours, self._hum_rate(event))
        if not rate or event.role not in _RATED or _stays(event):
            return event
        until = self._begin + self._inside * 3600
        inside = self._count(event, self._begin, until) if event.pace else event.count
        as_before = self._is_before(event) or inside / self._inside <= _LIKE * rate
        chronic = as_before and thing not in self.rising
        return event.model_copy(update={"baseline_rate": rate, "chronic": chronic})

    def _hum_rate(self, event: Event) -> float:
        """Return how often an hour it came before the window, if it then went on for hours."""
        since = max(event.latest, self._begin - BASELINE_S)
        if not event.pace or event.damage >= _STOPS_WORK or self._begin - since < _HUM_S:
            return 0.0
        return self._count(event, since, self._begin) / ((self._begin - since) / 3600)

    def _count(self, event: Event, low: float, high: float) -> int:
        """Count the occurrences between two times, to the quarter of an hour."""
        return sum(n for at, n in event.pace.items() if low - PACE_S < at * PACE_S <= high - PACE_S)

    def _is_before(self, event: Event) -> bool:
        return event.last.utc.timestamp() < self._begin - _GRACE_S

    def _is_recent(self, event: Event) -> bool:
        return event.last.utc.timestamp() >= self._begin - BASELINE_S - _GRACE_S


def _kind(event: Event) -> str:
    """Tell what makes another thing's occurrence the same: the page; if unread, also who wrote."""
    unread = event.role == "unread"
    return f"{event.page} {event.entity.id.rpartition('/')[2]}" if unread else event.page


def _stays(event: Event) -> bool:
    """Tell whether a change still holds: a roll-out reaches host after host and is no habit."""
    return event.role == "change" and event.end is None


def _rises(group: Sequence[Event]) -> bool:
    """Whether the last quarter of a history has several times the occurrences of the first."""
    begin = group[0].latest
    end = max(event.last.utc.timestamp() for event in group)
    quarter = (end - begin) / 4
    first = sum(_occurrences(event, begin, begin + quarter) for event in group)
    last = sum(_occurrences(event, end - quarter, end) for event in group)
    return quarter >= _SPREAD_S and last >= _MANY and last >= _LIKE * first


def _occurrences(event: Event, low: float, high: float) -> float:
    """How many of an event's lines lie in a span, as if they came evenly."""
    begin, end = event.latest, event.last.utc.timestamp()
    if event.pace:
        return sum(count for at, count in event.pace.items() if low <= at * PACE_S <= high)
    if end <= begin:
        return event.count if low <= begin <= high else 0.0
    return event.count * max(0.0, min(end, high) - max(begin, low)) / (end - begin)


def _habit(group: Sequence[Event]) -> float:
    """Return how often one thing did it; nothing if that was one episode."""
    if not group:
        return 0.0
    spread = group[-1].latest - group[0].latest
    return sum(e.count for e in group) if len(group) >= _HABIT and spread >= _SPREAD_S else 0.0


def _fleet_habit(groups: Sequence[Sequence[Event]]) -> float:
    """Return how often a thing of the fleet did it on average, if many did and not all at once."""
    groups = [group for group in groups if group]
    starts = [event.latest for group in groups for event in group]
    if len(starts) < 2 * _HABIT or len(groups) < _HABIT or max(starts) - min(starts) < _SPREAD_S:
        return 0.0
    return sum(event.count for group in groups for event in group) / len(groups)


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
