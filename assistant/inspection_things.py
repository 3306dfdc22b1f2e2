"""From what was read to the single things that an inspection judges, each with its evidence."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from assistant.inspection_seen import Seen, Values, key_of
from assistant.inspection_text import name_of
from knowledge.conditions import holds, lookup
from knowledge.inspection import (
    AnyLook,
    ConditionLook,
    HangLook,
    LineLook,
    Look,
    ObjectLook,
    ReadingLook,
    SeriesLook,
)
from knowledge.pattern import compile_pattern, encode
from tools.evidence import Reading, Series

if TYPE_CHECKING:
    from assistant.inspection_conditions import Shown

_ENOUGH_PEERS = 3
_HOST_LABELS = ("Hostname", "node", "nodename", "instance")
_QUOTED = 160
"""Characters of a line that are shown."""
_READ = frozenset({"ok", "empty"})
_RUN = frozenset({"host", "nvml", "journal"})
"""Sources whose captures are commands on a host."""


@dataclass(frozen=True)
class Thing:
    """One thing to judge."""

    subject: str
    host: str
    values: object
    evidence: tuple[str, ...]
    top: object = None


@dataclass(frozen=True)
class Found:
    """What one look has to judge, and of which hosts it saw anything."""

    things: tuple[Thing, ...]
    read: bool
    """Whether the source was read at all."""
    hosts: frozenset[str] = frozenset()


def find_things(look: AnyLook, seen: Seen) -> Found:
    """Find what a look judges."""
    match look:
        case ReadingLook():
            found = _of_readings(look, seen)
        case ObjectLook():
            found = _of_objects(look, seen)
        case SeriesLook():
            found = _of_series(look, seen)
        case LineLook():
            found = _of_lines(look, seen)
        case ConditionLook():
            found = _of_conditions(look, seen)
        case HangLook():
            found = _of_hangs(look, seen)
        case _:
            found = Found((), read=False)
    counted = tuple(thing for thing in found.things if _counts(look, thing))
    return Found(counted, found.read, found.hosts)


def _counts(look: Look, thing: Thing) -> bool:
    asked = (holds(test, thing.values, top=thing.top) for test in look.only)
    left_out = (holds(test, thing.values, top=thing.top) for test in look.skip)
    return all(asked) and not any(left_out)


def _of_readings(look: ReadingLook, seen: Seen) -> Found:
    readings = [
        one
        for one in seen.readings.get(look.kind, ())
        if all(holds(test, one.values) for test in look.of)
    ]
    merged: dict[tuple[str, str], list[Reading]] = defaultdict(list)
    for reading in readings:
        merged[reading.host, name_of(look.subject, reading.values)].append(reading)
    things = [
        Thing(subject, host, _merge(group), tuple(dict.fromkeys(each.evidence for each in group)))
        for (host, subject), group in merged.items()
    ]
    hosts = {reading.host for reading in readings} | _hosts_of_command(look, seen)
    things = _with_beside(look, seen, _with_peers(look, things))
    return Found(tuple(things), bool(hosts), frozenset(hosts))


def _merge(readings: Sequence[Reading]) -> Values:
    """Take the newest value of each name."""
    ordered = sorted(
        readings, key=lambda each: each.observed.utc.timestamp() if each.observed else 0
    )
    return {
        name: value
        for reading in ordered
        for name, value in reading.values.items()
        if value is not None
    }


def _hosts_of_command(look: ReadingLook, seen: Seen) -> set[str]:
    if not look.read_by:
        return set()
    pattern = compile_pattern(look.read_by)
    return {
        each.target
        for each in seen.evidence.values()
        if each.outcome in _READ
        and each.target
        and pattern.search(encode(each.command)) is not None
    }


def _with_peers(look: ReadingLook, things: Sequence[Thing]) -> list[Thing]:
    if not look.peers:
        return list(things)
    groups: dict[tuple[str, ...], list[Thing]] = defaultdict(list)
    for thing in things:
        groups[tuple(str(lookup(thing.values, key)) for key in look.peers_by)].append(thing)
    found: list[Thing] = []
    for group in groups.values():
        usual = {name: _usual(group, name) for name in look.peers}
        beside = {"peer": usual, "peers": len(group) - 1}
        found.extend(_extend(thing, beside) for thing in group)
    return [_with_gaps(look, thing) for thing in found]


def _with_gaps(look: ReadingLook, thing: Thing) -> Thing:
    gaps: Values = {}
    for name, (first, second) in look.gaps.items():
        left, right = lookup(thing.values, first), lookup(thing.values, second)
        if isinstance(left, int | float) and isinstance(right, int | float):
            gaps[name] = left - right
    return _extend(thing, gaps)


def _usual(group: Sequence[Thing], name: str) -> object:
    """Return the middle of measured numbers, else the most common value; None of too few."""
    values = [value for thing in group if (value := lookup(thing.values, name)) is not None]
    if len(values) < _ENOUGH_PEERS:
        return None
    floats = [value for value in values if isinstance(value, float)]
    if len(floats) == len(values) and not all(value.is_integer() for value in floats):
        return median(floats)
    return Counter(values).most_common(1)[0][0]


def _with_beside(look: ReadingLook, seen: Seen, things: Sequence[Thing]) -> list[Thing]:
    if not look.beside:
        return list(things)
    others: dict[str, dict[str, Values]] = defaultdict(dict)
    for kind in look.beside:
        for reading in seen.readings.get(kind, ()):
            others[reading.host].setdefault(kind, {}).update(reading.values)
    return [_extend(thing, {"beside": others.get(thing.host, {})}) for thing in things]


def _extend(thing: Thing, more: Mapping[str, object]) -> Thing:
    values = dict(thing.values) if isinstance(thing.values, Mapping) else {}
    return Thing(thing.subject, thing.host, {**values, **more}, thing.evidence, thing.top)


def _of_objects(look: ObjectLook, seen: Seen) -> Found:
    things = []
    states = {(each.namespace, each.name): each for each in seen.objects.get(look.kind, ())}
    for state in states.values():
        host = state.name if state.kind == "Node" else ""
        inner = lookup(state.content, look.each) if look.each else None
        items = [state.content] if not look.each else inner if isinstance(inner, list) else []
        for item in items:
            subject = name_of(look.subject, item, state.content)
            things.append(Thing(subject, host, item, (state.evidence,), state.content))
    return Found(tuple(things), bool(states))


def _of_series(look: SeriesLook, seen: Seen) -> Found:
    things = []
    for series in seen.series.get(look.query, ()):
        values = [one.value for one in series.samples if math.isfinite(one.value)]
        if not values:
            continue
        told: Values = {**series.labels, "last": values[-1], "least": min(values)}
        told |= {"most": max(values), "middle": median(values), "samples": len(values)}
        subject = name_of(look.subject, told)
        things.append(Thing(subject, host_of_labels(series), told, (series.evidence,)))
    return Found(tuple(things), bool(things), frozenset(thing.host for thing in things))


def host_of_labels(series: Series) -> str:
    """Tell the host from labels, without a port."""
    named = (series.labels.get(label, "") for label in _HOST_LABELS)
    return next(filter(None, named), "").partition(":")[0]


def _of_lines(look: LineLook, seen: Seen) -> Found:
    youngest: dict[str, Thing] = {}
    ages: dict[str, float] = {}
    for line in seen.lines.get(look.regex, ()):
        record = line.record
        told: Values = {**record.fields, **line.groups, "host": record.host, "unit": record.unit}
        age = math.inf
        if record.time is not None and record.time.dated:
            age = (seen.as_of - record.time.utc).total_seconds()
            told["age_s"] = age
        subject = name_of(look.subject, told)
        if subject not in ages or age < ages[subject]:
            ages[subject] = age
            youngest[subject] = Thing(subject, record.host, told, (record.evidence,))
    return Found(tuple(youngest.values()), bool(youngest))


def _of_conditions(look: ConditionLook, seen: Seen) -> Found:
    lines: dict[tuple[str, str], list[Shown]] = defaultdict(list)
    for shown in seen.shown.get(key_of(look), ()):
        told = {**shown.record.fields, **shown.match.values, "host": shown.record.host}
        lines[name_of(look.subject, told), shown.match.page].append(shown)
    things = []
    for (subject, page), group in lines.items():
        record = group[-1].record
        values: Values = {"page": page, "count": len(group), "line": record.text[:_QUOTED]}
        evidence = tuple(dict.fromkeys(each.record.evidence for each in group))
        things.append(Thing(subject, record.host, values, evidence))
    return Found(tuple(things), look.channel in seen.channels)


def _of_hangs(_look: HangLook, seen: Seen) -> Found:
    ran = [
        each
        for each in seen.evidence.values()
        if each.source in _RUN or each.outcome == "hung"  # whoever asked: it did not come back
    ]
    hung = tuple(
        Thing(each.target or each.command, each.target, each.model_dump(), (each.id,))
        for each in ran
        if each.outcome == "hung"
    )
    return Found(hung, bool(ran))
