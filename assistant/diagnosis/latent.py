"""Causes that nobody printed, inferred from several victims of one shared thing.

Only over effects that have no observed cause, from enough distinct entities, and only if the
members of the same dependency were not seen unaffected at the same time.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assistant.diagnosis.case import hosts_of
from assistant.diagnosis.graph import Graph, anchor_kind
from assistant.event import Anchor, Event
from assistant.sight import Sight
from assistant.topology import Topology
from knowledge.page import Inference, Page
from tools.entity import ENTITY_KINDS, Entity
from tools.evidence import Instant

EXPLAINED = 0.4
"""An effect with an observed root of at least this strength above it needs no inferred one."""
AT_ONCE_S = 10.0
"""Two victims are enough where they lost what they share within so many seconds."""
_MICRO = timedelta(microseconds=1)
PAIR = 2
UNNAMED = "?"
MOST_NAMED = 3
"""So many victims stand for what they share, where nobody names it."""
UNAFFECTED_SHARE = 0.34
"""More unaffected members than this contradict a failure of what they share."""
Hub = tuple[str, str]
"""Kind and identity of what is shared."""


@dataclass(frozen=True, slots=True)
class LatentCause:
    """An inferred root with the effects it was inferred from."""

    event: Event
    effects: tuple[str, ...]
    affected: frozenset[str]
    unaffected: frozenset[str]
    thin: bool = False
    """Whether it rests on fewer victims than its page asks, and only on their losing it at once."""
    named: bool = True
    """Whether evidence tells which one thing the victims share."""

    @property
    def contradicted(self) -> bool:
        """Whether too many members of the dependency were seen unaffected."""
        total = len(self.affected) + len(self.unaffected)
        return bool(total) and len(self.unaffected) / total > UNAFFECTED_SHARE


def infer_latent(
    graph: Graph,
    pages: Mapping[str, Page],
    *,
    collateral: Mapping[str, str],
    topology: Topology,
    sight: Sight,
) -> list[LatentCause]:
    """Return the inferred causes that the rules allow, strongest support first."""
    explained = _explained(graph, pages)
    found = []
    for page in pages.values():
        if page.infer is None:
            continue
        for hub, effects in _groups(graph, page.infer, collateral, explained).items():
            latent = _latent(page, hub, effects, topology=topology, sight=sight, pages=pages)
            if latent is not None:
                found.append(latent)
    return sorted(found, key=lambda item: -len(item.affected))


def _explained(graph: Graph, pages: Mapping[str, Page]) -> set[str]:
    """Return effects that an observed root or change reaches by one strong link."""
    return {
        edge.effect
        for edges in graph.out.values()
        for edge in edges
        if edge.strength >= EXPLAINED and _is_head(graph.events[edge.cause], pages)
    }


def _is_head(event: Event, pages: Mapping[str, Page]) -> bool:
    return pages[event.page].role in {"root", "change"} and not event.chronic


def _groups(
    graph: Graph, rule: Inference, collateral: Mapping[str, str], explained: set[str]
) -> dict[Hub, list[Event]]:
    kind = anchor_kind(rule.over)
    groups: dict[Hub, list[Event]] = defaultdict(list)
    for event in graph.events.values():
        if event.page not in rule.effects or event.id in collateral or event.id in explained:
            continue
        if event.chronic or event.known or event.benign:
            continue
        if rule.needs.get(event.page, event.page) not in {event.page, *event.fields}:
            continue
        hubs = {a.id for a in (*event.anchors, *event.peers) if a.kind == kind}
        for hub in hubs or {UNNAMED}:
            groups[kind, hub].append(event)
    lone = groups.pop((kind, UNNAMED), [])
    found = {hub: _dense(_silent_together(events, rule), rule) for hub, events in groups.items()}
    together = _at_once(lone) if rule.unnamed else []
    if len(_places(together)) >= PAIR:
        found |= _shared(kind, together, found)
    return found


def _shared(
    kind: str, victims: list[Event], found: Mapping[Hub, list[Event]]
) -> dict[Hub, list[Event]]:
    """Give victims of something unknown to the one thing that itself tells of as many losses."""
    telling = [hub for hub, events in found.items() if _tells_of(events, victims)]
    if len(telling) != 1:
        return {(kind, _unnamed(victims)): victims}
    return {telling[0]: [*found[telling[0]], *victims]}


def _tells_of(events: Iterable[Event], victims: Sequence[Event]) -> bool:
    """Tell whether what is shared itself lost as many ends, in the same seconds, as hosts did."""
    ends = (min(victims, key=_reported), max(victims, key=_reported))
    own = (event for event in events if not hosts_of([event]))
    lost = {e.entity.key for e in own if all(abs(_apart(e, o)) <= AT_ONCE_S for o in ends)}
    return len(lost) >= len(_places(victims))


def _unnamed(victims: Iterable[Event]) -> str:
    """Name what several hosts share by them."""
    places = sorted(_places(victims))
    more = ", …" if len(places) > MOST_NAMED else ""
    return f"{UNNAMED} ({', '.join(places[:MOST_NAMED])}{more})"


def _silent_together(events: list[Event], rule: Inference) -> list[Event]:
    """Keep of the hosts that stopped in mid-sentence those that did so at one time.

    When each was started again may have another reason, and says nothing.
    """
    fell = sorted((e for e in events if e.page in rule.needs), key=lambda e: e.earliest)
    low, high = _fullest([e.earliest for e in fell], rule.within_s)
    together = {e.id for e in fell[low:high]}
    return [e for e in events if e.page not in rule.needs or e.id in together]


def _dense(events: list[Event], rule: Inference) -> list[Event]:
    """Return those within the rule's time; where they are too few, those that began at once."""
    found = _densest(events, rule.within_s)
    if len(_victims(found, rule)) >= rule.min_entities:
        return found
    return _at_once(events)


def _at_once(events: Iterable[Event]) -> list[Event]:
    """Return the largest set that was reported within seconds."""
    reports = sorted(events, key=_reported)
    stamps = [(e.start.utc - reports[0].start.utc) // _MICRO for e in reports]
    low, high = _fullest(stamps, AT_ONCE_S * 1e6)
    return reports[low:high]


def _fullest(stamps: Sequence[float], within: float) -> tuple[int, int]:
    """Return begin and end of the first and largest run of sorted stamps that fits."""
    best, high = (0, 0), 0
    for low, first in enumerate(stamps):
        while high < len(stamps) and stamps[high] - first <= within:
            high += 1
        if high - low > best[1] - best[0]:
            best = (low, high)
    return best


def _reported(event: Event) -> datetime:
    return event.start.utc


def _apart(one: Event, other: Event) -> float:
    return (other.start.utc - one.start.utc).total_seconds()


def _ended_at_once(effects: Iterable[Event], affected: frozenset[str], rule: Inference) -> bool:
    """Tell whether each got it back within seconds of the others: two coincidences are none."""
    closed = [event for event in effects if event.is_closed]
    ends = [event.finish for event in closed]
    return _victims(closed, rule) == affected and max(ends) - min(ends) <= AT_ONCE_S


def _came_back_apart(effects: list[Event], affected: frozenset[str], rule: Inference) -> bool:
    """Tell whether some got it back and not all at once: what they share would have come back."""
    some = any(event.is_closed for event in effects)
    return some and not _ended_at_once(effects, affected, rule)


def _densest(events: list[Event], within_s: float) -> list[Event]:
    """Return the largest set of events whose onsets fit into `within_s`."""
    ordered = sorted(events, key=lambda e: e.start.utc)
    best: list[Event] = []
    low = 0
    for high, event in enumerate(ordered):
        while event.earliest - ordered[low].latest > within_s:
            low += 1
        if high - low + 1 > len(best):
            best = ordered[low : high + 1]
    return best


def _places(events: Iterable[Event]) -> frozenset[str]:
    return frozenset(hosts_of(events)) or _things(events)


def _things(events: Iterable[Event]) -> frozenset[str]:
    return frozenset(m.key for e in events for m in (e.members or (e.entity,)))


def _victims(events: Iterable[Event], rule: Inference) -> frozenset[str]:
    """Return what suffers: hosts, or the things of the one host that they share."""
    return _things(events) if rule.over == "node" else _places(events)


def _latent(
    page: Page,
    hub: tuple[str, str],
    effects: list[Event],
    *,
    topology: Topology,
    sight: Sight,
    pages: Mapping[str, Page],
) -> LatentCause | None:
    rule = page.infer
    if rule is None or page.entity.kind not in ENTITY_KINDS:
        return None
    affected = _victims(effects, rule)
    if len(affected) < PAIR:
        return None
    few = len(affected) < rule.min_entities
    if few and any(abs(_apart(effects[0], event)) > AT_ONCE_S for event in effects):
        return None
    named = not hub[1].startswith(UNNAMED)
    if few and not named and _came_back_apart(effects, affected, rule):
        return None
    since, until = min(e.earliest for e in effects), max(e.latest for e in effects)
    shown = [pages[name] for name in {e.page for e in effects}]
    others = topology.related(*hub, "node") - affected if rule.over != "node" else frozenset[str]()
    return LatentCause(
        _inferred_event(page, hub, effects),
        tuple(e.id for e in effects),
        affected,
        frozenset(n for n in others if _was_watched(n, shown, sight, (since, until))),
        thin=few and not _ended_at_once(effects, affected, rule),
        named=named,
    )


def _was_watched(
    node: str, pages: Iterable[Page], sight: Sight, between: tuple[float, float]
) -> bool:
    """Tell whether one of these conditions would have been seen on the node."""
    anchors = (Anchor(kind="node", id=node),)
    return any(sight.would_show(page, anchors, *between) == "yes" for page in pages)


def _inferred_event(page: Page, hub: tuple[str, str], effects: Sequence[Event]) -> Event:
    """Return the condition of the hub, begun when the first of its victims felt it."""
    first = min(effects, key=lambda e: e.earliest)
    return Event(
        id=f"inferred:{page.id}:{hub[1]}",
        page=page.id,
        role=page.role,
        layer=page.layer,
        plane=page.plane,
        severity=page.severity,
        entity=Entity.model_validate({"kind": page.entity.kind, "id": hub[1]}),
        anchors=(Anchor(kind=hub[0], id=hub[1]),),
        clocks=frozenset(c for e in effects for c in e.clocks),
        start=Instant(
            utc=datetime.fromtimestamp(first.earliest, UTC),
            uncertainty_s=max(0.0, first.latest - first.earliest),
            zone=first.start.zone,
        ),
        last=Instant(utc=datetime.fromtimestamp(max(e.latest for e in effects), UTC)),
        count=0,
        text=page.title.en,
    )
