"""What a reader would suspect, and the evidence that killed it."""

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from assistant.diagnosis.case import Case, counts, damaging, hosts_of
from assistant.diagnosis.chain import evidence_of
from assistant.diagnosis.graph import anchor_kind, shares
from assistant.diagnosis.guards import acts_until
from assistant.diagnosis.health import find_unread
from assistant.diagnosis.hypotheses import Ranking
from assistant.diagnosis.result import RuledOut
from assistant.event import Event
from assistant.sentences import say, say_with
from assistant.sight import Sight
from knowledge.bilingual import Bilingual
from knowledge.page import Page, TextSignature

MOST = 8
HARDWARE_CHANNEL = "kernel"
SILENT = frozenset({"alert", "app", "device"})


def rule_out(case: Case, ranking: Ranking) -> list[RuledOut]:
    """Return suspicions with the evidence against them, those claimed by the reporter first.

    A condition is ruled out where every place concerned was read over the whole window by a source
    that shows it and nothing did, or where a refuting condition was seen. Umbrella pages (they name
    in `stands_for` what they stand for) are ruled out with all that they stand for.
    """
    hurt = [event for event in case.timeline.events if damaging(event)]
    if not hurt:
        return []
    present = {event.page for event in case.timeline.events}
    blamed = {candidate.event.page for candidate in ranking.picks}
    since = _onset([*hurt, *(candidate.event for candidate in ranking.picks)], case)
    nodes = _hosts_concerned(hurt, case)
    found = []
    for page in _suspects(case, hurt, present):
        if blamed & set(page.stands_for):
            continue  # a class is not ruled out by the verdict that names one of it
        if page.stands_for:  # what reads well now may have failed then: only the log clears it
            row = _umbrella(page, case, nodes, since)
        else:
            row = _refuted(page, ranking, hurt) or _unseen(page, case, nodes, since)
        if row is not None:
            found.append(row)
        if len(found) == MOST:
            break
    return found


def _suspects(case: Case, hurt: list[Event], present: set[str]) -> list[Page]:
    symptoms = {event.page for event in hurt}
    text = f"{case.incident.title} {case.incident.text}".lower()
    rows = []
    for page in case.pages.values():
        if page.role != "root" or page.id in present:
            continue
        claimed = any(code.lower() in text for code in page.codes)
        shared = sum(1 for link in page.causes if link.effect in symptoms)
        umbrella = bool(page.stands_for) and page.infer is None and bool(page.refuted_by)
        if claimed or shared or umbrella:
            rows.append((not umbrella, not claimed, -shared, page.id, page))
    return [row[-1] for row in sorted(rows, key=lambda r: r[:4])]


def _hosts_concerned(hurt: Iterable[Event], case: Case) -> frozenset[str]:
    """Return every host that takes part; none where one of them may be unknown.

    What ranks wait for may be on any host of their job, not only on those that complain.
    """
    found = hosts_of(hurt)
    waits = _felt_from_afar(case)
    for jobs in {
        tuple(a.id for a in event.anchors if a.kind == "job")
        for event in hurt
        if event.page in waits
    }:
        members = {host for job in jobs for host in case.topology.related("job", job, "node")}
        if not members:
            return frozenset()
        found |= members
    return frozenset(found)


def _felt_from_afar(case: Case) -> set[str]:
    """Return the conditions of ranks that some fault elsewhere in their job brings about."""
    links = (link for page in case.pages.values() for link in page.causes)
    far = {link.effect for link in links if link.scope in {"job", "peer"}}
    return {name for name in far & case.pages.keys() if case.pages[name].entity.kind == "rank"}


def _umbrella(page: Page, case: Case, nodes: frozenset[str], since: float) -> RuledOut | None:
    """Rule out a whole class by gapless kernel logs of every node concerned."""
    parts = [case.pages[name] for name in page.stands_for if name in case.pages]
    seen = [
        event
        for event in case.timeline.events
        if event.page in set(page.stands_for)
        and not event.chronic
        and not event.benign
        and acts_until(event, case.pages[event.page]) >= case.since
    ]
    if not parts or seen or not nodes or _speaks_of_hardware(page, case):
        return None
    until = case.until
    rows = {n: case.sight.covering(HARDWARE_CHANNEL, n, since, until) for n in nodes}
    gapless = all(case.sight.clears(HARDWARE_CHANNEL, n, since, until) for n in nodes)
    if not gapless:
        return None
    support = [e for e in case.timeline.events if e.page in {r.condition for r in page.refuted_by}]
    why = say("ruled-out-hardware", nodes=len(nodes))
    if support:
        extra = say("ruled-out-supported", evidence=", ".join(evidence_of(support)[:3]))
        why = Bilingual(en=f"{why.en} {extra.en}", zh=f"{why.zh}{extra.zh}")
    cited = sorted({row.evidence for stretches in rows.values() for row in stretches})
    return RuledOut(
        page=page.id, title=page.title, why=why, evidence=(*cited, *evidence_of(support))[:40]
    )


def _speaks_of_hardware(page: Page, case: Case) -> bool:
    """Tell whether anything else that was read may come from the hardware in question.

    A program that misses a GPU, a health check that reports one, or an error that no page knows and
    that is the kernel's or speaks of one, is no proof of a fault; it is why silence elsewhere
    proves no health.
    """
    told = (
        event
        for event in case.timeline.events
        if event.layer == "hardware"
        and event.plane == page.plane
        and (event.damage or event.severity in {"error", "critical"})
        and counts(event)
        and acts_until(event, case.pages[event.page]) >= case.since
    )
    word = re.compile(rf"\b{re.escape(page.entity.kind)}s?\b", re.IGNORECASE)
    strange = (
        event
        for event in find_unread(case)
        if HARDWARE_CHANNEL in event.channels or word.search(event.text)
    )
    return any(True for _ in chain(told, strange))


def _onset(hurt: Iterable[Event], case: Case) -> float:
    """Return when the harm may have begun, inside the window that was asked for or found."""
    return max(min(event.earliest for event in hurt), case.since)


def _refuted(page: Page, ranking: Ranking, hurt: list[Event]) -> RuledOut | None:
    for rule in page.refuted_by:
        against = [
            event
            for event in ranking.graph.events.values()
            if event.page == rule.condition
            and not event.live
            and any(shares(h.anchors, event.anchors, anchor_kind(rule.scope)) for h in hurt)
        ]
        if against:
            named = Bilingual(en=against[0].id, zh=against[0].id)
            why = say_with("ruled-out-refuted", event=named, why=rule.why)
            return RuledOut(
                page=page.id, title=page.title, why=why, evidence=evidence_of(against[:3])
            )
    return None


def _unseen(page: Page, case: Case, nodes: frozenset[str], since: float) -> RuledOut | None:
    if not page.signatures or page.unwritten:
        return None
    channels = _writers(page)
    cited = _covering(channels, nodes, case.sight, (since, case.until))
    if not cited:
        return None
    return RuledOut(
        page=page.id,
        title=page.title,
        why=say("ruled-out-unseen", sources=", ".join(channels)),
        evidence=tuple(cited[:10]),
    )


def _writers(page: Page) -> list[str]:
    """Return the channels that would have told: the hosts' logs, else the cluster's events.

    An alert fires by its own rule, a program may print or not: their silence clears nothing.
    """
    texts = (s for s in page.signatures if isinstance(s, TextSignature) and s.yields == "event")
    channels = {signature.source for signature in texts} - SILENT
    return sorted(channels - {"event"} or channels)


def _covering(
    channels: Sequence[str], nodes: frozenset[str], sight: Sight, span: tuple[float, float]
) -> list[str]:
    """Return the evidence that clears every node on every channel; empty if any is missing."""
    asked = [(channel, node) for channel in channels for node in nodes]
    if not all(sight.clears(channel, node, *span) for channel, node in asked):
        return []
    rows = (row for channel, node in asked for row in sight.covering(channel, node, *span))
    return sorted({row.evidence for row in rows})
