"""Confidence as a word, by rule.

Score margin, share of damage explained and number of sources are no confidence: measured, they do
not tell right from wrong. What does: several kinds of effect (or an effect that quotes its cause),
no comparable rival, no expected effect missing, and sources that would have shown the rivals.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assistant.diagnosis.case import grave
from assistant.diagnosis.graph import HEADS, Edge, Graph
from assistant.diagnosis.hypotheses import Candidate, Ranking, related
from assistant.diagnosis.result import Confidence
from assistant.diagnosis.weights import STRENGTH
from assistant.event import Anchor, Event
from assistant.sentences import say, say_both, say_with
from assistant.sight import Sight
from knowledge.bilingual import Bilingual
from knowledge.page import Page

RIVAL_DAMAGE = 0.5
"""A rival reaches at least this share of the damage…"""
RIVAL_STRENGTH = 0.6
"""…at this share of the strength at least."""
LEAST_KINDS = 2
COVERED_SHARE = 0.5
_KERNELS = frozenset({"kernel", "quoted"})


@dataclass(frozen=True, slots=True)
class Judgement:
    """A candidate's confidence with the rules that capped it."""

    confidence: Confidence
    caps: tuple[Bilingual, ...]
    rivals: tuple[str, ...]
    """Ids of comparable open rivals."""
    kinds: int
    blind: tuple[str, ...]
    """Pages of rival roots that no source would have shown."""


def kinds_explained(candidate: Candidate, graph: Graph) -> set[str]:
    """Return the distinct conditions among the effects, detectors and copies counted once."""
    own = candidate.event.page
    return {graph.events[name].page for name in candidate.reached if graph.events[name].page != own}


def count_kinds(candidate: Candidate, graph: Graph) -> int:
    """Count the kinds of effect; what is told of the candidate's own act over and over is one."""
    told = {graph.events[name].page for name in _told(candidate, graph)}
    kinds = kinds_explained(candidate, graph)
    return len(kinds - told) + bool(kinds & told)


def _told(candidate: Candidate, graph: Graph) -> set[str]:
    """Return the effects that are the candidate's own act, told by the system's own logs."""
    return {
        e.effect
        for e in _first_edges(candidate, graph)
        if e.link.definitional and graph.events[e.effect].layer == candidate.event.layer
    }


def _firm_kinds(candidate: Candidate, graph: Graph) -> set[str]:
    """Return the kinds of effect that the candidate reaches by more than a guess.

    What the system's own logs tell of one act over and over (the kernel kills, systemd saw it die)
    is that act and no effect of it.
    """
    firm = firmly_reached(candidate, graph) - _told(candidate, graph)
    return {graph.events[name].page for name in firm} - {candidate.event.page}


def firmly_reached(candidate: Candidate, graph: Graph) -> set[str]:
    """Return the effects that the candidate reaches by more than a guess, also step by step."""
    firm: set[str] = set()
    frontier = {candidate.id}
    while frontier:
        steps = (e for name in frontier for e in graph.out.get(name, ()) if not e.guessed)
        frontier = {e.effect for e in steps if e.effect in candidate.reached} - firm
        firm |= frontier
    return firm


def _guesses(candidate: Candidate, graph: Graph) -> list[Bilingual]:
    """Return that nothing but the time ties it to what it may have brought about first."""
    guessed = [e for e in _first_edges(candidate, graph) if e.guessed]
    peers = {p.id for e in guessed for p in graph.events[e.effect].peers if p.kind == "node"}
    if peers:
        return [say("guessed", addresses=", ".join(sorted(peers)))]
    return [say("guessed-job")] if guessed else []


def _first_edges(candidate: Candidate, graph: Graph) -> Sequence[Edge]:
    return graph.out.get(candidate.id, ())


def is_quoted(candidate: Candidate, graph: Graph) -> bool:
    """Tell whether an effect's own line names the candidate as its cause."""
    return any(
        edge.link.definitional and edge.effect in candidate.reached
        for edge in _first_edges(candidate, graph)
    )


def states_itself(candidate: Candidate, graph: Graph) -> bool:
    """Tell whether one and the same line names the candidate and what it did.

    No other fault prints that line, so none could hide in a log that was not read.
    """
    return any(
        edge.link.definitional and edge.scope == "line" for edge in _first_edges(candidate, graph)
    )


def told_in_one_line(candidate: Candidate, graph: Graph) -> bool:
    """Tell whether all that a candidate explains stands in the line that names itself.

    That line is one witness: it shows that this happened, not that it has to do with anything else.
    """
    own = {e.effect for e in _first_edges(candidate, graph) if e.scope == "line"}
    return bool(own) and own >= candidate.reached.keys()


def left_open(candidate: Candidate, ranking: Ranking) -> list[Event]:
    """Return the grave events that a candidate does not explain, the gravest and earliest first.

    The same condition elsewhere is no other matter.
    """
    events = [ranking.graph.events[name] for name in ranking.damage]
    others = [e for e in events if grave(e) and e.page != candidate.event.page]
    rows = [e for e in others if e.id not in candidate.reached]
    return sorted(rows, key=lambda e: (e.severity != "critical", e.start.utc))


def comparable_rivals(candidate: Candidate, ranking: Ranking) -> list[Candidate]:
    """Return other observed roots that explain as well and stand neither above nor below.

    A root that an effect's own line names is not matched by one that merely came before it.
    """
    quoted = is_quoted(candidate, ranking.graph)
    damaged = {n: w for n, w in ranking.damage.items() if ranking.graph.events[n].damage}
    mine = {n: s for n, s in candidate.reached.items() if n in damaged}
    total = sum(damaged[n] for n in mine)
    kinds = len(kinds_explained(candidate, ranking.graph))
    rivals = []
    for other in ranking.everything:
        if other.id == candidate.id or not other.observed or other.contradictions:
            continue
        if related(candidate, other) or (quoted and not is_quoted(other, ranking.graph)):
            continue
        shared = [n for n in mine if other.reached.get(n, 0.0) >= RIVAL_STRENGTH * mine[n]]
        enough = total > 0 and sum(damaged[n] for n in shared) >= RIVAL_DAMAGE * total
        fewer = kinds - len(kinds_explained(other, ranking.graph))
        if enough and len(other.missing) <= len(candidate.missing) and fewer <= 1:
            rivals.append(other)
    return rivals


def _path_edges(candidate: Candidate, graph: Graph) -> list[Edge]:
    """Return the edges that leave the candidate or connect what it reaches."""
    inside = {candidate.id, *candidate.reached}
    return [e for name in inside for e in graph.out.get(name, ()) if e.effect in inside]


def rival_pages(candidate: Candidate, graph: Graph, pages: Mapping[str, Page]) -> list[Page]:
    """Return roots that the handbook knows to bring about the candidate's first effects."""
    firsts = {graph.events[edge.effect].page for edge in _first_edges(candidate, graph)}
    if not candidate.observed or candidate.event.role == "mechanism":
        firsts.add(candidate.event.page)
    return [
        page
        for page in pages.values()
        if page.role == "root"
        and page.id != candidate.event.page
        and page.infer is None
        and any(
            link.effect in firsts and STRENGTH[link.strength] >= STRENGTH["often"]
            for link in page.causes
        )
    ]


def _onset_places(candidate: Candidate, graph: Graph) -> tuple[Anchor, ...]:
    """Return the nodes where the candidate and its first effects were seen."""
    own = [a for a in candidate.event.anchors if a.kind == "node"]
    if own:
        return tuple(own)
    return tuple(
        a
        for edge in _first_edges(candidate, graph)
        for a in graph.events[edge.effect].anchors
        if a.kind == "node"
    )


def hosts_covered(candidate: Candidate, graph: Graph, sight: Sight) -> float:
    """Return the share of the nodes concerned whose kernel and system logs cover the onset.

    A kernel line that shows the onset shows that the node's log was kept, whatever its clock says.
    """
    hosts = {a.id for a in _onset_places(candidate, graph)}
    if not hosts:
        return 1.0
    since, until = candidate.event.earliest - 60.0, candidate.event.latest + 60.0
    event = candidate.event
    own = {
        a.id for a in event.anchors if a.kind == "node" and not _KERNELS.isdisjoint(event.channels)
    }
    seen = [h for h in hosts if h in own or sight.covers("kernel", h, since, until) != "no"]
    return len(seen) / len(hosts)


def _may_hide(candidate: Candidate, graph: Graph, pages: Mapping[str, Page], sight: Sight) -> bool:
    """Tell whether a rival that only the kernel would report may hide in logs that were not read.

    None can where one line names cause and effect, nor where a root was seen and no such rival
    brings about what it did.
    """
    if states_itself(candidate, graph) or hosts_covered(candidate, graph, sight) >= COVERED_SHARE:
        return False
    rivals = rival_pages(candidate, graph, pages)
    seen = candidate.observed and candidate.event.role in HEADS
    return not seen or any(s.source == "kernel" for page in rivals for s in page.signatures)


def blind_spots(
    candidate: Candidate, graph: Graph, pages: Mapping[str, Page], sight: Sight
) -> list[Page]:
    """Return rival roots that, had they been there, no source that was read would have shown."""
    places = _onset_places(candidate, graph)
    since, until = candidate.event.earliest - 60.0, candidate.event.latest + 60.0
    return [
        page
        for page in rival_pages(candidate, graph, pages)
        if page.signatures and sight.would_show(page, places, since, until) == "no"
    ]


def hides_its_cause(event: Event, pages: Mapping[str, Page], sight: Sight) -> bool:
    """Tell whether some cause that the handbook knows of an event would have left no trace."""
    since, until = event.earliest - 60.0, event.latest + 60.0
    return any(
        page.role == "root"
        and page.signatures
        and any(link.effect == event.page for link in page.causes)
        and sight.would_show(page, event.anchors, since, until) == "no"
        for page in pages.values()
    )


def judge(
    candidate: Candidate, ranking: Ranking, pages: Mapping[str, Page], sight: Sight
) -> Judgement:
    """Return a candidate's confidence and what caps it."""
    graph = ranking.graph
    kinds = count_kinds(candidate, graph)
    rivals = comparable_rivals(candidate, ranking)
    blind = blind_spots(candidate, graph, pages, sight)
    low = _inconclusive_reasons(candidate, graph, rivals, pages, sight)
    if told_in_one_line(candidate, graph):
        low += [
            say_with("left-open", page=_title(e.page, pages), entity=say_both(e.entity.id))
            for e in left_open(candidate, ranking)[:1]
        ]
    high = [] if low else _unconfirmed_reasons(candidate, graph, blind)
    confidence: Confidence = "INCONCLUSIVE" if low else "LIKELY" if high else "CONFIRMED"
    return Judgement(
        confidence=confidence,
        caps=tuple(low or high),
        rivals=tuple(r.id for r in rivals),
        kinds=kinds,
        blind=tuple(p.id for p in blind),
    )


def _inconclusive_reasons(
    candidate: Candidate,
    graph: Graph,
    rivals: Sequence[Candidate],
    pages: Mapping[str, Page],
    sight: Sight,
) -> list[Bilingual]:
    reasons = []
    kinds = count_kinds(candidate, graph)
    if kinds < LEAST_KINDS and not is_quoted(candidate, graph):
        reasons.append(say("few-kinds", kinds=kinds))
    reasons += [
        say_with("rival", page=_title(r.event.page, pages), entity=say_both(r.event.entity.id))
        for r in rivals[:2]
    ]
    reasons += [
        say_with("missing-effect", effect=_title(link.effect, pages)) for link in candidate.missing
    ]
    reasons += [
        say_with("contradicted", page=_title(event.page, pages), event=say_both(event.id))
        for event in candidate.contradictions[:2]
    ]
    if len(_firm_kinds(candidate, graph)) < LEAST_KINDS:
        reasons += _guesses(candidate, graph)
    latent = candidate.latent
    if latent is not None and latent.contradicted:
        total = len(latent.affected) + len(latent.unaffected)
        reasons.append(say("members-unaffected", unaffected=len(latent.unaffected), total=total))
    if latent is not None and not latent.named:
        reasons.append(say("shared-unnamed", victims=len(latent.affected)))
    if latent is not None and latent.thin:
        reasons.append(say("few-victims", victims=len(latent.affected)))
    if _may_hide(candidate, graph, pages, sight):
        reasons.append(say("onset-uncovered"))
    return reasons


def _unconfirmed_reasons(
    candidate: Candidate, graph: Graph, blind: Sequence[Page]
) -> list[Bilingual]:
    """Return why a likely candidate is not confirmed."""
    firsts = _first_edges(candidate, graph)
    tests = {
        "inferred": not candidate.observed,
        "lowest-seen": candidate.event.role == "mechanism",
        "identity-inferred": any(not edge.stated for edge in _path_edges(candidate, graph)),
        "order-uncertain": not any(edge.certain for edge in firsts),
        "zone-unknown": candidate.event.start.zone == "unknown",
        "zone-assumed": candidate.event.start.zone == "assumed",
        "live-only": candidate.event.live,
        "quoted-only": candidate.event.channels == {"quoted"},
    }
    reasons = [say(key) for key, holds in tests.items() if holds]
    reasons += _guesses(candidate, graph)
    if blind:
        titles = [page.title for page in blind[:3]]
        told = Bilingual(en=", ".join(t.en for t in titles), zh="、".join(t.zh for t in titles))
        reasons.append(say_with("blind", pages=told))
    return reasons


def _title(page: str, pages: Mapping[str, Page]) -> Bilingual:
    """Name a condition as people do."""
    return pages[page].title if page in pages else say_both(page)
