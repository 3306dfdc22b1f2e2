"""What befalls a host while it is set aside for planned work: known, and nobody's fault."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from assistant.event import Event
from assistant.repair import LONG_AGO
from tools.evidence import Instant

PLANNED = "node-in-repair"
"""The page of a host that somebody set aside for work of a stated kind."""
_TAKEN_DOWN = frozenset({"node", "nic", "service", "mount"})
"""What goes down with a host; a card or a job that fails there may do so on its own."""
_SET_ASIDE = frozenset({"node-cordoned"})
_ENDED_BY_WORK = _SET_ASIDE | {PLANNED}
LEAD_S = 3600.0
"""So long before its reason was written a host may have been set aside for it."""
SLACK_S = 2.0


def mark_planned(events: Sequence[Event], working: Collection[str]) -> list[Event]:
    """Mark as known what took down hosts that were set aside for planned work before.

    `working` are the pages that show work going on: a host on which some begins is set aside no
    longer.
    """
    hosts = {event.entity.id for event in events if event.page == PLANNED}
    if not hosts:
        return list(events)
    begun = _begins(hosts, (event for event in events if event.page in working))
    told = [_end_by_work(event, begun.get(event.entity.id, ())) for event in events]
    plans: dict[str, list[Event]] = defaultdict(list)
    for event in told:
        if event.page == PLANNED:
            plans[event.entity.id].append(event)
    return [
        event.model_copy(update={"known": True}) if _is_planned(event, plans) else event
        for event in told
    ]


def _begins(hosts: set[str], work: Iterable[Event]) -> Mapping[str, Sequence[Instant]]:
    """Return when each work was first seen on each of some hosts: a job may drain for long."""
    first: dict[tuple[str, str], Instant] = {}
    for event in work:
        for host in {a.id for a in event.anchors if a.kind == "node"} & hosts:
            known = first.get((host, event.worker), event.start)
            first[host, event.worker] = min(known, event.start, key=lambda at: at.utc)
    found: dict[str, list[Instant]] = defaultdict(list)
    for (host, _), at in first.items():
        found[host].append(at)
    return found


def _end_by_work(event: Event, begun: Sequence[Instant]) -> Event:
    """End a plan, and the drain for it, where work surely began on the host afterwards."""
    if event.page not in _ENDED_BY_WORK or not begun:
        return event
    after = [at for at in begun if at.utc.timestamp() - at.uncertainty_s > event.latest]
    end = min((at for at in after if at.utc > event.last.utc), key=lambda at: at.utc, default=None)
    if end is None or (event.end is not None and event.end.utc <= end.utc):
        return event
    return event.model_copy(update={"end": end})


def _is_planned(event: Event, plans: Mapping[str, Sequence[Event]]) -> bool:
    """Tell whether an event lies on one host only, and began while work on it was planned."""
    hosts = {a.id for a in event.anchors if a.kind == "node"}
    if event.page == PLANNED or event.entity.kind not in _TAKEN_DOWN or len(hosts) != 1:
        return False
    return any(_covers(plan, event) for plan in plans.get(hosts.pop(), ()))


def _covers(plan: Event, event: Event) -> bool:
    """Tell whether a plan was surely told before an event began, and not given up by then."""
    shared = plan.shared_s(event)
    lead = LEAD_S if event.page in _SET_ASIDE else SLACK_S
    told = plan.latest - shared - lead <= event.earliest + shared
    return told and event.latest - shared <= _over(plan, shared)


def _over(plan: Event, shared: float) -> float:
    """Return until when a plan surely held, in epoch seconds."""
    if plan.end is None:
        return plan.latest - shared + LONGEST_S
    return plan.end.utc.timestamp() - plan.end.uncertainty_s + shared


LONGEST_S = LONG_AGO.total_seconds()
"""Work of which nobody said that it was done is over by then."""
