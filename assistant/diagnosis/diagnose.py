"""From an ordered timeline to a diagnosis. Deterministic; no model, no network."""

from collections.abc import Mapping, Sequence
from datetime import UTC

from assistant.diagnosis import guidance
from assistant.diagnosis.beginning import beginning, first_anomaly
from assistant.diagnosis.case import (
    CHANGE_LOOKBACK_S,
    Case,
    damaging,
    grave,
    in_question,
    nodes_of,
    stops_for_good,
)
from assistant.diagnosis.chain import evidence_of
from assistant.diagnosis.codes import said_codes
from assistant.diagnosis.collateral import find_collateral
from assistant.diagnosis.confidence import (
    Judgement,
    count_kinds,
    firmly_reached,
    hides_its_cause,
)
from assistant.diagnosis.containment import contain_now
from assistant.diagnosis.exclusion import rule_out
from assistant.diagnosis.findings import Finding, admit_open, find_roots
from assistant.diagnosis.first_failing import find_first_failing
from assistant.diagnosis.graph import HEADS, Graph, build_graph
from assistant.diagnosis.health import find_standing, find_unread, is_innocent, why_not_healthy
from assistant.diagnosis.hypotheses import (
    Candidate,
    Ranking,
    find_candidates,
    rank,
    with_latent,
)
from assistant.diagnosis.impact import count_impact, read_state
from assistant.diagnosis.latent import infer_latent
from assistant.diagnosis.placing import open_parts, part, place_cautions
from assistant.diagnosis.result import (
    Change,
    Claim,
    Confidence,
    Diagnosis,
    Hypothesis,
    Missing,
    NextCheck,
    RootCause,
    Verdict,
)
from assistant.diagnosis.weights import DEFAULT_WEIGHTS, Weights
from assistant.event import Event
from assistant.sentences import say, say_with
from knowledge.bilingual import Bilingual
from knowledge.page import Page

MOST_HYPOTHESES = 10


def diagnose(case: Case, weights: Weights = DEFAULT_WEIGHTS) -> Diagnosis:
    """Rank the causes of a case and say how sure that is."""
    ranking, collateral = rank_causes(case, weights)
    found = find_roots(ranking, case)
    unexplained = _unexplained(found, ranking, collateral, case)
    findings, left = admit_open(found, unexplained, ranking, case)
    roots = [f.candidate for f in findings]
    links = [link for f in findings for link in f.chain]
    verdict, confidence = _verdict(findings, case)
    if verdict == "healthy":
        findings, roots, links, left = [], [], [], None
    pages = guidance.chain_pages(links, roots, case) if verdict != "healthy" else []
    parts = part(findings, ranking)
    grave = open_parts(unexplained, ranking) if roots else []
    advised = [*pages, *(case.pages[one.root.page] for one in grave)]
    checks = [] if verdict == "healthy" else _next_checks(ranking, roots, left, case)
    return Diagnosis(
        verdict=verdict,
        confidence=confidence,
        state=read_state(case),
        impact=count_impact(case),
        first_anomaly=first_anomaly(verdict, findings, case, collateral, unexplained),
        root_causes=_root_causes(findings, ranking, case, verdict),
        hypotheses=_hypotheses(ranking, case, checks),
        chain=tuple(links),
        amplifiers=_amplifiers(findings, ranking, case),
        contain_now=contain_now(advised, [*parts, *grave], case),
        do_not=place_cautions(guidance.do_not(advised), [*parts, *grave], case.pages),
        changes=_changes(case, ranking),
        ruled_out=tuple(rule_out(case, ranking)),
        unexplained=unexplained,
        gravest_open=left.id if left else "",
        unread=tuple(event.id for event in find_unread(case)),
        standing=_standing(verdict, case),
        collateral=_consequences(collateral, findings),
        first_failing=tuple(find_first_failing(case)),
        next_checks=tuple(checks),
        missing_information=tuple(_missing(verdict, roots, case)),
        remedies=tuple(guidance.remedies(pages)),
        caps=_caps(findings, verdict),
        decided_by_unseen=_decided_by_unseen(verdict, findings, left, case),
    )


def rank_causes(case: Case, weights: Weights) -> tuple[Ranking, dict[str, str]]:
    """Return the ranking of all candidates and the collateral that was set aside."""
    events = [e for e in case.timeline.events if in_question(e, case)]
    graph = build_graph(events, case.pages, case.settings, weights)
    collateral = find_collateral(events, case.pages)
    latents = infer_latent(
        graph, case.pages, collateral=collateral, topology=case.topology, sight=case.sight
    )
    whole: Graph = with_latent(graph, latents, case.pages)
    found = find_candidates(
        whole, case.pages, latents, sight=case.sight, settings=case.settings, weights=weights
    )
    return rank(whole, found, case.pages, weights), collateral


def _verdict(findings: Sequence[Finding], case: Case) -> tuple[Verdict, Confidence]:
    first = findings[0].judgement.confidence if findings else "INCONCLUSIVE"
    wished = all(f.candidate.event.role == "change" for f in findings)
    hurts = first != "INCONCLUSIVE" and any(_hurts(f, case) for f in findings)
    if hurts and not wished:
        return "fault", first
    if not why_not_healthy(case):
        return "healthy", "LIKELY"
    if hurts:
        return "fault", first
    return "inconclusive", "INCONCLUSIVE"


def _hurts(finding: Finding, case: Case) -> bool:
    """Tell whether a root does damage that anybody feels, or is bound to."""
    events = {e.id: e for e in case.timeline.events}
    names = [finding.candidate.id, *finding.candidate.reached]
    return any(n in events and grave(events[n]) for n in names) or (
        finding.candidate.event.damage > 0
    )


def _missing(verdict: Verdict, roots: Sequence[Candidate], case: Case) -> list[Missing]:
    asked = why_not_healthy(case) if verdict == "inconclusive" and not roots else []
    return guidance.missing_information(case, roots, asked)


def _standing(verdict: Verdict, case: Case) -> tuple[str, ...]:
    return tuple(e.id for e in find_standing(case)) if verdict == "healthy" else ()


def _next_checks(
    ranking: Ranking, roots: Sequence[Candidate], left: Event | None, case: Case
) -> list[NextCheck]:
    """Let what no root explains ask for its own looks, as a root does."""
    nothing: Mapping[str, float] = {}
    beside = [Candidate(event, True, nothing, (), ()) for event in (left,) if event is not None]
    return guidance.next_checks(ranking, [*roots, *beside], case)


def _decided_by_unseen(
    verdict: Verdict, findings: Sequence[Finding], left: Event | None, case: Case
) -> bool:
    if verdict == "healthy":
        return False
    if verdict == "inconclusive" or not findings:
        return True
    first = findings[0]
    if left is not None and hides_its_cause(left, case.pages, case.sight):
        return True
    return bool(first.judgement.blind) or not first.candidate.observed


def _named(candidate: Candidate) -> str:
    entity = candidate.event.entity
    names = [n for n in entity.names if n != entity.id]
    return f"{entity.id} ({', '.join(names[:2])})" if names else entity.id


def _root_causes(
    findings: Sequence[Finding], ranking: Ranking, case: Case, verdict: Verdict
) -> tuple[RootCause, ...]:
    """Return the roots; none is surer than the verdict that stands on it."""
    roots = tuple(_root_cause(finding, ranking, case) for finding in findings)
    return roots if verdict == "fault" else tuple(_as_lead(root) for root in roots)


def _as_lead(root: RootCause) -> RootCause:
    open_question = {"confidence": "INCONCLUSIVE"}
    where, why = (claim.model_copy(update=open_question) for claim in (root.where, root.why))
    return root.model_copy(update={**open_question, "where": where, "why": why})


def _caps(findings: Sequence[Finding], verdict: Verdict) -> tuple[Bilingual, ...]:
    if not findings:
        return ()
    first = findings[0].judgement
    unfelt = verdict == "inconclusive" and first.confidence != "INCONCLUSIVE"
    return (*first.caps, say("unfelt")) if unfelt else first.caps


def _root_cause(finding: Finding, ranking: Ranking, case: Case) -> RootCause:
    candidate, judgement = finding.candidate, finding.judgement
    page = case.pages[candidate.event.page]
    graph = ranking.graph
    own = [candidate.event, *(graph.events[n] for n in list(candidate.reached)[:10])]
    first = beginning(finding, case)
    return RootCause(
        hypothesis=_label(candidate, ranking),
        page=page.id,
        codes=said_codes(page, candidate.event),
        title=page.title,
        layer=page.layer,
        plane=page.plane,
        entity=candidate.event.entity,
        observed=candidate.observed,
        confidence=judgement.confidence,
        where=_where(candidate, judgement, ranking, case),
        why=_why(candidate, judgement, page),
        explains=tuple(candidate.reached),
        contradicted_by=tuple(e.id for e in candidate.contradictions),
        evidence=evidence_of(own if not candidate.observed else [candidate.event]),
        event=candidate.id if candidate.observed else "",
        first_anomaly=first.id if first else "",
        state=read_state(case, frozenset((candidate.id, *candidate.reached))),
    )


def _where(candidate: Candidate, judgement: Judgement, ranking: Ranking, case: Case) -> Claim:
    """Return what is at fault and on how many hosts it is felt: a guess adds none."""
    events, latent = ranking.graph.events, candidate.latent
    firm = firmly_reached(candidate, ranking.graph)
    reached = [candidate.event, *(events[n] for n in candidate.reached if n in firm)]
    victims = [events[n] for n in latent.effects] if latent else filter(grave, reached)
    nodes = nodes_of(victims, case)
    key = "where-alone" if not nodes else "where-inferred" if latent else "where"
    return Claim(
        text=say(key, entity=_named(candidate), nodes=len(nodes)), confidence=judgement.confidence
    )


def _why(candidate: Candidate, judgement: Judgement, page: Page) -> Claim:
    known = candidate.observed and candidate.event.role in HEADS and page.why_unknown is None
    if known:
        text = say_with("why-observed", title=page.title, summary=page.summary)
        return Claim(text=text, confidence=judgement.confidence)
    text = page.why_unknown or say_with("why-unknown", title=page.title)
    return Claim(text=text, confidence="INCONCLUSIVE")


def _label(candidate: Candidate, ranking: Ranking) -> str:
    return ranking.labels[candidate.id]


def _hypotheses(
    ranking: Ranking, case: Case, checks: Sequence[NextCheck]
) -> tuple[Hypothesis, ...]:
    rows = []
    for number, candidate in enumerate(ranking.leads[:MOST_HYPOTHESES], 1):
        page = case.pages[candidate.event.page]
        effects = [ranking.graph.events[n] for n in list(candidate.reached)[:20]]
        cited = [candidate.event, *effects] if not candidate.observed else [candidate.event]
        rows.append(
            Hypothesis(
                id=f"h{number}",
                rank=number,
                page=page.id,
                title=page.title,
                layer=page.layer,
                plane=page.plane,
                entity=candidate.event.entity,
                event=candidate.id if candidate.observed else "",
                observed=candidate.observed,
                score=round(candidate.gain, 3),
                explains=tuple(candidate.reached),
                kinds=count_kinds(candidate, ranking.graph),
                supports=evidence_of(cited),
                contradicts=tuple(e.id for e in candidate.contradictions),
                missing=tuple(link.effect for link in candidate.missing),
                would_tell=tuple(c.id for c in checks if f"h{number}" in c.tells_apart),
            )
        )
    return tuple(rows)


def _changes(case: Case, ranking: Ranking) -> tuple[Change, ...]:
    hurt = [event for event in case.timeline.events if damaging(event)]
    places = {(a.kind, a.id) for event in hurt for a in event.anchors}
    rows = []
    for event in case.timeline.events:
        if event.role != "change" or event.last.utc.timestamp() < case.since - CHANGE_LOOKBACK_S:
            continue
        match = any((a.kind, a.id) in places for a in event.anchors)
        rows.append(
            Change(
                at=event.start.utc.astimezone(UTC) if event.start.dated else None,
                what=event.text.strip().splitlines()[0][:300] if event.text.strip() else event.page,
                page=event.page,
                entity=event.entity,
                scope_match=match or event.id in ranking.graph.out,
                evidence=evidence_of([event]),
            )
        )
    return tuple(rows)


def _amplifiers(findings: Sequence[Finding], ranking: Ranking, case: Case) -> tuple[str, ...]:
    """Return the first event of each condition that spread the damage beyond the fault itself."""
    reached = [n for f in findings for n in f.candidate.reached]
    events = sorted((ranking.graph.events[n] for n in reached), key=lambda e: e.start.utc)
    first = {e.page: e.id for e in reversed(events) if case.pages[e.page].amplifies}
    return tuple(first[page] for page in reversed(first))


def _consequences(collateral: Mapping[str, str], findings: Sequence[Finding]) -> Mapping[str, str]:
    """Leave out what another head was taken for than the root that turned out to explain it."""
    wholes = [{f.candidate.id, *f.candidate.reached} for f in findings]
    return {
        event: head
        for event, head in collateral.items()
        if head in set().union(*wholes) or not any(event in whole for whole in wholes)
    }


def _unexplained(
    findings: Sequence[Finding], ranking: Ranking, collateral: dict[str, str], case: Case
) -> tuple[str, ...]:
    """Return alarming events that no root accounts for and that are not harmless in themselves.

    Of what was always so only what stops work, and only where there is nothing else to tell.
    """
    lasting = [e.id for e in case.timeline.events if not findings and stops_for_good(e)]
    explained = {n for f in findings for n in (f.candidate.id, *f.candidate.reached)}
    explained |= {link.source for f in findings for link in f.chain}
    return tuple(
        name
        for name in ranking.damage or lasting
        if name not in explained
        and ranking.graph.events[name].severity in {"critical", "error"}
        and collateral.get(name) not in explained
        and not is_innocent(ranking.graph.events[name], case)
    )
