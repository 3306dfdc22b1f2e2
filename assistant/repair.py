"""What was put an end to: a card that was replaced or works again, a container that runs again."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from assistant.event import Event
from assistant.naming import parse_moment
from assistant.seats import BOOTED
from assistant.topology import Seating
from knowledge.page import Page
from tools.evidence import Instant, Window

_CARDS = frozenset({"gpu", "nvlink", "pcie_port"})
"""What is gone with the card, or comes up anew with it."""
RUNS_AGAIN = "running_since"
LONG_AGO = timedelta(days=1)


def close_repaired(
    events: Sequence[Event],
    pages: Mapping[str, Page],
    seats: Mapping[str, Seating],
    working: Collection[str],
) -> list[Event]:
    """End what befell a card before its host started again and was seen at work.

    What stays true of a card across boots ends only where another card sits in its place.
    """
    boots = _by_node(e for e in events if e.page == BOOTED and "kernel" in e.channels)
    if not boots:
        return list(events)
    work = _by_node(e for e in events if e.page in working)
    return [_closed(event, pages[event.page], boots, work, seats) for event in events]


def close_rerun(events: Sequence[Event]) -> list[Event]:
    """End what befell a container that has run again for more than a day by the newest evidence.

    A status keeps the last end of a container for as long as the pod is there. A page tells by the
    field ``running_since`` since when it runs again.
    """
    dated = [e.last.utc for e in events if e.last.dated and e.last.zone != "unknown"]
    newest = max(dated, default=None)
    return [_rerun(event, newest) if newest else event for event in events]


def _rerun(event: Event, newest: datetime) -> Event:
    again = parse_moment(str(event.fields.get(RUNS_AGAIN, "")))
    if again is None or not event.start.utc <= again < newest - LONG_AGO:
        return event
    return event.model_copy(update={"last": event.start, "end": Instant(again)})


def runs_again(event: Event) -> bool:
    """Tell whether what a container's status remembers was undone long ago."""
    return RUNS_AGAIN in event.fields and event.is_closed


def mark_past(events: Iterable[Event], window: Window) -> list[Event]:
    """Mark what a repair ended before the window as known: nobody need act on it."""
    since = window.since.timestamp() if window.since else float("-inf")
    return [
        event.model_copy(update={"known": True})
        if (runs_again(event) or (event.entity.kind in _CARDS and event.is_closed))
        and event.finish < since
        else event
        for event in events
    ]


def _by_node(events: Iterable[Event]) -> Mapping[str, Sequence[Event]]:
    found: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        for anchor in event.anchors:
            if anchor.kind == "node":
                found[anchor.id].append(event)
    return found


def _closed(
    event: Event,
    page: Page,
    boots: Mapping[str, Sequence[Event]],
    work: Mapping[str, Sequence[Event]],
    seats: Mapping[str, Seating],
) -> Event:
    node = next((a.id for a in event.anchors if a.kind == "node"), "")
    if event.entity.kind not in _CARDS or event.is_closed or event.role == "benign":
        return event
    later = (b.start for b in boots.get(node, ()) if b.start.utc > event.last.utc)
    start: Instant | None = min(later, key=lambda at: at.utc, default=None)
    if start is None or not any(one.last.utc > start.utc for one in work.get(node, ())):
        return event
    if page.persists and not _left(event, seats):
        return event
    return event.model_copy(update={"end": start})


def _left(event: Event, seats: Mapping[str, Seating]) -> bool:
    """Tell whether the place of this card was another's in the end."""
    card = event.entity.id
    places = [s for address, s in seats.items() if card == address or card in s.cards.values()]
    return bool(places) and all(s.cards[max(s.cards)] != card for s in places)
