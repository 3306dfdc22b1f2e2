"""Who else has what a root brought about: those that noticed later than others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assistant.diagnosis.graph import Graph, anchor_kind, reach
from assistant.diagnosis.hypotheses import Candidate
from assistant.diagnosis.weights import DEFAULT_WEIGHTS
from assistant.event import Event

HUBS = frozenset({"storage_server", "switch", "rack", "pdu", "service", "control_plane"})
"""What many things hang on, so that one by one they notice that it is gone."""

Group = tuple[str, str, str]
"""Page of the effect, kind and id of the hub."""


def with_members(candidate: Candidate, graph: Graph) -> Candidate:
    """Let a root account for those that noticed later, while most of the others still suffered.

    How long after the root an effect may begin tells of the first of them: a client that asks
    nothing of its server for an hour notices an hour later.
    """
    groups = _groups(candidate, graph)
    if not groups:
        return candidate
    reached = dict(candidate.reached)
    for event in graph.events.values():
        if event.id == candidate.id or event.id in candidate.reached:
            continue
        strength = max(
            (_shared(event, group, rows, candidate) for group, rows in groups.items()), default=0.0
        )
        if strength:
            more = {event.id: strength, **reach(graph, event.id, DEFAULT_WEIGHTS, first=strength)}
            reached = {**more, **reached}
    return (
        candidate if len(reached) == len(candidate.reached) else replace(candidate, reached=reached)
    )


def _groups(candidate: Candidate, graph: Graph) -> Mapping[Group, Sequence[Event]]:
    """Return what the root brought about by way of a hub that it is, or has."""
    found: dict[Group, list[Event]] = defaultdict(list)
    for edge in graph.out.get(candidate.id, ()):
        kind, effect = anchor_kind(edge.scope), graph.events[edge.effect]
        if kind in HUBS and effect.id in candidate.reached:
            for hub in _ids(candidate.event, kind) & _ids(effect, kind):
                found[effect.page, kind, hub].append(effect)
    return found


def _ids(event: Event, kind: str) -> set[str]:
    return {a.id for a in event.anchors if a.kind == kind}


def _shared(event: Event, group: Group, rows: Sequence[Event], candidate: Candidate) -> float:
    """Return how surely an event is one of a group; 0 where it is none."""
    page, kind, hub = group
    first = min(one.earliest for one in rows)
    if event.page != page or hub not in _ids(event, kind) or event.latest < first:
        return 0.0
    if not _most_suffer(rows, event.earliest):
        return 0.0
    return max(candidate.reached[one.id] for one in rows)


def _most_suffer(rows: Iterable[Event], moment: float) -> bool:
    """Tell whether most of several still suffered; a folded event stands for all its members."""
    sizes = [(max(1, len(one.members)), one.finish > moment) for one in rows]
    total = sum(size for size, _ in sizes)
    return total > 1 and 2 * sum(size for size, still in sizes if still) > total
