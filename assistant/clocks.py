"""Clock offsets and zones, learnt from evidence and applied to all that a clock stamped."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from assistant.burst import Burst, Place
from assistant.clock_facts import ClockFact
from assistant.event import ClockCorrection
from assistant.topology import Key
from tools.evidence import UNKNOWN_ZONE_S, Instant, Zone

QUARTER_S = 900
"""Zones differ from UTC by whole quarters of an hour."""
_SAME_S = 120.0
"""How far two reports of one happening may lie apart once their zones agree."""
_LAG_S = 45.0
"""How much later a controller or scraper may report what a host saw itself."""
_SLACK_S = 2.0
_NEAR_S = 900.0
"""Pairs farther apart than this are two happenings, unless their zone is in question."""
_EARLY_S, _LATE_S = 1800.0, 900.0
"""What an appliance reports may break this much before the first thing elsewhere, and after the
last."""

Happening = tuple[str, Key]
"""A condition on a thing."""
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Broke:
    """When things broke, in epoch seconds, and which conditions count as breaking."""

    since: float
    until: float
    pages: frozenset[str]


@dataclass(frozen=True)
class Clocks:
    """Every correction, ready to apply."""

    corrections: tuple[ClockCorrection, ...] = ()
    unresolved: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        by_clock: dict[str, list[ClockCorrection]] = defaultdict(list)
        for correction in self.corrections:
            by_clock[correction.clock].append(correction)
        object.__setattr__(self, "_by_clock", dict(by_clock))

    def put_right(self, moment: Instant, clock: str, place: Place) -> Instant:
        """Return the instant in UTC as far as the clock's corrections tell.

        A zone is added only to stamps that name none; an offset to all that the clock stamped.
        """
        known: dict[str, list[ClockCorrection]] = self.__dict__["_by_clock"]
        for correction in known.get(clock, ()):
            if correction.kind == "zone" and moment.zone == "unknown":
                own = moment.uncertainty_s - moment.common_s
                moment = _moved(moment, correction, uncertainty_s=own, zone="assumed")
        chosen = _applicable(known.get(clock, ()), moment, place)
        if chosen is None or not chosen.offset_s:
            return moment
        return _moved(moment, chosen, uncertainty_s=moment.uncertainty_s, zone=moment.zone)

    def apply(self, burst: Burst) -> Burst:
        """Return the burst with all its times put right."""
        if burst.clock not in self.__dict__["_by_clock"]:
            return burst
        first = self.put_right(burst.first, burst.clock, burst.places[0])
        last = self.put_right(burst.last, burst.clock, burst.last_place)
        end = burst.end
        if end is not None:
            end = self.put_right(end, burst.clock, burst.end_place or burst.last_place)
        return replace(burst, first=first, last=last, end=end)


def learn_clocks(
    bursts: Sequence[Burst],
    facts: Sequence[ClockFact],
    broke: "Broke | None",
    captured: Mapping[str, float],
) -> Clocks:
    """Conclude every correction.

    Args:
        bursts: sightings as each clock stamped them, their entities canonical.
        facts: what daemons and scrapers say of clocks.
        broke: when things broke, as certain clocks show it.
        captured: by evidence, the zone that the time of its capture shows, in seconds to add.
    """
    stated = tuple(_from_facts(facts))
    clocks = Clocks(stated)
    sure = [clocks.apply(b) for b in bursts if b.timed and b.first.zone != "unknown"]
    known = {correction.clock for correction in stated}
    paired = tuple(_from_pairs(sure, known))
    lost = [b for b in bursts if b.timed and b.first.zone == "unknown"]
    zones, unresolved = _zones(lost, sure, broke, captured)
    return Clocks((*stated, *paired, *zones), unresolved)


def _moved(
    moment: Instant, correction: ClockCorrection, *, uncertainty_s: float, zone: Zone
) -> Instant:
    return Instant(
        utc=moment.utc + timedelta(seconds=correction.offset_s),
        uncertainty_s=uncertainty_s + correction.uncertainty_s,
        zone=zone,
        original=moment.original or moment.utc.isoformat(),
    )


def _applicable(
    corrections: Iterable[ClockCorrection], moment: Instant, place: Place
) -> ClockCorrection | None:
    """Choose the last one in force: by line within its own file, by time elsewhere."""
    chosen: ClockCorrection | None = None
    for correction in corrections:
        if correction.kind == "zone":
            continue
        if correction.from_line and place.line and place.evidence in correction.evidence:
            in_force = place.line >= correction.from_line
        else:
            in_force = moment.utc >= correction.since
        if in_force:
            chosen = correction
    return chosen


def _from_facts(facts: Sequence[ClockFact]) -> Iterator[ClockCorrection]:
    stepped = {fact.clock for fact in facts if fact.step}
    measured: set[str] = set()
    for fact in facts:
        if fact.step:
            yield from _step(fact)
        elif fact.clock not in stepped | measured:
            measured.add(fact.clock)
            yield ClockCorrection(
                clock=fact.clock,
                offset_s=fact.add_s,
                uncertainty_s=fact.uncertainty_s,
                evidence=(fact.evidence,),
                why=fact.why,
            )


def _step(fact: ClockFact) -> Iterator[ClockCorrection]:
    """Before the step the clock was off by it; after it, right."""
    before = ClockCorrection(
        clock=fact.clock,
        offset_s=fact.add_s,
        uncertainty_s=fact.uncertainty_s,
        evidence=(fact.evidence,),
        why=f"before the step; {fact.why}",
        kind="step",
    )
    yield before
    if fact.at is not None:
        # A clock set back shows some minutes twice; outside its own file they cannot be told
        # apart, so the wrong reading ends where the printed time of the step begins.
        yield before.model_copy(
            update={
                "offset_s": 0.0,
                "since": fact.at.utc,
                "from_line": fact.line,
                "why": f"from the step on; {fact.why}",
            }
        )


def _from_pairs(sure: Sequence[Burst], known: set[str]) -> Iterator[ClockCorrection]:
    """Compare each host's clock with those of controllers and scrapers over shared happenings."""
    hosts, others = _by_happening(sure)
    bounds: dict[str, list[tuple[Range, str]]] = defaultdict(list)
    for happening, own in hosts.items():
        for burst in own:
            other = _only_near(burst, others.get(happening, ()))
            if other is not None and burst.clock not in known:
                evidence = other.places[0].evidence
                bounds[burst.clock].append((_offset_bounds(burst, other), evidence))
    for clock, found in bounds.items():
        low = max(bound[0] for bound, _ in found)
        high = min(bound[1] for bound, _ in found)
        if len(found) < _ENOUGH_PAIRS or low > high or low <= 0.0 <= high:
            continue
        yield ClockCorrection(
            clock=clock,
            offset_s=round((low + high) / 2, 1),
            uncertainty_s=round((high - low) / 2, 1),
            evidence=tuple(sorted({evidence for _, evidence in found})),
            why=f"{len(found)} happenings that another clock stamped too",
        )


_ENOUGH_PAIRS = 2
Grouped = Mapping[Happening, list[Burst]]


def _by_happening(sure: Sequence[Burst]) -> tuple[Grouped, Grouped]:
    hosts: dict[Happening, list[Burst]] = defaultdict(list)
    others: dict[Happening, list[Burst]] = defaultdict(list)
    for burst in sure:
        side = hosts if burst.clock.startswith("host:") else others
        side[(burst.page, burst.entity)].append(burst)
    return hosts, others


def _only_near(burst: Burst, others: Sequence[Burst]) -> Burst | None:
    """Return the one other report nearby; two or none tell nothing."""
    near = [
        other for other in others if abs(_between(burst, other)) <= _NEAR_S + other.before_s
        and other.before_s <= _NEAR_S
    ]  # fmt: skip
    return near[0] if len(near) == 1 else None


def _offset_bounds(burst: Burst, other: Burst) -> Range:
    """Between which offsets the two reports are of one moment: the other may lag, not lead."""
    apart = _between(burst, other)
    blur = burst.first.uncertainty_s + other.first.uncertainty_s + _SLACK_S
    return apart - other.before_s - _LAG_S - blur, apart + burst.before_s + blur


def _zones(
    lost: Sequence[Burst],
    sure: Sequence[Burst],
    broke: Broke | None,
    captured: Mapping[str, float],
) -> tuple[tuple[ClockCorrection, ...], tuple[str, ...]]:
    reports: dict[Happening, list[Burst]] = defaultdict(list)
    for burst in sure:
        reports[(burst.page, burst.entity)].append(burst)
    by_clock: dict[str, list[Burst]] = defaultdict(list)
    for burst in lost:
        by_clock[burst.clock].append(burst)
    loose = {clock for clock, own in by_clock.items() if own[0].first.common_s > UNKNOWN_ZONE_S}
    found = {
        clock: zone
        for clock, own in by_clock.items()
        if (zone := (_base_by_pairs if clock in loose else _zone_by_pairs)(clock, own, reports))
    }
    siblings = {found[clock].offset_s for clock in found.keys() - loose}
    for clock, own in by_clock.items():
        if clock not in found.keys() | loose:
            zone = _zone_by_capture(clock, own, captured)
            zone = zone or _zone_by_window(clock, own, broke, siblings)
            found.update({clock: zone} if zone else {})
    named = {name for zone in found.values() for name in zone.evidence}
    for name, offset in captured.items():
        if name not in named and f"file:{name}" not in loose:
            found[f"file:{name}"] = _zone(f"file:{name}", offset, (name,), _CAPTURED)
    unresolved = tuple(sorted(by_clock.keys() - found.keys()))
    return tuple(found[clock] for clock in sorted(found)), unresolved


def _zone_by_pairs(clock: str, own: Sequence[Burst], reports: Grouped) -> ClockCorrection | None:
    """Let every happening that a sure clock stamped too vote for a whole quarter of an hour."""
    votes: dict[int, set[Happening]] = defaultdict(set)
    witnesses: dict[int, set[str]] = defaultdict(set)
    for burst in own:
        happening = (burst.page, burst.entity)
        for other in reports.get(happening, ()):
            apart = _between(burst, other)
            quarter = round(apart / QUARTER_S)
            fits = abs(apart - quarter * QUARTER_S) <= _SAME_S + other.before_s
            if fits and abs(apart) <= UNKNOWN_ZONE_S and other.before_s <= _SAME_S:
                votes[quarter].add(happening)
                witnesses[quarter].add(other.places[0].evidence)
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
    mine: dict[Happening, list[Burst]] = defaultdict(list)
    for burst in own:
        mine[burst.page, burst.entity].append(burst)
    pairs = [
        (_between(bursts[0], others[0]), others[0].places[0].evidence)
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
        uncertainty_s=(high - low) / 2 + _SLACK_S,
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
    be in is taken. Half-hour zones are rare: they stand only where no whole hour fits.
    """
    alarms = [b.first.utc.timestamp() for b in own if broke and b.page in broke.pages]
    if broke is None or not alarms:
        return None
    low, high = broke.since - _EARLY_S, broke.until + _LATE_S
    half = 2 * QUARTER_S
    steps = range(-int(UNKNOWN_ZONE_S) // half, int(UNKNOWN_ZONE_S) // half + 1)
    inside = {step * half: sum(low <= at + step * half <= high for at in alarms) for step in steps}
    most = max(inside.values())
    fitting = [offset for offset, count in inside.items() if count == most > 0]
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


def _between(burst: Burst, other: Burst) -> float:
    earlier: datetime = burst.first.utc
    return (other.first.utc - earlier).total_seconds()
