"""How it stands now and who is hurt, counted from events."""

from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from assistant.diagnosis.case import Case, counts, in_question, nodes_of
from assistant.diagnosis.graph import shares
from assistant.diagnosis.result import Impact, State
from assistant.event import Event
from tools.evidence import Instant

STOPS_WORK = 2
"""Damage from which on nothing advances."""
QUIET_S = 600.0
"""Damage not seen for this long before the evidence ends counts as past, unless it persists."""


def read_state(case: Case, among: Collection[str] | None = None) -> State:
    """Return whether the damage goes on, from what was seen last; `among` these events only."""
    hurt = [event for event in case.harm if among is None or event.id in among]
    # Of what has no date nobody can say that it is over, or that it goes on.
    if not hurt or case.now is None or not all(event.last.dated for event in hurt):
        return State(now="unknown", as_of=case.now)
    now = case.now.timestamp()
    active = [event for event in hurt if _active(event, case, now)]
    if not active:
        silent = any(_stopped_for_good(event, case) for event in hurt)
        return State(now="unknown" if silent else "recovered", as_of=case.now)
    closed = len(hurt) - len(active)
    easing = all(_eased(event, hurt, case) for event in active)
    recovering = closed > len(active) or easing or _progress_after(hurt, case)
    return State(now="recovering" if recovering else "ongoing", as_of=case.now)


def _active(event: Event, case: Case, now: float) -> bool:
    page = case.pages[event.page]
    if event.is_closed or (event.end is not None and page.persists):
        return event.finish > now
    return page.persists or event.last.utc.timestamp() > now - max(QUIET_S, page.lasts_s)


def _eased(event: Event, hurt: Iterable[Event], case: Case) -> bool:
    """Tell whether something on its host recovered after the last that was seen of it."""
    if case.pages[event.page].persists:
        return False
    last = event.last.utc.timestamp()
    over = (other for other in hurt if other.is_closed and other.finish > last)
    return any(shares(event.anchors, other.anchors, "node") for other in over)


def _stopped_for_good(event: Event, case: Case) -> bool:
    """Tell whether work stopped and no word says that it went on: silence is no recovery."""
    return event.damage >= STOPS_WORK and not event.is_closed and not _progress_after([event], case)


def _progress_after(hurt: Iterable[Event], case: Case) -> bool:
    latest = max(event.start.utc for event in hurt)
    return any(
        case.pages[event.page].progress and event.last.utc > latest
        for event in case.timeline.events
    )


def count_impact(case: Case) -> Impact:
    """Count distinct nodes, GPUs and jobs among the anchors of what hurts.

    A damaged node takes all its GPUs with it, as far as evidence shows how many it has.
    """
    events = case.harm
    anchors = {(a.kind, a.id) for event in events for a in event.anchors}
    anchors |= {(m.kind, m.id) for event in events for m in event.members}
    nodes = nodes_of(events, case)
    gpus = {name for kind, name in anchors if kind == "gpu"}
    whole = {
        a.id
        for event in events
        if event.entity.kind not in {"gpu", "process", "rank", "container"}
        for a in event.anchors
        if a.kind == "node"
    }
    past = _past_gpus(case)
    known = {node: case.topology.gpus_of(node) for node in whole}
    known = {node: seen for node, seen in known.items() if not seen <= past}
    counted = frozenset[str]().union(*known.values()) | gpus
    uncounted = sum(case.topology.gpu_counts.get(node, 0) for node in whole if node not in known)
    jobs = {name for kind, name in anchors if kind == "job"}
    return Impact(nodes=len(nodes), gpus=len(counted) + uncounted, jobs=len(jobs))


def _past_gpus(case: Case) -> set[str]:
    """Return the GPUs of which nothing is known but faults of the past.

    Which cards an old fault names says nothing of how many a host has.
    """
    past: set[str] = set()
    present: set[str] = set()
    for event in case.timeline.events:
        over = event.known or (counts(event) and not in_question(event, case))
        (past if over else present).update(a.id for a in event.anchors if a.kind == "gpu")
    return past - present


def latest_moment(
    case_events: Iterable[Event], captured: Iterable[datetime], read: Iterable[Instant] = ()
) -> datetime | None:
    """Return the latest moment that evidence speaks of.

    `read` are the last stamps of logs: that nothing happened up to them was seen too. Stamps
    without a zone count only where there are no others.
    """
    told = [*(event.last for event in case_events if not event.live), *read]
    stamps = [stamp for stamp in told if stamp.dated]
    sure = [stamp.utc for stamp in stamps if stamp.zone != "unknown"]
    moments = [*captured, *sure] or [stamp.utc for stamp in stamps]
    return max(moments, default=None, key=lambda m: m.astimezone(UTC))
