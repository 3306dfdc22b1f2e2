"""What was put an end to: a card or a container that works again, a host that was rebooted."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from assistant.burst import Burst
from assistant.event import Event
from assistant.naming import parse_moment
from assistant.resets import Restart, cards_of, concerns, restart_of
from assistant.seats import BOOTED
from assistant.topology import Seating, Topology
from knowledge.page import Page
from tools.evidence import Instant, Window

_CARDS = frozenset({"gpu", "nvlink", "pcie_port"})
"""What is gone with the card, or comes up anew with it."""
_OF_THE_SYSTEM = frozenset({"nic", "node", "service", "mount", "process", "container"})
"""What an operating system takes down with itself and sets up again."""
GOING_DOWN = "going_down"
"""Field of a page's event: from then on the host went down in order."""
RUNS_AGAIN = "running_since"
LONG_AGO = timedelta(days=1)


def close_repaired(
    events: Sequence[Event],
    pages: Mapping[str, Page],
    names: Topology,
    working: Collection[str],
) -> list[Event]:
    """End what befell a card before it or its host started again, and either was seen at work.

    What stays true of a card across boots ends only where another card sits in its place.
    """
    refused = _by_node(e for e in events if e.page == REFUSED)
    boots = _by_node(e for e in events if _was_reset(e, refused) or _starts(e))
    if not boots:
        return list(events)
    befell = _by_node(e for e in events if e.entity.kind in _CARDS and e.role != "benign")
    well = _by_place([e for e in events if e.page in {*working, WELL}])
    restarts = {
        node: _Restarts([_restart(one, node, names) for one in started], befell.get(node, ()))
        for node, started in boots.items()
    }
    return [_closed(event, pages[event.page], restarts, well, names.seats) for event in events]


def _restart(event: Event, node: str, names: Topology) -> Restart:
    if event.page != RESET:
        return Restart(event.start)
    return restart_of(event, node, names.alias, names.seats)


class _Restarts(NamedTuple):
    """When cards of a host began anew, and what had befallen them."""

    rows: Sequence[Restart]
    befell: Sequence[Event]

    def after(self, event: Event) -> Iterable[Instant]:
        """Yield when the card of an event began anew after it."""
        for row in self.rows:
            if row.start.utc > event.last.utc and concerns(row, event, self._faulty(row)):
                yield row.start

    def _faulty(self, row: Restart) -> list[frozenset[str]]:
        before = (e for e in self.befell if e.last.utc < row.start.utc and not e.is_closed)
        return [cards_of(e) for e in before] if row.unknown else []


RESET, REFUSED, WELL = "gpu-reset-by-hand", "gpu-reset-refused", "gpu-healthy"
"""The pages of a reset of a host's cards, of one that was only ordered, and of a card that was read
and is well."""
_ANSWERS_S = 60.0
"""So soon after the order nvidia-smi says that it refuses."""


def _was_reset(event: Event, refused: Mapping[str, Sequence[Event]]) -> bool:
    """Tell whether a reset that was ordered also took place, as far as its host tells."""
    nodes = [anchor.id for anchor in event.anchors if anchor.kind == "node"]
    answers = [answer.latest - event.latest for node in nodes for answer in refused.get(node, ())]
    return event.page == RESET and not any(0 <= after <= _ANSWERS_S for after in answers)


def _starts(event: Event) -> bool:
    return event.page == BOOTED and "kernel" in event.channels


def close_shut_down(
    events: Sequence[Event], pages: Mapping[str, Page], boots: Mapping[str, Sequence[Instant]]
) -> list[Event]:
    """End with the next boot what began while its host went down in order; it is known.

    A port that lost its link then, or a mount that did not answer, was taken down with the host.
    """
    ordered = _by_node(e for e in events if GOING_DOWN in e.fields)
    downs = {node: _downs(going, boots.get(node, ())) for node, going in ordered.items()}
    return [_back(event, pages[event.page], downs) for event in events]


def kernel_starts(bursts: Iterable[Burst]) -> Mapping[str, Sequence[Instant]]:
    """Return by host when its kernel said that it starts, as one clock stamped it."""
    found: dict[str, list[Instant]] = defaultdict(list)
    for burst in bursts:
        if burst.page == BOOTED and burst.timed and "kernel" in burst.channels:
            found[burst.entity[1]].append(burst.last)
    return found


def _downs(going: Iterable[Event], boots: Sequence[Instant]) -> Sequence[tuple[Event, Instant]]:
    """Return from when the host went down, and when its next boot was seen."""
    found = []
    for event in going:
        later = [at for at in boots if event.start.utc <= at.utc <= event.start.utc + A_BOOT]
        if later:
            found.append((event, min(later, key=lambda at: at.utc)))
    return found


A_BOOT = timedelta(hours=1)
"""Within so long a host that was told to is up again; a later boot has another reason."""


def _back(event: Event, page: Page, downs: Mapping[str, Sequence[tuple[Event, Instant]]]) -> Event:
    if event.entity.kind not in _OF_THE_SYSTEM or event.is_closed or not page.persists:
        return event
    node = next((a.id for a in event.anchors if a.kind == "node"), "")
    ends = [
        up
        for going, up in downs.get(node, ())
        if going.start.utc <= event.start.utc and event.last.utc < up.utc
    ]
    if not ends:
        return event
    return event.model_copy(update={"end": min(ends, key=lambda at: at.utc), "known": True})


def is_orderly_reboot(event: Event) -> bool:
    """Tell whether a host was told to go down, and was seen to start again."""
    return event.page == BOOTED and GOING_DOWN in event.fields and "kernel" in event.channels


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


def undone(event: Event, newest: datetime, boots: Mapping[str, datetime]) -> bool:
    """Tell whether it is more than a day past by the newest evidence, and begun anew since.

    `boots` are the latest boots of hosts, as `latest_boots` returns them.
    """
    if event.entity.kind not in _CARDS:
        return runs_again(event)
    if event.end is None or event.end.utc >= newest - LONG_AGO:
        return False
    hosts = (a.id for a in event.anchors if a.kind == "node")
    return event.is_closed or any(boots[h] > event.last.utc for h in hosts if h in boots)


def latest_boots(events: Iterable[Event]) -> Mapping[str, datetime]:
    """Return by host when its kernel was last seen to start."""
    boots = _by_node(filter(_starts, events))
    return {node: max(one.last.utc for one in started) for node, started in boots.items()}


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


def _by_place(events: Sequence[Event]) -> Mapping[str, Sequence[Event]]:
    """Work is told of its host, a healthy reading of its card alone."""
    found = {
        node: list(told) for node, told in _by_node(e for e in events if e.page != WELL).items()
    }
    for event in (e for e in events if e.page == WELL):
        found.setdefault(event.entity.id, []).append(event)
    return found


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
    boots: Mapping[str, _Restarts],
    well: Mapping[str, Sequence[Event]],
    seats: Mapping[str, Seating],
) -> Event:
    node = next((a.id for a in event.anchors if a.kind == "node"), "")
    if event.entity.kind not in _CARDS or event.is_closed or event.role == "benign":
        return event
    later = boots[node].after(event) if node in boots else ()
    start: Instant | None = min(later, key=lambda at: at.utc, default=None)
    seen = (*well.get(node, ()), *well.get(event.entity.id, ()))
    if start is None or not any(one.last.utc > start.utc for one in seen):
        return event
    if page.persists and not _left(event, seats):
        return event
    return event.model_copy(update={"end": start})


def _left(event: Event, seats: Mapping[str, Seating]) -> bool:
    """Tell whether the place of this card was another's in the end."""
    card = event.entity.id
    places = [s for address, s in seats.items() if card == address or card in s.cards.values()]
    return bool(places) and all(s.cards[max(s.cards)] != card for s in places)
