"""Candidate roots and their ranking: a greedy cover of what has to be explained.

The gain of a root is a log-likelihood ratio: for every effect it reaches, how much likelier the
effect is with the root than without. The best root is taken, what it explains is taken off, and the
rest is covered again, so that independent faults come out one by one.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from assistant.diagnosis.case import counts
from assistant.diagnosis.graph import Edge, Graph, reach
from assistant.diagnosis.guards import Settings, find_recurring, is_harmless_blip
from assistant.diagnosis.latent import LatentCause
from assistant.diagnosis.negative import contradicting_events, missing_effects
from assistant.diagnosis.weights import STRENGTH, Weights
from assistant.event import Event
from assistant.sight import Sight
from knowledge.page import Delay, Link, Page

CONTRADICTION = 2.0
"""Price of a refuting condition, as a log-likelihood ratio."""
_ERRORS = frozenset({"critical", "error"})
CLIMB_SHARE = 0.6
"""How much of the candidate's own gain its upstream cause must keep to replace it."""
INCIDENT_HOURS = 0.5
"""Time over which a chance occurrence would be mistaken for an effect."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible root with everything its ranking needs."""

    event: Event
    observed: bool
    reached: Mapping[str, float]
    """Event id → best strength along a path."""
    missing: tuple[Link, ...]
    contradictions: tuple[Event, ...]
    gain: float = 0.0
    latent: LatentCause | None = None
    upstream: frozenset[str] = field(default_factory=frozenset)
    """Other candidates that may have caused this one."""

    @property
    def id(self) -> str:
        """The event's id."""
        return self.event.id


@dataclass(frozen=True)
class Ranking:
    """All candidates, and those that the cover took, in order."""

    picks: tuple[Candidate, ...]
    others: tuple[Candidate, ...]
    graph: Graph
    damage: Mapping[str, float]
    """What had to be explained, by event id."""

    @property
    def everything(self) -> tuple[Candidate, ...]:
        """Picks first, then the alternatives by gain."""
        return (*self.picks, *self.others)

    @cached_property
    def leads(self) -> tuple[Candidate, ...]:
        """All of them, one for each condition on one thing, however often it came.

        What merely warns and explains nothing is no lead beside an error that nobody explains.
        """
        found: dict[object, Candidate] = {}
        for one in self.everything:
            found.setdefault((one.event.page, one.event.entity.key), one)
        events = self.graph.events
        heads = {one.id for one in self.everything}
        told = {name for one in self.everything for name in one.reached}
        left = [events[name] for name in self.damage if name not in told | heads]
        if not any(event.severity in _ERRORS for event in left):
            return tuple(found.values())
        return tuple(c for c in found.values() if c.reached or c.event.severity in _ERRORS)

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """Each candidate's number as a hypothesis; what came again has that of the first."""
        things: dict[object, str] = {}
        for one in (*self.leads, *self.everything):
            things.setdefault((one.event.page, one.event.entity.key), f"h{len(things) + 1}")
        return {c.id: things[c.event.page, c.event.entity.key] for c in self.everything}


def with_latent(graph: Graph, latents: list[LatentCause], pages: Mapping[str, Page]) -> Graph:
    """Return the graph with inferred causes as heads of their own."""
    events, out, into = dict(graph.events), dict(graph.out), dict(graph.into)
    for latent in latents:
        head = latent.event
        links = {link.effect: link for link in pages[head.page].causes}
        edges = [
            _latent_edge(head, graph.events[name], links.get(graph.events[name].page))
            for name in latent.effects
        ]
        events[head.id] = head
        out[head.id] = tuple(edges)
        for edge in edges:
            into[edge.effect] = (*into.get(edge.effect, ()), edge)
    return Graph(events, out, into)


def _latent_edge(head: Event, effect: Event, link: Link | None) -> Edge:
    chosen = link or Link(
        effect=effect.page, scope="server", strength="usually", delay=Delay(max_s=600)
    )
    return Edge(
        cause=head.id,
        effect=effect.id,
        link=chosen,
        strength=STRENGTH[chosen.strength],
        certain=False,
        stated=True,
        scope=chosen.scope,
    )


def to_explain(graph: Graph, weights: Weights) -> dict[str, float]:
    """Return what has to be explained, with its worth; what was inferred explains itself."""
    return {
        event.id: weights.damage(event.page, event.damage)
        for event in graph.events.values()
        if event.count and counts(event)
    }


def _may_head(event: Event, graph: Graph) -> bool:
    if not counts(event):
        return False
    if event.role in {"root", "change"}:
        return True
    if event.role != "mechanism":
        return False
    return not any(
        edge.link.strength != "sometimes" and graph.events[edge.cause].role != "symptom"
        for edge in graph.into.get(event.id, ())
    )


def _copies(event: Event) -> int:
    return max(1, len(event.members))


def _damping(reached: Mapping[str, float], graph: Graph) -> dict[str, float]:
    """Return the factor per page that keeps repeats of one kind from counting in full."""
    copies: Counter[str] = Counter()
    for name in reached:
        copies[graph.events[name].page] += _copies(graph.events[name])
    return {page: 1 / math.sqrt(1 + (n - 1) / 2) for page, n in copies.items()}


def gain(
    candidate: Candidate,
    graph: Graph,
    pages: Mapping[str, Page],
    residual: Mapping[str, float],
    weights: Weights,
) -> float:
    """Return the log-likelihood ratio of a root over chance, on what is left to explain."""
    page = pages[candidate.event.page]
    total = weights.prior(page.id, page.base_rate)
    if candidate.latent is not None:
        total -= weights.latent_price
    elif candidate.event.role == "mechanism":
        total -= weights.mechanism_price
    else:
        total += weights.observed_bonus
    damping = _damping(candidate.reached, graph)
    for name, strength in candidate.reached.items():
        worth = residual.get(name, 0.0)
        if worth:
            event = graph.events[name]
            ratio = _ratio(strength, event, weights) * damping[event.page] * _copies(event)
            total += ratio * worth
    own = residual.get(candidate.id, 0.0)
    if own and candidate.event.damage:
        total += weights.ratio_cap * own
    total += sum(math.log(1 - STRENGTH[link.strength]) for link in candidate.missing)
    return total - CONTRADICTION * len(candidate.contradictions)


def _ratio(strength: float, event: Event, weights: Weights) -> float:
    leak = weights.leak(event.page, event.baseline_rate * INCIDENT_HOURS)
    with_root = 1 - (1 - strength) * (1 - leak)
    return min(weights.ratio_cap, math.log(with_root / leak))


def find_candidates(
    graph: Graph,
    pages: Mapping[str, Page],
    latents: list[LatentCause],
    *,
    sight: Sight,
    settings: Settings,
    weights: Weights,
) -> list[Candidate]:
    """Return every event that may be a root, with what it reaches and what speaks against it.

    What explains nothing and hurts nobody is a candidate only where there is no other, or the same
    elsewhere: a grave condition that stands alone is still the best lead. What was over too soon to
    harm anything is none, unless it comes again and again.
    """
    inferred = {latent.event.id: latent for latent in latents}
    recurring = find_recurring(event for event in graph.events.values() if counts(event))
    found: list[Candidate] = []
    idle: list[Candidate] = []
    for event in graph.events.values():
        latent = inferred.get(event.id)
        if latent is None and not _may_head(event, graph):
            continue
        reached = reach(graph, event.id, weights)
        page = pages[event.page]
        if not reached and not event.damage and not _stands_alone(page):
            continue
        blip = event.id not in recurring and is_harmless_blip(event, page, settings)
        if blip and not reached:
            continue
        group = found if reached or event.damage else idle
        shown = {graph.events[name].page for name in reached}
        group.append(
            Candidate(
                event=event,
                observed=latent is None,
                reached=reached,
                missing=tuple(
                    link
                    for link in missing_effects(event, graph, pages, sight, settings)
                    if latent is None and link.effect not in shown
                ),
                contradictions=tuple(contradicting_events(event, graph.events.values(), pages)),
                latent=latent,
            )
        )
    alike = {candidate.event.page for candidate in found}
    twins = [candidate for candidate in idle if candidate.event.page in alike]
    return _with_upstream([*found, *twins] if found else idle, graph)


def _is_idle(candidate: Candidate) -> bool:
    return not candidate.reached and not candidate.event.damage


def _stands_alone(page: Page) -> bool:
    """Tell whether a condition is a fault by itself, though nobody is seen to suffer from it.

    Its page says so; one look may know less of it than that and speak more softly.
    """
    return page.role == "root" and page.severity in _FAULTS


_FAULTS = frozenset({"critical", "error"})


def _with_upstream(found: list[Candidate], graph: Graph) -> list[Candidate]:
    """Note for each candidate which others lead to it by links that are more than occasional.

    The word of the link decides, not its number, so that no rounding makes a precursor the cause.
    """
    heads = {candidate.id for candidate in found}
    return [replace(c, upstream=_leading(c.id, graph, heads)) for c in found]


def _leading(name: str, graph: Graph, heads: set[str]) -> frozenset[str]:
    seen: set[str] = set()
    frontier = [name]
    while frontier:
        causes = {
            edge.cause
            for node in frontier
            for edge in graph.into.get(node, ())
            if edge.link.strength != "sometimes"
        }
        frontier = list(causes - seen)
        seen |= causes
    return frozenset((seen & heads) - {name})


def rank(
    graph: Graph, found: list[Candidate], pages: Mapping[str, Page], weights: Weights
) -> Ranking:
    """Order candidates by a greedy cover of the damage."""
    damage = to_explain(graph, weights)
    scored = [replace(c, gain=gain(c, graph, pages, damage, weights)) for c in found]
    scored.sort(key=lambda c: (-c.gain, c.event.earliest, c.id))
    picks = _cover(scored, graph, pages, damage, weights)
    taken = {c.id for c in picks}
    others = tuple(c for c in scored if c.id not in taken)
    return Ranking(tuple(picks), others, graph, damage)


def _cover(
    scored: list[Candidate],
    graph: Graph,
    pages: Mapping[str, Page],
    damage: Mapping[str, float],
    weights: Weights,
) -> list[Candidate]:
    residual = dict(damage)
    left = [candidate for candidate in scored if not _is_idle(candidate)] or list(scored)
    picks: list[Candidate] = []
    while left:
        values = {c.id: gain(c, graph, pages, residual, weights) for c in left}
        best = max(left, key=lambda c: (values[c.id], -c.event.earliest))
        best = _climb(_settle(best, left, values, graph), left, values)
        if values[best.id] < weights.least_gain or (picks and not _hurts(best, graph, residual)):
            break
        picks.append(best)
        left = [c for c in left if c.id != best.id and not is_nested(c, best)]
        residual[best.id] = 0.0
        for name, strength in best.reached.items():
            if name in residual:
                residual[name] *= 1 - strength
    return picks


def _settle(
    best: Candidate, left: list[Candidate], values: Mapping[str, float], graph: Graph
) -> Candidate:
    """Go on from a change to the root that was seen and that it only sometimes brings about.

    What a change does by itself as well (a node that starts is away for a while) makes it no more
    than the trigger of what stayed; but what several things have since then, it is that they share.
    """
    if best.event.role != "change":
        return best
    rare = {e.effect for e in graph.out.get(best.id, ()) if e.link.strength == "sometimes"}
    below = [
        c
        for c in left
        if c.id in rare
        and c.event.role == "root"
        and values[c.id] >= CLIMB_SHARE * values[best.id]
        and not c.contradictions
    ]
    if len({c.event.entity.key for c in below}) > 1:
        return best
    return max(below, key=lambda c: (values[c.id], -c.event.earliest), default=best)


def _climb(best: Candidate, left: list[Candidate], values: Mapping[str, float]) -> Candidate:
    """Follow strong links up from a candidate to what brought it about."""
    by_id = {c.id: c for c in left}
    seen = {best.id}
    while True:
        above = [
            by_id[name]
            for name in best.upstream
            if name in by_id
            and name not in seen
            and values[name] >= CLIMB_SHARE * values[best.id]
            and not by_id[name].contradictions
        ]
        if not above:
            return best
        best = max(above, key=lambda c: (values[c.id], -c.event.earliest))
        seen.add(best.id)


def related(one: Candidate, other: Candidate) -> bool:
    """Tell whether two candidates are no rivals: one above the other, or one thing twice."""
    return recurs(one, other) or is_nested(one, other)


def recurs(one: Candidate, other: Candidate) -> bool:
    """Tell whether both are one condition on one thing, at whatever times."""
    return (one.event.page, one.event.entity.key) == (other.event.page, other.event.entity.key)


def is_nested(one: Candidate, other: Candidate) -> bool:
    """Tell whether one stands above the other."""
    return one.id in other.reached or other.id in one.reached


def _hurts(candidate: Candidate, graph: Graph, residual: Mapping[str, float]) -> bool:
    """Tell whether a further root explains damage that is still to be explained."""
    names = [candidate.id, *candidate.reached]
    return any(graph.events[n].damage and residual.get(n, 0.0) >= 0.5 for n in names)  # noqa: PLR2004 - half of a degraded effect
