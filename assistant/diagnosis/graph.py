"""The causal graph: which seen condition may have brought about which.

Events are joined through hubs (a condition's anchors under the link's scope), never pair by pair,
so the cost grows with the events and not with their square.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from assistant.diagnosis.guards import (
    SAME_MOMENT_S,
    Settings,
    attributes_allow,
    guard_holds,
    order,
    outlasts,
)
from assistant.diagnosis.weights import Weights
from assistant.event import Anchor, Event
from assistant.identity import is_address
from knowledge.page import Link, Page

NEAREST = 6
"""Causes kept per effect, link and hub: the latest that precede it."""
HEADS = frozenset({"root", "change"})
"""Roles at which a why-chain may end."""
AT_FAULT = HEADS | {"mechanism"}
"""Roles of what is wrong, not of what is felt."""
SCOPE_KIND = {"server": "storage_server"}
"""Scopes whose anchor kind has another name."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A possible step of the propagation."""

    cause: str
    effect: str
    link: Link
    strength: float
    certain: bool
    """Whether the order in time is certain."""
    stated: bool
    """Whether the shared anchor is stated by evidence, not inferred."""
    scope: str
    guessed: bool = False
    """Whether nothing but the time ties both: nobody knows whose the effect's other side is."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Events by id with the edges out of and into them."""

    events: Mapping[str, Event]
    out: Mapping[str, tuple[Edge, ...]]
    into: Mapping[str, tuple[Edge, ...]]


def anchor_kind(scope: str) -> str:
    """Return the anchor kind under which a scope's events meet."""
    return SCOPE_KIND.get(scope, scope)


def _hubs(event: Event, scope: str) -> Iterable[tuple[str, bool]]:
    if scope == "cluster":
        return (("*", True),)
    if scope == "line":
        return ((f"{c.evidence}:{c.line}", True) for c in event.citations if c.line)
    kind = anchor_kind(scope)
    hubs = [(a.id, not a.inferred) for a in event.anchors if a.kind == kind]
    if kind == "node" and not hubs:
        return _unnamed_nodes(event)
    return hubs


def _unnamed_nodes(event: Event) -> Iterable[tuple[str, bool]]:
    """A pod is on one node, though nobody may have named it: its own reports meet there."""
    return ((f"of pod {a.id}", not a.inferred) for a in event.anchors if a.kind == "pod")


def _cause_hubs(event: Event, scope: str) -> Iterable[tuple[str, bool]]:
    if scope == "peer":
        return ((f"{a.kind}:{a.id}", not a.inferred) for a in event.anchors)
    if scope == "server" and event.entity.kind == "node":
        # A host may be a server, and clients call it by its name.
        return (*_hubs(event, scope), (event.entity.id, True))
    return _hubs(event, scope)


def _effect_hubs(event: Event, scope: str) -> Iterable[tuple[str, bool]]:
    if scope == "peer":
        return ((f"{a.kind}:{a.id}", not a.inferred) for a in event.peers)
    return _hubs(event, scope)


Index = dict[tuple[str, str, str], list[tuple[float, str, bool]]]
"""(page, scope, hub) → (earliest onset, event id, stated), sorted."""


def _index(events: Iterable[Event], pages: Mapping[str, Page]) -> Index:
    index: Index = defaultdict(list)
    for event in events:
        for scope in dict.fromkeys(link.scope for link in pages[event.page].causes):
            for hub, stated in _cause_hubs(event, scope):
                index[event.page, scope, hub].append((event.earliest, event.id, stated))
    for rows in index.values():
        rows.sort()
    return index


def _incoming(pages: Mapping[str, Page], present: set[str]) -> dict[str, list[tuple[str, Link]]]:
    links: dict[str, list[tuple[str, Link]]] = defaultdict(list)
    for page_id in present:
        for link in pages[page_id].causes:
            if link.effect in present:
                links[link.effect].append((page_id, link))
    return links


def can_cause(event: Event) -> bool:
    """Tell whether an event may stand at the head of an edge."""
    return not (event.chronic or event.benign or event.role in {"benign", "context"})


def make_edge(
    link: Link, cause: Event, effect: Event, settings: Settings, weights: Weights
) -> Edge | None:
    """Return the edge between two events that meet in scope, if nothing forbids it."""
    sequence = order(link, cause, effect)
    if sequence == "excluded" or not attributes_allow(link, effect) or outlasts(link, effect):
        return None
    held = guard_holds(link.guard, cause, settings, effect)
    if held == "no":
        return None
    strength = weights.strength(cause.page, link)
    if held == "unknown":
        strength *= weights.unknown_guard
    return Edge(
        cause=cause.id,
        effect=effect.id,
        link=link,
        strength=strength,
        certain=sequence == "certain",
        stated=True,
        scope=link.scope,
    )


def _candidates(index: Index, page: str, link: Link, effect: Event) -> Iterable[tuple[str, bool]]:
    until = effect.latest + SAME_MOMENT_S - min(0.0, link.delay.min_s)
    for hub, stated in _effect_hubs(effect, link.scope):
        rows = index.get((page, link.scope, hub))
        if not rows:
            continue
        close = bisect_left(rows, (until, "", False))
        chosen = rows[max(0, close - NEAREST) : close]
        yield from ((event_id, stated and known) for _, event_id, known in chosen)


def build_graph(
    events: Iterable[Event], pages: Mapping[str, Page], settings: Settings, weights: Weights
) -> Graph:
    """Join events into a causal graph.

    Args:
        events: In any order; benign and chronic ones may be effects, never causes.
        pages: All pages by id.
        settings: Settings seen in evidence, for guards.
        weights: The numbers behind the pages' words.
    """
    by_id = {event.id: event for event in events if event.role != "context"}
    index = _index((e for e in by_id.values() if can_cause(e)), pages)
    incoming = _incoming(pages, {event.page for event in by_id.values()})
    placed = _placed_jobs(by_id.values())
    out: dict[str, list[Edge]] = defaultdict(list)
    into: dict[str, list[Edge]] = defaultdict(list)
    for effect in by_id.values():
        if effect.role == "benign":
            continue
        terms = settings, weights
        edges = [*_edges_into(effect, incoming, index, by_id, terms)]
        side = _unnamed_side(effect, pages, placed)
        for edge in edges or _guesses(effect, side, incoming, by_id, terms):
            out[edge.cause].append(edge)
            into[edge.effect].append(edge)
    return Graph(
        events=by_id,
        out={key: tuple(edges) for key, edges in out.items()},
        into={key: tuple(edges) for key, edges in into.items()},
    )


def _edges_into(
    effect: Event,
    incoming: Mapping[str, list[tuple[str, Link]]],
    index: Index,
    by_id: Mapping[str, Event],
    terms: tuple[Settings, Weights],
) -> Iterable[Edge]:
    best: dict[str, Edge] = {}
    for page, link in incoming.get(effect.page, ()):
        for cause_id, stated in _candidates(index, page, link, effect):
            if cause_id == effect.id:
                continue
            edge = make_edge(link, by_id[cause_id], effect, *terms)
            if edge is None:
                continue
            kept = best.get(cause_id)
            if kept is None or (edge.strength, stated) > (kept.strength, kept.stated):
                best[cause_id] = Edge(
                    cause=edge.cause,
                    effect=edge.effect,
                    link=link,
                    strength=edge.strength,
                    certain=edge.certain,
                    stated=stated,
                    scope=edge.scope,
                )
    return best.values()


def _guesses(
    effect: Event,
    scope: str,
    incoming: Mapping[str, list[tuple[str, Link]]],
    by_id: Mapping[str, Event],
    terms: tuple[Settings, Weights],
) -> Iterable[Edge]:
    """Yield what may lie behind an effect that nothing explains and whose other side has no name.

    An address, or the rest of a job, may be any other host's: one alone that had at the time what
    the handbook would look for there is worth a look. Where not even their times compare, nothing
    ties them.
    """
    own = {a.id for a in effect.anchors if a.kind == "node"}
    links = [(page, link) for page, link in incoming.get(effect.page, ()) if link.scope == scope]
    found: list[tuple[frozenset[str], Edge]] = []
    for page, link in links:
        for cause in (e for e in by_id.values() if e.page == page and can_cause(e)):
            if not times_compare(cause, effect) or _is_of_another(cause, effect, by_id):
                continue
            hosts = frozenset(a.id for a in cause.anchors if a.kind == "node")
            edge = make_edge(link, cause, effect, *terms) if hosts - own else None
            if edge is not None and (scope == "peer" or cause.role in AT_FAULT):
                found.append((hosts, replace(edge, stated=False, guessed=True)))
    if len({hosts for hosts, _ in found}) == 1:
        yield from (edge for _, edge in found)


def times_compare(cause: Event, effect: Event) -> bool:
    """Tell whether their order is known but for errors that no zone adds."""
    zoned = "unknown" not in {cause.start.zone, effect.start.zone}
    return zoned or cause.shared_s(effect) > 0


def _is_of_another(cause: Event, effect: Event, by_id: Mapping[str, Event]) -> bool:
    """Tell whether the effect is of a program that none of the cause's host is called.

    The kernel names a process or a thread; it is the program where the host's own log calls one
    that as well.
    """
    waits, said = effect.fields.get("program"), cause.fields.get("comm")
    near = (e for e in by_id.values() if shares(e.anchors, cause.anchors, "node"))
    own = {e.fields["program"] for e in near if "program" in e.fields}
    if own and said in own:
        own = {said}
    return bool(waits and own) and waits not in own


def _unnamed_side(event: Event, pages: Mapping[str, Page], placed: frozenset[str]) -> str:
    """Return the scope under which an event's other side is known to exist but not who it is.

    An address that evidence gives to no host is one. What only happens to a rank is of a job: one
    without a name, or one that nothing places on any host, has members that nobody knows.
    """
    peers = [peer.id for peer in event.peers if peer.kind == "node"]
    if peers and all(map(is_address, peers)):
        return "peer" if any(a.kind == "node" for a in event.anchors) else ""
    known = any(a.kind == "job" and a.id in placed for a in event.anchors)
    return "job" if not known and pages[event.page].entity.kind == "rank" else ""


def _placed_jobs(events: Iterable[Event]) -> frozenset[str]:
    """Return the jobs of which some event tells a host."""
    kinds = ({a.kind: a.id for a in event.anchors} for event in events)
    return frozenset(found["job"] for found in kinds if found.keys() >= {"job", "node"})


def reach(graph: Graph, start: str, weights: Weights, *, first: float = 1.0) -> dict[str, float]:
    """Return each event that `start` reaches with the best product of strengths along a path.

    A weak link ends at another root or change that was seen: what follows from there is explained
    by what was seen there, not by something that only sometimes leads to it.
    """
    best = {start: first}
    frontier = [start]
    while frontier:
        following: dict[str, None] = {}  # in order, so that the same input reads the same twice
        steps = ((node, edge) for node in frontier for edge in graph.out.get(node, ()))
        for node, edge in steps:
            strength = best[node] * edge.strength
            if strength < weights.prune or strength <= best.get(edge.effect, 0.0):
                continue
            best[edge.effect] = strength
            if not _ends_there(edge, graph):
                following[edge.effect] = None
        frontier = list(following)
    del best[start]
    return best


def _ends_there(edge: Edge, graph: Graph) -> bool:
    effect = graph.events[edge.effect]
    return edge.link.strength == "sometimes" and effect.role in HEADS and can_cause(effect)


def shares(left: Iterable[Anchor], right: Iterable[Anchor], kind: str) -> bool:
    """Tell whether two anchor sets meet in one kind."""
    ids = {a.id for a in left if a.kind == kind}
    return any(a.kind == kind and a.id in ids for a in right)
