"""How urgent an incident is: the page's priority first, then how many are hurt."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from assistant.diagnosis.result import Diagnosis
from assistant.event import Event
from assistant.incident import SLA, Incident, PriorityDecision
from assistant.sentences import say, say_both, say_with
from assistant.topology import Topology
from knowledge.bilingual import Bilingual
from knowledge.page import Page, Priority

WIDE_SHARE = 0.3
"""From this share of the known nodes on, an outage is a matter for everybody."""
WIDE_LEAST = 3
"""Below this number of nodes a share means nothing."""
STOPS_WORK = 2
"""The damage class "work stopped"."""
PAST: Priority = "P2"
"""What is over, and did not keep work from going on, asks for no answer sooner than this."""
MANY = 3
"""The damage class "the work of many stopped"."""
_ORDER: tuple[Priority, ...] = ("P0", "P1", "P2", "P3")


def decide_priority(
    incident: Incident,
    diagnosis: Diagnosis,
    events: Iterable[Event],
    *,
    pages: Mapping[str, Page],
    topology: Topology,
    noticed: datetime,
) -> PriorityDecision:
    """Set the priority and the moment a human must have answered.

    The clock runs from the report, else from the first anomaly; where no clock tells when that was,
    from when it was `noticed`.
    """
    events = list(events)
    level, rule = _level(diagnosis, events, pages, topology)
    begin = incident.opened_at or _first_anomaly(diagnosis, events) or noticed
    respond_by = begin + SLA[level]
    return PriorityDecision(level=level, rule=rule, respond_by=respond_by)


def _first_anomaly(diagnosis: Diagnosis, events: Iterable[Event]) -> datetime | None:
    for event in events:
        if event.id == diagnosis.first_anomaly:
            return None if event.start.zone == "unknown" else event.start.utc
    return None


def _level(
    diagnosis: Diagnosis, events: list[Event], pages: Mapping[str, Page], topology: Topology
) -> tuple[Priority, Bilingual]:
    if diagnosis.verdict == "healthy":
        return "P3", say("priority-healthy")
    if not events and not diagnosis.unread:
        return "P3", say("priority-nothing")
    blamed = {root.page for root in diagnosis.root_causes}
    live = [e for e in events if _counts(e) and not (_is_news(e) and e.page not in blamed)]
    if not live:
        if diagnosis.unread:
            return "P3", say("priority-unread")
        aside = any(event.role == "context" and not event.benign for event in events)
        return "P3", say("priority-elsewhere" if aside else "priority-quiet")
    return _judge(diagnosis, live, pages, topology)


def _judge(
    diagnosis: Diagnosis, live: list[Event], pages: Mapping[str, Page], topology: Topology
) -> tuple[Priority, Bilingual]:
    past = _ended_well(diagnosis, live, pages)
    over = diagnosis.state.work_seen is not None and not diagnosis.unexplained
    wide = None if past or over else _blast_radius(diagnosis, live, pages, topology)
    if wide:
        return "P0", wide
    level, rule, title = _by_page(diagnosis, live, pages, past=past)
    if over and _ORDER.index(level) < _ORDER.index(PAST):
        return PAST, say_with("priority-over", title=title, level=say_both(level))
    return level, rule


def _counts(event: Event) -> bool:
    return not (event.benign or event.chronic or event.known) and event.role != "context"


def _is_news(event: Event) -> bool:
    """Tell whether it only says what changed: that is urgent where it is blamed, else nowhere."""
    return event.role == "change" and event.severity == "info" and not event.damage


def _ended_well(diagnosis: Diagnosis, live: list[Event], pages: Mapping[str, Page]) -> bool:
    """Tell whether a change is behind all of it, all is over, and no work was stopped by it."""
    roots = diagnosis.root_causes
    return (
        diagnosis.state.now == "recovered"
        and not diagnosis.unexplained
        and bool(roots)
        and all(pages[root.page].role == "change" for root in roots)
        and all(event.damage < STOPS_WORK for event in live)
    )


def _blast_radius(
    diagnosis: Diagnosis, live: list[Event], pages: Mapping[str, Page], topology: Topology
) -> Bilingual | None:
    hurt, known = diagnosis.impact.nodes, len(topology.nodes())
    if hurt >= WIDE_LEAST and known and hurt >= WIDE_SHARE * known:
        return say("priority-wide", hurt=hurt, known=known, share=f"{WIDE_SHARE:.0%}")
    worst = next((event for event in live if event.damage >= MANY), None)
    return say_with("priority-stopped", title=pages[worst.page].title) if worst else None


def _by_page(
    diagnosis: Diagnosis, live: list[Event], pages: Mapping[str, Page], *, past: bool
) -> tuple[Priority, Bilingual, Bilingual]:
    """Take the gravest of the roots, what they brought about, and what stays open.

    What is `past` weighs no more than the change that it was a consequence of.
    """
    roots = [root.page for root in diagnosis.root_causes]
    open_ones = [event.page for event in live if event.id in diagnosis.unexplained]
    below = [] if past else _below(diagnosis, live)
    names = [*roots, *below, *open_ones] or [event.page for event in live]
    worst = min(names, key=lambda name: _ORDER.index(pages[name].priority))
    known = worst in roots and diagnosis.verdict == "fault"
    key = "priority-cause" if known else "priority-finding"
    title = pages[worst].title
    return pages[worst].priority, say_with(key, title=title), title


def _below(diagnosis: Diagnosis, live: list[Event]) -> list[str]:
    """Return the roots below the cause: what each would weigh alone, it weighs as a consequence."""
    explained = {name for root in diagnosis.root_causes for name in root.explains}
    return [event.page for event in live if event.role == "root" and event.id in explained]
