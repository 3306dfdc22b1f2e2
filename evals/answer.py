"""What a diagnosis claims, in the shape that is scored: the product's, or a baseline's."""

from dataclasses import dataclass, field
from datetime import datetime

from assistant.diagnosis.result import Confidence, Diagnosis, RootCause, Verdict
from assistant.event import Event
from assistant.investigation import Investigation
from tools.evidence import Citation, Evidence


@dataclass(frozen=True, slots=True)
class NamedRoot:
    """One root cause as claimed."""

    page: str
    kind: str
    ids: frozenset[str]
    layer: str
    plane: str
    observed: bool
    confidence: Confidence
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """Everything of a diagnosis that is scored."""

    verdict: Verdict
    confidence: Confidence
    roots: tuple[NamedRoot, ...] = ()
    chain: tuple[tuple[str, str], ...] = ()
    """Cause page, effect page."""
    first_at: datetime | None = None
    first_before_s: float = 0.0
    """How much earlier it may have begun."""
    ruled_out: frozenset[str] = frozenset()
    checks: tuple[str, ...] = ()
    """Commands that it proposes to look further."""
    places: tuple[str, ...] = ()
    """Where each of them is to be run."""
    lacking: tuple[str, ...] = ()
    """What it says it has not seen."""
    advice: tuple[str, ...] = ()
    """What it tells people to do now, and which repairs it offers, with their risk."""
    citations: tuple[Citation, ...] = ()
    """Those that the claims rest on."""
    uncited: tuple[str, ...] = ()
    """Claims without any evidence."""
    evidence: dict[str, Evidence] = field(default_factory=dict)
    """By id."""


def read(investigation: Investigation) -> Answer:
    """Take an answer from an investigation."""
    diagnosis = investigation.diagnosis
    if diagnosis is None:
        return Answer("inconclusive", "INCONCLUSIVE")
    events = {event.id: event for event in investigation.timeline.events}
    first = events.get(diagnosis.first_anomaly)
    shown = _shown(diagnosis, events)
    return Answer(
        verdict=diagnosis.verdict,
        confidence=diagnosis.confidence,
        roots=tuple(_root(cause) for cause in diagnosis.root_causes),
        chain=tuple(
            (events[link.source].page, events[link.target].page)
            for link in diagnosis.chain
            if link.source in events and link.target in events
        ),
        first_at=first.start.utc if first else None,
        first_before_s=first.before_s + first.start.uncertainty_s if first else 0.0,
        ruled_out=frozenset(item.page for item in diagnosis.ruled_out if item.evidence),
        checks=tuple(check.command for check in diagnosis.next_checks),
        places=tuple(check.where for check in diagnosis.next_checks),
        lacking=_lacking(investigation, diagnosis),
        advice=_advice(diagnosis),
        citations=tuple(citation for event in shown for citation in event.citations),
        uncited=_uncited(diagnosis, shown),
        evidence={item.id: item for item in investigation.evidence},
    )


def _root(cause: RootCause) -> NamedRoot:
    entity = cause.entity
    return NamedRoot(
        page=cause.page,
        kind=entity.kind,
        ids=frozenset({entity.id, *entity.names}),
        layer=cause.layer,
        plane=cause.plane,
        observed=cause.observed,
        confidence=cause.confidence,
        evidence=cause.evidence,
    )


def _lacking(investigation: Investigation, diagnosis: Diagnosis) -> tuple[str, ...]:
    """Return what it asks for, and what its ledger says was not seen."""
    asked = (item.what.en for item in diagnosis.missing_information)
    unseen = (
        f"{row.source} {row.target}: {row.why}"
        for row in investigation.coverage
        if row.state in {"hung", "not_checked", "not_visible"}
    )
    return (*asked, *unseen)


def _advice(diagnosis: Diagnosis) -> tuple[str, ...]:
    offered = [f"{remedy.risk} {remedy.title.en}" for remedy in diagnosis.remedies]
    return (*(item.text.en for item in diagnosis.contain_now), *offered)


def _shown(diagnosis: Diagnosis, events: dict[str, Event]) -> list[Event]:
    """Return the events that the roots, the chain and the first anomaly rest on, once each."""
    names = [cause.event for cause in diagnosis.root_causes if cause.event]
    names.append(diagnosis.first_anomaly)
    for link in diagnosis.chain:
        names += [link.source, link.target]
    return [events[name] for name in dict.fromkeys(names) if name in events]


def _uncited(diagnosis: Diagnosis, shown: list[Event]) -> tuple[str, ...]:
    """Name what is claimed as seen and cites nothing."""
    roots = [c.page for c in diagnosis.root_causes if c.observed and not c.evidence]
    inferred = {c.page for c in diagnosis.root_causes if not c.observed}
    bare = [e.page for e in shown if not e.citations and e.page not in inferred]
    return (*roots, *bare)
