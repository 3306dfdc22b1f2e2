"""Zones of stamps that name none: concluded from evidence, or stated and held against it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from assistant.burst import Burst
from assistant.event import ClockCorrection
from assistant.topology import Key
from tools.evidence import UNKNOWN_ZONE_S

QUARTER_S = 900
"""Zones differ from UTC by whole quarters of an hour."""
SLACK_S = 2.0
_SAME_S = 120.0
"""How far two reports of one happening may lie apart once their zones agree."""
_EARLY_S, _LATE_S = 1800.0, 900.0
"""What an appliance reports may break this much before the first thing elsewhere, and after the
last."""
FEW_ALARMS = 2
"""One alarm lies near a fault of one host in some zone by chance, and would then seem its cause."""
_AHEAD_S = 3600.0
"""No clock is so far ahead that it stamps a line this long after the line was captured."""

Happening = tuple[str, Key]
"""A condition on a thing."""
Grouped = Mapping[Happening, list[Burst]]
Written = tuple[str, str]
"""A clock, and the capture of what it stamped."""


@dataclass(frozen=True, slots=True)
class Broke:
    """When things broke, in epoch seconds, and which conditions count as breaking."""

    since: float
    until: float
    pages: frozenset[str]
    hosts: int = 0
    """On how many hosts."""


@dataclass(frozen=True, slots=True)
class Captures:
    """What the times of captures tell of clocks, by evidence."""

    zones: Mapping[str, float] = field(default_factory=dict)
    """Seconds to add to stamps without a zone, so that the last lies just before its capture."""
    misses: Mapping[str, float] = field(default_factory=dict)
    """The same for stamps that were read in a zone the operator stated."""
    times: Mapping[str, datetime] = field(default_factory=dict)
    """When it was captured."""
    begun: Mapping[Written, datetime] = field(default_factory=dict)
    """The first stamp of what one clock wrote into it."""


def conclude(
    lost: Sequence[Burst],
    sure: Sequence[Burst],
    broke: Broke | None,
    captured: Mapping[str, float],
) -> tuple[tuple[ClockCorrection, ...], tuple[str, ...]]:
    """Conclude the zone of every clock whose stamps name none; tell which stay unknown."""
    reports, by_clock = _by_happening(sure), _by_clock(lost)
    loose = {clock for clock, own in by_clock.items() if own[0].first.common_s > UNKNOWN_ZONE_S}
    found = {
        clock: zone
        for clock, own in by_clock.items()
        if (zone := (_base_by_pairs if clock in loose else _zone_by_pairs)(clock, own, reports))
    }
    siblings = {found[clock].offset_s for clock in found.keys() - loose}
    for clock, own in by_clock.items():
        if clock not in found.keys() | loose and (zone := _zone_by_capture(clock, own, captured)):
            found[clock] = zone
    placed = _by_happening(_placed(by_clock, found))
    for clock, own in by_clock.items():
        if clock not in found.keys() | loose:
            zone = _zone_by_pairs(clock, own, placed)
            others = [b for b in (*sure, *lost) if b.clock != clock]
            near = broke if _names(own) & _names(others) else None
            zone = zone or _zone_by_window(clock, own, near, siblings)
            found.update({clock: zone} if zone else {})
    named = {name for zone in found.values() for name in zone.evidence}
    for name, offset in captured.items():
        if name not in named and f"file:{name}" not in loose:
            found[f"file:{name}"] = _zone(f"file:{name}", offset, (name,), _CAPTURED)
    unresolved = tuple(sorted(by_clock.keys() - found.keys()))
    return tuple(found[clock] for clock in sorted(found)), unresolved


def _placed(
    by_clock: Mapping[str, Sequence[Burst]], found: Mapping[str, ClockCorrection]
) -> Iterable[Burst]:
    """Yield what clocks reported whose zone is known by now, where that zone puts it."""
    for clock, zone in found.items():
        for burst in by_clock[clock]:
            moved = burst.first.utc + timedelta(seconds=zone.offset_s)
            yield replace(burst, first=replace(burst.first, utc=moved))


def deny(
    claimed: Sequence[Burst], sure: Sequence[Burst], broke: Broke | None, captures: Captures
) -> tuple[ClockCorrection, ...]:
    """Correct the clocks whose stamps cannot be of the zone that the operator stated.

    A statement stands unless other clocks stamped the same happenings at other times, or the file
    ends at another time than it was captured. What broke elsewhere speaks against it only beside
    such a sign.
    """
    reports, by_clock = _by_happening(sure), _by_clock(claimed)
    found: dict[str, ClockCorrection] = {}
    doubtful = {clock: own for clock, own in by_clock.items() if not _fits(own, reports)}
    for clock, own in doubtful.items():
        zone = _zone_by_pairs(clock, own, reports)
        zone = zone or _zone_by_capture(clock, own, captures.misses)
        if zone is not None and zone.offset_s:
            found[clock] = zone
    siblings = {zone.offset_s for zone in found.values()}
    for clock, own in doubtful.items():
        if clock in found or _inside(own, broke, 0.0):
            continue
        zone = _zone_by_window(clock, own, broke, siblings)
        if zone is not None and (siblings == {zone.offset_s} or _is_ahead(own, captures.times)):
            found[clock] = zone
    read = {burst.places[0].evidence for burst in claimed}
    for name, offset in captures.misses.items():
        if offset and name not in read:
            found[f"file:{name}"] = _zone(f"file:{name}", offset, (name,), _CAPTURED)
    return tuple(
        found[clock].model_copy(update={"why": f"{found[clock].why}; the zone stated for it fails"})
        for clock in sorted(found)
    )


def _names(bursts: Iterable[Burst]) -> set[str]:
    """Return the ids of all that bursts speak of: a clock that shares none may lie anywhere.

    That its alarms could lie beside others would be both the reason for the zone and its use.
    """
    keys = (key for b in bursts for key in (b.entity, *b.anchors, *b.peers))
    return {name for kind, name in keys if name and kind != "cluster"}


def _fits(own: Sequence[Burst], reports: Grouped) -> bool:
    """Tell whether any happening was stamped alike by a sure clock."""
    return bool(_vote(own, reports)[0].get(0))


def _inside(own: Sequence[Burst], broke: Broke | None, offset_s: float) -> int:
    """Count the alarms that an offset puts into the time of the fault."""
    if broke is None:
        return 0
    low, high = broke.since - _EARLY_S, broke.until + _LATE_S
    alarms = (b.first.utc.timestamp() for b in own if b.page in broke.pages)
    return sum(low <= at + offset_s <= high for at in alarms)


def _is_ahead(own: Sequence[Burst], captured: Mapping[str, datetime]) -> bool:
    """Tell whether a line would be younger than its capture."""
    return any(
        (moment := captured.get(burst.places[0].evidence)) is not None
        and (burst.first.utc - moment).total_seconds() > _AHEAD_S
        for burst in own
    )


def _by_happening(bursts: Iterable[Burst]) -> Grouped:
    reports: dict[Happening, list[Burst]] = defaultdict(list)
    for burst in bursts:
        reports[burst.page, burst.entity].append(burst)
    return reports


def _by_clock(bursts: Iterable[Burst]) -> Mapping[str, list[Burst]]:
    clocks: dict[str, list[Burst]] = defaultdict(list)
    for burst in bursts:
        clocks[burst.clock].append(burst)
    return clocks


def _vote(
    own: Sequence[Burst], reports: Grouped
) -> tuple[Mapping[int, set[Happening]], Mapping[int, set[str]]]:
    """Let every happening that a sure clock stamped too vote for a whole quarter of an hour."""
    votes: dict[int, set[Happening]] = defaultdict(set)
    witnesses: dict[int, set[str]] = defaultdict(set)
    for burst in own:
        happening = (burst.page, burst.entity)
        for other in reports.get(happening, ()):
            apart = between(burst, other)
            quarter = round(apart / QUARTER_S)
            fits = abs(apart - quarter * QUARTER_S) <= _SAME_S + other.before_s
            if fits and abs(apart) <= UNKNOWN_ZONE_S and other.before_s <= _SAME_S:
                votes[quarter].add(happening)
                witnesses[quarter].add(other.places[0].evidence)
    return votes, witnesses


def _zone_by_pairs(clock: str, own: Sequence[Burst], reports: Grouped) -> ClockCorrection | None:
    votes, witnesses = _vote(own, reports)
    ranked = sorted(votes, key=lambda quarter: len(votes[quarter]), reverse=True)
    if not ranked or (len(ranked) > 1 and len(votes[ranked[0]]) == len(votes[ranked[1]])):
        return None
    best = ranked[0]
    count = len(votes[best])
    why = f"{count} happening{'s' * (count > 1)} that a clock of known zone stamped too"
    return _zone(
        clock, best * QUARTER_S, (*sorted(witnesses[best]), own[0].places[0].evidence), why
    )


def _base_by_pairs(clock: str, own: Sequence[Burst], reports: Grouped) -> ClockCorrection | None:
    """Place a boot clock by happenings that a clock of wall time stamped too, once each.

    It may be off by any amount, so that only an amount on which all of them agree counts.
    """
    mine = _by_happening(own)
    pairs = [
        (between(bursts[0], others[0]), others[0].places[0].evidence)
        for happening, bursts in mine.items()
        if len(bursts) == 1
        and len(others := reports.get(happening, [])) == 1
        and others[0].before_s <= _SAME_S
    ]
    low, high = (pick((apart for apart, _ in pairs), default=0.0) for pick in (min, max))
    if not pairs or high - low > _SAME_S:
        return None
    count = len(pairs)
    return ClockCorrection(
        clock=clock,
        offset_s=(low + high) / 2,
        uncertainty_s=(high - low) / 2 + SLACK_S,
        evidence=(*sorted({evidence for _, evidence in pairs}), own[0].places[0].evidence),
        why=f"boot clock placed by {count} happening{'s' * (count > 1)} that a clock of wall time"
        " stamped too",
        kind="zone",
    )


_CAPTURED = "its last line then lies just before its capture"


def _zone_by_capture(
    clock: str, own: Sequence[Burst], captured: Mapping[str, float]
) -> ClockCorrection | None:
    files = sorted({burst.places[0].evidence for burst in own})
    zones = {captured.get(name) for name in files}
    offset = zones.pop() if len(zones) == 1 else None
    return None if offset is None else _zone(clock, offset, files, _CAPTURED)


def _zone_by_window(
    clock: str, own: Sequence[Burst], broke: Broke | None, siblings: set[float]
) -> ClockCorrection | None:
    """Accept the one whole hour that puts most of the file's alarms into the time of the fault.

    Where several do equally, the zone that all other unzoned files of this evidence turned out to
    be in is taken. Half-hour zones are rare: they stand only where no whole hour fits. A single
    alarm tells a zone only where several hosts broke at once, which nothing else explains.
    """
    half = 2 * QUARTER_S
    steps = range(-int(UNKNOWN_ZONE_S) // half, int(UNKNOWN_ZONE_S) // half + 1)
    inside = {step * half: _inside(own, broke, step * half) for step in steps}
    most = max(inside.values())
    least = 1 if broke and broke.hosts >= FEW_ALARMS else FEW_ALARMS
    fitting = [offset for offset, count in inside.items() if count == most >= least]
    chosen = [offset for offset in fitting if offset % 3600 == 0] or fitting
    evidence = (own[0].places[0].evidence,)
    if len(chosen) == 1:
        why = "no other whole hour puts so many of its alarms to where things broke elsewhere"
        return _zone(clock, chosen[0], evidence, why)
    if len(siblings) == 1 and (shared := next(iter(siblings))) in fitting:
        why = "the zone of all other files without one, by happenings that they share"
        return _zone(clock, shared, evidence, why)
    return None


def _zone(clock: str, offset_s: float, evidence: Iterable[str], why: str) -> ClockCorrection:
    hours, minutes = divmod(round(abs(offset_s) / 60), 60)
    stated = f"UTC{'-' if offset_s > 0 else '+'}{hours:02}:{minutes:02}"
    return ClockCorrection(
        clock=clock,
        offset_s=offset_s,
        evidence=tuple(dict.fromkeys(evidence)),
        why=f"read as {stated}: {why}",
        kind="zone",
    )


def between(burst: Burst, other: Burst) -> float:
    """Return how many seconds later the other began."""
    earlier: datetime = burst.first.utc
    return (other.first.utc - earlier).total_seconds()
