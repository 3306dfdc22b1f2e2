"""Which member of a job failed first, when most of them only waited.

Timeouts name the victims. The culprit is, in this order: the member with the earliest error that is
no timeout, before the waiting began; the member that reports no timeout at all; the member that
submitted the fewest collectives of its group, or waits in an earlier one than the others.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from assistant.diagnosis.case import Case, damaging
from assistant.diagnosis.chain import evidence_of
from assistant.diagnosis.result import FirstFailing
from assistant.event import Event, FieldValue
from assistant.sentences import say, say_with
from tools.entity import Entity

LEAST_REPORTS = 3
"""Fewer timeouts than this need no search: they can be read."""
MOST_ABSENT = 8
"""More silent members than this say that logs are missing, not that ranks are."""
COUNTERS = {"last_enqueued": "first-fewest", "seq": "first-behind"}
"""Fields of a timeout report: how many collectives the rank had submitted, or else in which it
waits; and the sentence that says so."""


def find_first_failing(case: Case) -> list[FirstFailing]:
    """Return, per job with many timeouts, who failed first and why we think so."""
    found = []
    for job, reports in _reports(case).items():
        if sum(max(1, len(event.members)) for event in reports) < LEAST_REPORTS:
            continue
        row = (
            _earlier_error(job, reports, case)
            or _silent_member(job, reports, case)
            or _fewest_submitted(job, reports)
        )
        if row is not None:
            found.append(row)
    return found


def _is_wait(event: Event, case: Case) -> bool:
    """Tell whether an event is a report of having waited in vain."""
    page = case.pages[event.page]
    return bool(page.collateral_of) and page.begins_before is not None


def _reports(case: Case) -> Mapping[str, list[Event]]:
    reports: dict[str, list[Event]] = defaultdict(list)
    for event in case.timeline.events:
        if damaging(event) and _is_wait(event, case):
            for job in {a.id for a in event.anchors if a.kind == "job"}:
                reports[job].append(event)
    return reports


def _place(event: Event) -> Entity:
    """Return the most specific member of the job that an event speaks of."""
    for kind in ("rank", "pod", "node"):
        for anchor in event.anchors:
            if anchor.kind == kind:
                return Entity.model_validate({"kind": kind, "id": anchor.id})
    return event.entity


def _earlier_error(job: str, reports: Sequence[Event], case: Case) -> FirstFailing | None:
    began = min(event.latest for event in reports)
    errors = [
        event
        for event in case.timeline.events
        if damaging(event)
        and not _is_wait(event, case)
        and any(a.kind == "job" and a.id == job for a in event.anchors)
        and event.latest <= began
        and event.severity in {"critical", "error"}
    ]
    first = min(errors, key=lambda e: e.earliest, default=None)
    if first is None:
        return None
    return FirstFailing(
        job=job,
        entity=_place(first),
        event=first.id,
        why=say_with("first-error", title=case.pages[first.page].title),
        evidence=evidence_of([first]),
    )


def _silent_member(job: str, reports: Sequence[Event], case: Case) -> FirstFailing | None:
    for kind in ("rank", "pod", "node"):
        members = {a.id for a in case.topology.members(job) if a.kind == kind}
        spoke = {a.id for event in reports for a in event.anchors if a.kind == kind}
        spoke |= {m.id for event in reports for m in event.members if m.kind == kind}
        silent = sorted(members - spoke)
        if spoke and silent and len(silent) <= min(MOST_ABSENT, len(spoke)):
            return FirstFailing(
                job=job,
                entity=Entity.model_validate({"kind": kind, "id": silent[0]}),
                why=say("first-silent", silent=", ".join(silent), spoke=len(spoke)),
                evidence=evidence_of(reports[:2]),
            )
    return None


def _fewest_submitted(job: str, reports: Sequence[Event]) -> FirstFailing | None:
    for counter, sentence in COUNTERS.items():
        if counted := _counts(reports, counter):
            return _behind(job, counted, sentence)
    return None


def _behind(job: str, counted: Sequence[tuple[int, Event]], sentence: str) -> FirstFailing | None:
    least, event = min(counted, key=lambda row: row[0])
    most = max(value for value, _ in counted)
    if least == most or sum(value == least for value, _ in counted) > 1:
        return None
    return FirstFailing(
        job=job,
        entity=_place(event),
        why=say(sentence, least=least, most=most),
        evidence=evidence_of([event]),
    )


def _counts(reports: Iterable[Event], name: str) -> list[tuple[int, Event]]:
    """Return a counter of those reports that count alike: each process group counts its own.

    Where a report does not name its group, the kind of its collective stands for it.
    """
    alike: dict[tuple[str, FieldValue], list[tuple[int, Event]]] = defaultdict(list)
    for event in reports:
        value = event.fields.get(name)
        if isinstance(value, int | float):
            told = "group" if "group" in event.fields else "op"
            alike[told, event.fields.get(told, "")].append((int(value), event))
    counted = max(alike.values(), key=len, default=[])
    return counted if len(counted) >= LEAST_REPORTS else []
