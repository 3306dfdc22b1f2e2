"""How it stands now and who is hurt, counted from events."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from assistant.diagnosis.case import Case, counts, hosts_of, in_question, nodes_of
from assistant.diagnosis.result import Impact, State
from assistant.event import Event
from tools.evidence import Instant
from tools.numerals import whole

STOPS_WORK = 2
"""Damage from which on nothing advances."""
BOOT_S = 30.0
"""A host that is heard so long after it went down or came up is up."""
QUIET_S = 600.0
"""Damage not seen for this long before the evidence ends counts as past, unless it persists."""


def read_state(case: Case, among: Collection[str] | None = None) -> State:
    """Return whether the damage goes on, from what was seen last; `among` these events only."""
    hurt = [event for event in case.harm or _closed(case) if among is None or event.id in among]
    # Of what has no date nobody can say that it is over, or that it goes on.
    moment = _as_of(case)
    if not hurt or moment is None or not all(event.last.dated for event in hurt):
        return State(now="unknown", as_of=moment)
    now = moment.timestamp()
    active = [event for event in hurt if _active(event, case, now)]
    if not active:
        if any(_stopped_for_good(event, case) for event in hurt) or _still_stands(case, among):
            return State(now="unknown", as_of=moment)
        return State(now="recovered", as_of=moment, work_seen=_work_since(hurt, case))
    going = {event.id for event in active}
    closed = sum(event.is_closed for event in hurt if event.id not in going)
    over = _last_recoveries(hurt)
    easing = all(_eased(event, over, case) for event in active)
    lost = any(_gave_out(event) for event in active)
    recovering = not lost and (closed > len(active) or easing or _progress_after(hurt, case))
    return State(now="recovering" if recovering else "ongoing", as_of=moment)


def _still_stands(case: Case, among: Collection[str] | None) -> bool:
    """Tell whether a fault that nobody feels is there yet: what it did may come again."""
    events = (e for e in case.timeline.events if among is None or e.id in among)
    return any(e.severity in _FAULTS and in_question(e, case) and stands(e, case) for e in events)


_FAULTS = frozenset({"critical", "error"})


def stands(event: Event, case: Case) -> bool:
    """Tell whether it lasts until something ends it, and nothing was seen to end it."""
    moment = _as_of(case)
    if moment is None or not counts(event) or not case.pages[event.page].persists:
        return False
    return _active(event, case, moment.timestamp())


def _as_of(case: Case) -> datetime | None:
    """Return the last moment that was seen of the time asked about."""
    until = case.incident.window.until
    if case.now is None or until is None:
        return case.now
    return min(case.now, until)


def _active(event: Event, case: Case, now: float) -> bool:
    page = case.pages[event.page]
    if _concluded(event, case):
        return False
    if event.is_closed or (event.end is not None and page.persists):
        # What shares the doubt of the zone is no later for it than what it is compared with.
        return event.finish - (event.end.common_s if event.end else 0.0) > now
    return page.persists or event.last.utc.timestamp() > now - max(QUIET_S, page.lasts_s)


def _eased(event: Event, over: Mapping[str, float], case: Case) -> bool:
    """Tell whether something on its host recovered after the last that was seen of it."""
    if case.pages[event.page].persists:
        return False
    last = event.last.utc.timestamp()
    return any(over.get(node, last) > last for node in hosts_of([event]))


def _last_recoveries(hurt: Iterable[Event]) -> Mapping[str, float]:
    """Return of each host when the last of what was over there was over."""
    over: dict[str, float] = {}
    for event in hurt:
        for node in hosts_of([event]) if event.is_closed else ():
            over[node] = max(over.get(node, event.finish), event.finish)
    return over


def _stopped_for_good(event: Event, case: Case) -> bool:
    """Tell whether work stopped and no word says that it went on: silence is no recovery."""
    if event.is_closed or _concluded(event, case):
        return False
    if _gave_out(event):
        return True
    if _progress_after([event], case):
        return False
    return event.damage >= STOPS_WORK or event.severity == "critical"


def _gave_out(event: Event) -> bool:
    """Tell whether it is of hardware that is not back because others of its host go on."""
    return event.severity == "critical" and event.layer == "hardware"


def _concluded(event: Event, case: Case) -> bool:
    """Tell whether it is done by being told: a boot, an order carried out and what it ended."""
    page = case.pages[event.page]
    if page.concludes:
        return all(_heard_again(node, event, case) for node in hosts_of([event]))
    if event.plane != "workload":
        return False
    jobs = (anchor.id for anchor in event.anchors if anchor.kind == "job")
    return any(case.ended_jobs.get(job, float("inf")) <= event.latest for job in jobs)


def _heard_again(node: str, event: Event, case: Case) -> bool:
    moment = event.last.utc.timestamp() + BOOT_S
    channels = ("kernel", "service")
    return any(case.sight.covering(one, node, moment, moment) for one in channels)


def _closed(case: Case) -> list[Event]:
    """Return faults that nobody felt, where all of them are over: a link that came back at once."""
    odd = [e for e in case.timeline.events if counts(e) and in_question(e, case)]
    odd = [e for e in odd if e.severity in {"critical", "error"}]
    return odd if all(event.is_closed for event in odd) else []


def _progress_after(hurt: Sequence[Event], case: Case) -> bool:
    latest = max(event.start.utc for event in hurt)
    return any(event.last.utc > latest for event in _progress(hurt, case))


def _work_since(hurt: Sequence[Event], case: Case) -> datetime | None:
    """Return when work was last seen after all of it was over; None where it was not."""
    over = max(e.end.utc if e.end else e.last.utc for e in hurt)
    seen = (event.last.utc for event in _progress(hurt, case))
    return max((moment for moment in seen if moment > over), default=None)


def _progress(hurt: Iterable[Event], case: Case) -> Iterator[Event]:
    """Yield the work that went on where it hurt: that of another host alone proves nothing.

    Nor does that of which nobody says where it runs, unless the job that was hurt did it.
    """
    jobs = {a.id for event in hurt for a in event.anchors if a.kind == "job"}
    nodes = nodes_of(hurt, case)
    for event in case.progress:
        own = hosts_of([event])
        if not nodes or own & nodes or any(a.id in jobs for a in event.anchors):
            yield event


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
        and event.severity in {"critical", "error"}
        and not _names_gpus(event)
        for a in event.anchors
        if a.kind == "node"
    }
    past = _past_gpus(case)
    known = {node: case.topology.gpus_of(node) for node in whole}
    known = {node: seen for node, seen in known.items() if not seen <= past}
    counted = frozenset[str]().union(*known.values()) | gpus
    uncounted = sum(case.topology.gpu_counts.get(node, 0) for node in whole if node not in known)
    uncounted += _fewer(events, whole)
    jobs = {name for kind, name in anchors if kind == "job"}
    return Impact(nodes=len(nodes), gpus=len(counted) + uncounted, jobs=len(jobs))


def _names_gpus(event: Event) -> bool:
    """Tell whether an event of a node says which of its GPUs, or how many, it is about."""
    return any(a.kind == "gpu" for a in event.anchors) or _short_of(event) > 0


def _short_of(event: Event) -> int:
    """Return how many GPUs a node offers less than it has, where the event says so."""
    offered = _number(event.fields.get("allocatable"))
    has = [_number(event.fields.get(name)) for name in ("capacity", "labelled")]
    most = max((count for count in has if count is not None), default=None)
    return max(0, most - offered) if most is not None and offered is not None else 0


def _number(value: object) -> int | None:
    return whole(str(value))


def _fewer(events: Iterable[Event], whole: Collection[str]) -> int:
    """Count the GPUs that nodes lack which are well else; of one node the most that was said."""
    lacking: dict[str, int] = {}
    for event in events:
        for node in hosts_of([event]) - set(whole):
            lacking[node] = max(lacking.get(node, 0), _short_of(event))
    return sum(lacking.values())


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
