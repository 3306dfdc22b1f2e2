"""Where a propagation began: the first anomaly."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

from assistant.diagnosis.case import CHANGE_LOOKBACK_S, Case, counts, hosts_of, in_question
from assistant.diagnosis.findings import Finding
from assistant.diagnosis.graph import times_compare
from assistant.diagnosis.result import Verdict
from assistant.event import Event


def first_anomaly(
    verdict: Verdict,
    findings: Sequence[Finding],
    case: Case,
    collateral: Mapping[str, str],
    unexplained: Sequence[str],
) -> str:
    """Return where the first of the propagations that the verdict stands on began.

    Where nothing is explained it is the first harm: an old fault elsewhere is not where this one
    began. While no cause is sure, it may also be what stays unexplained on the same hosts. What is
    healthy has none.
    """
    if verdict == "healthy":
        return ""
    events = {e.id: e for e in case.timeline.events}
    surest = [f for f in findings[1:] if f.judgement.confidence != "INCONCLUSIVE"]
    begun = (beginning(f, case) for f in (*findings[:1], *surest))
    rows = [event for event in begun if event is not None]
    rows = rows or [events[_source(e.id, collateral)] for e in case.harm]
    rows = rows or [e for e in case.timeline.events if _is_odd(e, case)]
    if all(f.judgement.confidence == "INCONCLUSIVE" for f in findings):
        rows = [*rows, *_just_before(_earliest(rows), [events[n] for n in unexplained], rows)]
    first = _earliest(rows)
    return first.id if first else ""


def _just_before(
    first: Event | None, others: Sequence[Event], rows: Sequence[Event]
) -> Sequence[Event]:
    """Return those of others that came shortly before, on what is hurt, by clocks that compare."""
    if first is None:
        return ()
    hurt, near = hosts_of(rows), timedelta(seconds=CHANGE_LOOKBACK_S)
    return [
        event
        for event in others
        if timedelta(0) < first.start.utc - event.start.utc <= near
        and times_compare(event, first)
        and not (hurt and hurt.isdisjoint(hosts_of([event])))
    ]


def beginning(finding: Finding, case: Case) -> Event | None:
    """Return the earliest event of one propagation, its precursors included.

    What follows from an event that was seen is no earlier, however wide its onset.
    """
    events = {e.id: e for e in case.timeline.events}
    names = {finding.candidate.id, *(link.source for link in finding.chain)}
    names |= {link.target for link in finding.chain}
    names -= {link.target for link in finding.chain if link.source in events}
    return _earliest(events[n] for n in names if n in events)


def _earliest(rows: Iterable[Event]) -> Event | None:
    return min(rows, key=lambda e: (e.start.utc, e.earliest), default=None)


def _source(event: str, collateral: Mapping[str, str]) -> str:
    """Follow consequences up to what they are the consequence of."""
    seen = {event}
    while (above := collateral.get(event)) and above not in seen:
        seen.add(above)
        event = above
    return event


def _is_odd(event: Event, case: Case) -> bool:
    return counts(event) and event.severity != "info" and in_question(event, case)
