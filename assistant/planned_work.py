"""What befalls a host while it is set aside for planned work: known, and nobody's fault."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from assistant.event import Event
from assistant.repair import LONG_AGO

PLANNED = "node-in-repair"
"""The page of a host that somebody set aside for work of a stated kind."""
_TAKEN_DOWN = frozenset({"node", "nic", "service", "mount"})
"""What goes down with a host; a card or a job that fails there may do so on its own."""
_SET_ASIDE = frozenset({"node-cordoned"})
LEAD_S = 3600.0
"""So long before its reason was written a host may have been set aside for it."""
SLACK_S = 2.0


def mark_planned(events: Sequence[Event]) -> list[Event]:
    """Mark as known what took down hosts that were set aside for planned work before."""
    plans: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        if event.page == PLANNED:
            plans[event.entity.id].append(event)
    if not plans:
        return list(events)
    return [
        event.model_copy(update={"known": True}) if _is_planned(event, plans) else event
        for event in events
    ]


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


LONGEST_S = 7 * LONG_AGO.total_seconds()
"""Work of which nobody said that it was done is over by then."""
