"""The propagation that is drawn: one tree from the trigger to the damage.

Ranking weighs every edge; the picture needs each condition once, with the delay a reader can check.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from assistant.diagnosis.graph import Edge, Graph
from assistant.diagnosis.hypotheses import Candidate
from assistant.diagnosis.result import ChainLink
from assistant.event import Event

MOST_TRIGGERS = 3
SEVERAL = 2


def draw_chain(candidate: Candidate, graph: Graph) -> list[ChainLink]:
    """Return the edges of the tree, causes before effects.

    Each condition stands once, on the entity that shows the propagation earliest; the trigger's own
    precursors come first.
    """
    inside = {candidate.id, *candidate.reached}
    placed: dict[str, Event] = {candidate.event.page: candidate.event}
    chosen = _triggers(candidate, graph, placed)
    while True:
        edge = _next_edge(placed, inside, graph)
        if edge is None:
            break
        placed[graph.events[edge.effect].page] = graph.events[edge.effect]
        chosen.append(edge)
    return [_link(edge, graph) for edge in chosen]


def _next_edge(placed: Mapping[str, Event], inside: set[str], graph: Graph) -> Edge | None:
    """Return the next step, from an event that is drawn if it can be, else from one like it."""
    drawn = [event.id for event in placed.values()]
    alike = sorted(name for name in inside if graph.events[name].page in placed)
    for names in (drawn, alike):
        options = (
            edge
            for name in names
            for edge in graph.out.get(name, ())
            if edge.effect in inside and graph.events[edge.effect].page not in placed
        )
        best = min(options, key=lambda edge: _cost(edge, graph), default=None)
        if best is not None:
            return best
    return None


def _cost(edge: Edge, graph: Graph) -> tuple[float, float, str]:
    """Order edges: the earliest effect first, strong links before weak at the same moment."""
    effect = graph.events[edge.effect]
    weak = 600.0 * (1.0 - edge.strength)
    return (effect.start.utc.timestamp() + weak, -edge.strength, edge.effect)


def _triggers(candidate: Candidate, graph: Graph, placed: dict[str, Event]) -> list[Edge]:
    """Walk up from the root to what set it off, weak links included.

    What the root brought about set nothing off, though its page may lead back to the root's; nor
    did what happens every day.
    """
    chosen: list[Edge] = []
    current = candidate.id
    while len(chosen) < MOST_TRIGGERS:
        above = [
            edge
            for edge in graph.into.get(current, ())
            if graph.events[edge.cause].page not in placed
            and edge.cause not in candidate.reached
            and not graph.events[edge.cause].chronic
            and not _is_ordinary(edge, graph)
        ]
        best = max(above, key=lambda e: (e.strength, graph.events[e.cause].earliest), default=None)
        if best is None:
            break
        best = _from_its_beginning(best, graph)
        placed[graph.events[best.cause].page] = graph.events[best.cause]
        chosen.insert(0, best)
        current = best.cause
    return chosen


def _is_ordinary(edge: Edge, graph: Graph) -> bool:
    """Tell whether a change is one of every day, as a driver is loaded at each start.

    That one thing failed some time after it is no sign; that several did since then is.
    """
    cause = graph.events[edge.cause]
    if cause.role != "change" or cause.severity != "info" or edge.link.strength != "sometimes":
        return False
    since = (graph.events[e.effect] for e in graph.out[cause.id] if e.link.strength == "sometimes")
    return len({thing.key for e in since for thing in (e.members or (e.entity,))}) < SEVERAL


def _from_its_beginning(edge: Edge, graph: Graph) -> Edge:
    """Let a precursor that came in several bursts begin with the first that the link allows."""
    nearest, effect = graph.events[edge.cause], graph.events[edge.effect]
    reach = effect.latest - edge.link.delay.max_s
    bursts = [
        event
        for event in graph.events.values()
        if event.page == nearest.page
        and event.entity.key == nearest.entity.key
        and event.latest >= reach
        and not event.chronic
    ]
    first = min(bursts, key=lambda event: event.earliest, default=nearest)
    return replace(edge, cause=first.id)


def _delay(edge: Edge, cause: Event, effect: Event) -> tuple[float, float]:
    """Return the delay and its error in seconds.

    Both onsets are intervals, less the doubt that they share. Of the delays they allow,
    only those that the link allows are left. What one state tells of one moment is not apart.
    """
    if _told_at_once(cause, effect):
        return 0.0, 0.0
    shared = cause.shared_s(effect)
    shortest = effect.earliest - cause.latest + 2 * shared
    longest = effect.latest - cause.earliest - 2 * shared
    low = max(shortest, min(edge.link.delay.min_s, longest))
    return (low + longest) / 2, (longest - low) / 2


def _told_at_once(cause: Event, effect: Event) -> bool:
    """Tell whether one object's state dates both, with one stamp."""
    same = cause.start.utc == effect.start.utc and cause.clock == effect.clock
    shown = "object" in cause.channels & effect.channels
    captures = {c.evidence for c in cause.citations} & {c.evidence for c in effect.citations}
    return same and shown and bool(captures)


def _link(edge: Edge, graph: Graph) -> ChainLink:
    cause, effect = graph.events[edge.cause], graph.events[edge.effect]
    delay, doubt = _delay(edge, cause, effect)
    observed = edge.stated and bool(cause.citations)
    return ChainLink(
        source=cause.id,
        target=effect.id,
        delay_s=round(delay, 3),
        delay_uncertainty_s=round(doubt, 3),
        status="observed" if observed else "inferred",
        scope=edge.scope,
        evidence=evidence_of((cause, effect)),
        why=edge.link.why,
    )


def evidence_of(events: Iterable[Event]) -> tuple[str, ...]:
    """Return the evidence ids that events cite, in order, once each."""
    return tuple(dict.fromkeys(c.evidence for event in events for c in event.citations))
