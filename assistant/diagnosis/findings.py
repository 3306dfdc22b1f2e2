"""The roots a diagnosis stands on: the first, and what is independent of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from assistant.diagnosis.case import CHANGE_LOOKBACK_S, STOPS_WORK, Case, grave
from assistant.diagnosis.chain import draw_chain
from assistant.diagnosis.confidence import Judgement, judge, left_open
from assistant.diagnosis.graph import Graph
from assistant.diagnosis.hypotheses import Candidate, Ranking, recurs
from assistant.diagnosis.members import with_members
from assistant.diagnosis.result import ChainLink
from assistant.event import Event
from assistant.sentences import say_both, say_with
from knowledge.bilingual import Bilingual

_WIDE = frozenset({"cluster", "rack", "pdu"})
"""What two faults may have in common by mere chance."""


@dataclass(frozen=True)
class Finding:
    """A root the verdict stands on, with its confidence."""

    candidate: Candidate
    judgement: Judgement
    graph: Graph

    @cached_property
    def chain(self) -> tuple[ChainLink, ...]:
        """The propagation that is drawn from it."""
        return tuple(draw_chain(self.candidate, self.graph))


def find_roots(ranking: Ranking, case: Case) -> list[Finding]:
    """Return the first root, and further independent ones.

    A further root is judged by what only it explains: a second cause for what already has one is
    a coincidence, however many effects it could have had, and what its own line states asks for
    none. One that is less than likely is named where it did grave harm to other things than those
    of the roots before it: nothing of theirs could be its cause, and it is no less of a fault.
    """
    findings: list[Finding] = []
    explained: set[str] = set()
    joined: set[str] = set()
    for single in ranking.picks:
        if single.id in joined:
            continue
        pick = with_members(single, ranking.graph)
        joined |= pick.reached.keys() - single.reached.keys()
        earlier = next((f for f in findings if recurs(f.candidate, pick)), None)
        if earlier is not None:
            findings[findings.index(earlier)] = _with_recurrence(earlier, pick)
            explained |= set(pick.reached)
            continue
        told = _own_words(pick, ranking.graph) if findings else frozenset()
        own = {name: q for name, q in pick.reached.items() if name not in explained | told}
        judgement = judge(replace(pick, reached=own), ranking, case.pages, case.sight)
        sure = judgement.confidence != "INCONCLUSIVE"
        if not findings or sure or _stands_apart(replace(pick, reached=own), findings, ranking):
            findings.append(Finding(pick, judgement, ranking.graph))
        explained |= set(pick.reached)
    if findings and findings[0].judgement.confidence == "INCONCLUSIVE":
        findings = _lead(findings, ranking, case)
    return [*findings, *_twins(findings, explained, ranking, case)]


def _twins(
    findings: Sequence[Finding], explained: set[str], ranking: Ranking, case: Case
) -> list[Finding]:
    """Return further things on which the same grave condition was seen, and that stand apart.

    Whoever looks into one of them has to look into all, though no more was seen of the others.
    """
    pages = {f.candidate.event.page for f in findings if f.candidate.observed}
    known = _places(e for f in findings for e in _whole(f.candidate, ranking.graph.events))
    done = explained | {f.candidate.id for f in findings}
    found = []
    for other in ranking.everything:
        if other.event.page not in pages or other.id in done or other.contradictions:
            continue
        places = _places(_whole(other, ranking.graph.events))
        if places and grave(other.event) and known.isdisjoint(places):
            judgement = judge(other, ranking, case.pages, case.sight)
            found.append(Finding(other, judgement, ranking.graph))
            known |= places
    return found


def _stands_apart(pick: Candidate, findings: Sequence[Finding], ranking: Ranking) -> bool:
    """Tell whether a root was seen to do grave harm, and has nothing in common with the others."""
    if findings[0].judgement.confidence == "INCONCLUSIVE" or not pick.observed:
        return False
    events = ranking.graph.events
    harmed = [events[name] for name in pick.reached if grave(events[name])]
    if not harmed or pick.contradictions:
        return False
    known = _places(e for f in findings for e in _whole(f.candidate, events))
    return known.isdisjoint(_places(_whole(pick, events)))


def admit_open(
    findings: list[Finding], unexplained: Iterable[str], ranking: Ranking, case: Case
) -> tuple[list[Finding], Event | None]:
    """Return the gravest event that is left open beside the roots, and the roots less sure for it.

    None of them is confirmed while something as grave has nothing to do with them. What only a root
    that is less than likely explains is open as well.
    """
    sure = [f for f in findings if f.judgement.confidence != "INCONCLUSIVE"]
    told = {name for f in sure for name in f.candidate.reached}
    doubted = {name for f in findings for name in f.candidate.reached} - told
    names = [*unexplained, *doubted] if sure else unexplained
    left = _gravest_open(sure or findings, names, ranking) if findings else None
    if left is None:
        return findings, None
    title = case.pages[left.page].title
    cap = say_with("graver-open", page=title, entity=say_both(left.entity.id))
    return [replace(one, judgement=_capped(one.judgement, cap)) for one in findings], left


def _gravest_open(
    findings: Sequence[Finding], unexplained: Iterable[str], ranking: Ranking
) -> Event | None:
    """Return what stopped work and is no less grave than all that the roots account for.

    A condition that they explain is no other matter elsewhere, and what shares a place with them
    may be theirs by a way that no page tells.
    """
    events = ranking.graph.events
    told = [e for f in findings for e in _whole(f.candidate, events)]
    pages, places = {e.page for e in told}, _places(told)
    least = max((STOPS_WORK, *(e.damage for e in told)))
    rows = [events[name] for name in unexplained if events[name].damage >= least]
    apart = [e for e in rows if e.page not in pages and places.isdisjoint(_places([e]))]
    return min(apart, key=lambda e: (-e.damage, e.earliest, e.id), default=None)


def _capped(judgement: Judgement, cap: Bilingual) -> Judgement:
    if judgement.confidence == "INCONCLUSIVE":
        return judgement
    return replace(judgement, confidence="LIKELY", caps=(cap, *judgement.caps))


def _whole(pick: Candidate, events: Mapping[str, Event]) -> list[Event]:
    return [pick.event, *(events[name] for name in pick.reached)]


def _places(events: Iterable[Event]) -> set[tuple[str, str]]:
    found = {(a.kind, a.id) for e in events for a in (*e.anchors, *e.peers)}
    return {key for key in found if key[0] not in _WIDE}


_GRAVITY = {"critical": 3, "error": 2, "warning": 1, "info": 0}


def _lead(findings: Sequence[Finding], ranking: Ranking, case: Case) -> list[Finding]:
    """Return another lead for a first that explains nothing but itself; none where all are idle.

    One that explains what hurts comes before those that merely happened; of these the gravest, and
    none where what is left open is graver still.
    """

    def explains(pick: Candidate) -> bool:
        outer = pick.reached.keys() - _own_words(pick, ranking.graph)
        return any(grave(ranking.graph.events[name]) for name in outer)

    def worth(pick: Candidate) -> tuple[bool, int, float]:
        gravity = 0 if explains(pick) else _GRAVITY[pick.event.severity]
        return explains(pick), gravity, pick.gain

    if explains(findings[0].candidate):
        return _surer_first(findings, ranking)
    best = max(ranking.picks, key=worth)
    rest = left_open(best, ranking)
    if not explains(best) and any(_eclipses(event, best.event) for event in rest):
        return []
    if best.id == findings[0].candidate.id:
        return list(findings)
    return [Finding(best, judge(best, ranking, case.pages, case.sight), ranking.graph)]


def _surer_first(findings: Sequence[Finding], ranking: Ranking) -> list[Finding]:
    """Put a root that is likely before one that is not and with which it has nothing in common."""
    first, events = findings[0], ranking.graph.events
    known = _places(_whole(first.candidate, events))
    apart = [
        f
        for f in findings[1:]
        if f.judgement.confidence != "INCONCLUSIVE"
        and f.candidate.observed
        and known.isdisjoint(_places(_whole(f.candidate, events)))
    ]
    return [*apart, *(f for f in findings if f not in apart)]


def _eclipses(event: Event, lead: Event) -> bool:
    """Tell whether an event is more of a concern than a lead that explains nothing."""
    graver = _GRAVITY[event.severity] > _GRAVITY[lead.severity]
    return graver or lead.latest < event.earliest - CHANGE_LOOKBACK_S


def _with_recurrence(finding: Finding, again: Candidate) -> Finding:
    """Let a root account for what it did when it came again."""
    reached = {**again.reached, again.id: 1.0, **finding.candidate.reached}
    return replace(finding, candidate=replace(finding.candidate, reached=reached))


def _own_words(pick: Candidate, graph: Graph) -> frozenset[str]:
    """Return the effects that stand in the candidate's own line."""
    return frozenset(e.effect for e in graph.out.get(pick.id, ()) if e.scope == "line")
