"""Many things with one condition, one hub and one time are one event about a population."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain

from assistant.event import Anchor, Event
from knowledge.page import Page

FEW = 40
"""Up to so many, each thing keeps an event of its own."""
TOGETHER_S = 900.0
"""Onsets within this time belong to one happening."""
AT_ONCE_S = 10.0
"""Within so long a program that goes wrong does so on each card that it uses."""
MOST_CITED = 4
_HUBS = ("storage_server", "switch", "rack", "job", "service", "control_plane", "queue", "package")
_SINGLE = frozenset({"root", "change"})
"""Roles that are never folded: a cause is looked at one by one."""


def fold_populations(events: Sequence[Event]) -> list[Event]:
    """Fold events of one page that share a hub and begin together, if they are more than a few.

    The earliest event lends its identity, so that who failed first stays readable; every thing is
    kept among the members.
    """
    by_page: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_page[event.page].append(event)
    found: list[Event] = []
    for group in by_page.values():
        if len(group) <= FEW or group[0].role in _SINGLE:
            found += group
        else:
            found += _fold_page(group)
    return found


def fold_recurrences(events: Sequence[Event], rising: Collection[tuple[str, str]]) -> list[Event]:
    """Fold what recurs on one thing into one event: chronic noise, and precursors on the rise.

    All else is left alone: two faults are two events.
    """
    recurring: dict[tuple[str, str, bool], list[Event]] = defaultdict(list)
    found: list[Event] = []
    for event in events:
        thing = (event.page, event.entity.key)
        if event.chronic or thing in rising:
            recurring[*thing, event.chronic].append(event)
        else:
            found.append(event)
    for group in recurring.values():
        whole = _population(sorted(group, key=lambda event: event.latest))
        found.append(whole.model_copy(update={"members": ()}))
    return found


def fold_programs(events: Sequence[Event], pages: Mapping[str, Page]) -> list[Event]:
    """Fold what one program did wrong on several cards of a host at once: it is one fault.

    Programs are one where their process, their job or their name is, and no job tells them apart.
    """
    found: list[Event] = []
    programs: dict[tuple[str, str], list[list[Event]]] = defaultdict(list)
    for event in sorted(events, key=lambda event: event.latest):
        host = next((a.id for a in event.anchors if a.kind == "node"), "")
        if not host or not _is_programs(event, pages[event.page]):
            found.append(event)
            continue
        groups = programs[event.page, host]
        own = next((group for group in groups if _is_one_program(group[0], event)), None)
        if own is None:
            groups.append([event])
        else:
            own.append(event)
    for group in chain.from_iterable(programs.values()):
        cards = {event.entity.key for event in group}
        found += [_of_program(group)] if len(cards) > 1 else group
    return found


def _is_programs(event: Event, page: Page) -> bool:
    """Tell whether the kernel reports it of a card, but it is the fault of who uses the card."""
    fault = page.layer == "application" and event.entity.kind == "gpu" and not event.chronic
    return fault and "kernel" in event.channels


def _is_one_program(first: Event, other: Event) -> bool:
    if other.start.utc.timestamp() - first.start.utc.timestamp() > AT_ONCE_S:
        return False
    jobs = [{a.id for a in event.anchors if a.kind == "job"} for event in (first, other)]
    if all(jobs):
        return bool(jobs[0] & jobs[1])
    named = first.fields.get("comm")
    same = bool(named) and named == other.fields.get("comm")
    return same or _shared(first, other, "process")


def _shared(one: Event, other: Event, kind: str) -> bool:
    ids = {a.id for a in one.anchors if a.kind == kind}
    return any(a.kind == kind and a.id in ids for a in other.anchors)


def _of_program(group: Sequence[Event]) -> Event:
    cited = tuple(chain.from_iterable(event.citations[:1] for event in group))
    return _population(group).model_copy(update={"citations": cited[:MOST_CITED]})


def _fold_page(group: Sequence[Event]) -> Iterable[Event]:
    waiting = sorted(group, key=lambda event: event.latest)
    for kind in _HUBS:
        by_hub: dict[str, list[Event]] = defaultdict(list)
        rest: list[Event] = []
        for event in waiting:
            hub = _hub(event, kind)
            if hub:
                by_hub[hub].append(event)
            else:
                rest.append(event)
        for together in chain.from_iterable(map(_together, by_hub.values())):
            if len({event.entity.key for event in together}) > FEW:
                yield _population(together)
            else:
                rest += together
        waiting = rest
    yield from waiting


def _hub(event: Event, kind: str) -> str:
    found = [anchor.id for anchor in (*event.anchors, *event.peers) if anchor.kind == kind]
    return min(found) if found else ""


def _together(events: Sequence[Event]) -> Iterable[list[Event]]:
    """Split events, sorted by onset, where one begins long after the one before."""
    run: list[Event] = []
    for event in events:
        if run and event.latest - run[-1].latest > TOGETHER_S:
            yield run
            run = []
        run.append(event)
    if run:
        yield run


def _population(events: Sequence[Event]) -> Event:
    first = events[0]
    ends = [event.end for event in events if event.end is not None]
    members = {event.entity.key: event.entity for event in events}
    return first.model_copy(
        update={
            "anchors": _union(event.anchors for event in events),
            "peers": _union(event.peers for event in events),
            "last": max((event.last for event in events), key=lambda moment: moment.utc),
            "end": max(ends, key=lambda e: e.utc) if len(ends) == len(events) else None,
            "count": sum(event.count for event in events),
            "channels": frozenset[str]().union(*(event.channels for event in events)),
            "clocks": frozenset[str]().union(*(event.clocks for event in events)),
            "members": tuple(members.values()),
            "chronic": all(event.chronic for event in events),
            "known": all(event.known for event in events),
            "benign": first.benign if all(event.benign for event in events) else "",
            "live": all(event.live for event in events),
        }
    )


def _union(groups: Iterable[Sequence[Anchor]]) -> tuple[Anchor, ...]:
    found: dict[tuple[str, str], Anchor] = {}
    for group in groups:
        for anchor in group:
            known = found.get((anchor.kind, anchor.id))
            if known is None or (known.inferred and not anchor.inferred):
                found[anchor.kind, anchor.id] = anchor
    return tuple(found.values())
