"""Consequences of one death, taken out before anything is counted.

When one rank dies, every other rank of its job prints a timeout, is torn down and leaves a cleanup
message. A thousand such lines are one fact. They stay on the timeline, but they are neither counted
as entities at fault nor taken as a reason to suspect what the nodes share.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from assistant.diagnosis.guards import SAME_MOMENT_S, is_stamped_before
from assistant.event import Event
from assistant.onset import TELLS_WITHIN_S
from knowledge.page import Page

MEETING_KINDS = ("process", "container", "pod", "rank", "job", "gpu", "node")
"""Where a death and its consequence meet, closest first."""


def find_collateral(events: Iterable[Event], pages: Mapping[str, Page]) -> dict[str, str]:
    """Map each collateral event to the event whose consequence it is.

    A page names in `collateral_of` the conditions it follows; the earliest of those that meets the
    event and did not begin after it is taken.
    """
    everything = [event for event in events if not event.benign]
    heads = _index_heads(everything, pages)
    found: dict[str, str] = {}
    for event in everything:
        names = pages[event.page].collateral_of
        if not names:
            continue
        head = _nearest_head(event, names, heads, pages)
        if head is not None:
            found[event.id] = head.id
    return found


Heads = dict[tuple[str, str, str], list[Event]]


def _index_heads(events: Iterable[Event], pages: Mapping[str, Page]) -> Heads:
    wanted = {name for page in pages.values() for name in page.collateral_of}
    heads: Heads = defaultdict(list)
    for event in events:
        if event.page in wanted and not event.chronic:
            for anchor in (a for a in event.anchors if a.kind in MEETING_KINDS):
                heads[event.page, anchor.kind, anchor.id].append(event)
    return heads


def _nearest_head(
    event: Event, names: tuple[str, ...], heads: Heads, pages: Mapping[str, Page]
) -> Event | None:
    for kind in MEETING_KINDS:
        ids = [a.id for a in event.anchors if a.kind == kind]
        met = (
            head
            for name in names
            for place in ids
            for head in heads.get((name, kind, place), ())
            if head.id != event.id and _may_precede(head, event, pages[head.page])
        )
        first = min(met, key=lambda head: head.earliest, default=None)
        if first is not None:
            return first
    return None


def _may_precede(head: Event, event: Event, page: Page) -> bool:
    """Tell whether the head may have begun first; doubt that both onsets share is no doubt here."""
    shared = head.shared_s(event)
    if is_stamped_before(event, head):
        return False
    return _acts_from(head, page) + shared <= event.latest - shared + SAME_MOMENT_S


def _acts_from(head: Event, page: Page) -> float:
    """Return from when it may have had consequences.

    A fault has them at once. Who merely waits has none before the time-out that its own line states
    ran out, however much earlier the wait began.
    """
    limit = head.fields.get(page.begins_before.setting) if page.begins_before else None
    if head.role != "symptom" or not isinstance(limit, int | float):
        return head.earliest
    told = head.start.utc.timestamp() - head.start.uncertainty_s + limit
    return max(head.earliest, told - TELLS_WITHIN_S)
