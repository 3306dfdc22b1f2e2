"""Clock offsets and zones, learnt from evidence and applied to all that a clock stamped."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from assistant.burst import PACE_S, STEP_S, Burst, Place
from assistant.clock_facts import WORTH_S, ClockFact
from assistant.clock_pairs import compare
from assistant.event import ClockCorrection
from assistant.zones import Broke, Captures, conclude, deny
from tools.evidence import Instant, Zone


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

        A zone is added only to stamps that name none; an offset to all that the clock stamped. A
        zone that the operator stated counts as the stamp's own, unless a correction denies it.
        """
        known: dict[str, list[ClockCorrection]] = self.__dict__["_by_clock"]
        if moment.zone != "stated":
            moment = _zoned(moment, known.get(clock, ()))
        chosen = _applicable(known.get(clock, ()), moment, place)
        if chosen is None or not chosen.offset_s:
            return moment
        return _moved(moment, chosen, uncertainty_s=moment.uncertainty_s, zone=moment.zone)

    def apply(self, burst: Burst) -> Burst:
        """Return the burst with all its times put right."""
        if burst.clock not in self.__dict__["_by_clock"] and burst.first.zone != "assumed":
            return burst
        first = self.put_right(burst.first, burst.clock, burst.places[0])
        last = self.put_right(burst.last, burst.clock, burst.last_place)
        end = burst.end
        if end is not None:
            end = self.put_right(end, burst.clock, burst.end_place or burst.last_place)
        late = round((first.utc - burst.first.utc).total_seconds() / PACE_S)
        pace = {quarter + late: count for quarter, count in burst.pace.items()}
        late = round((first.utc - burst.first.utc).total_seconds() / STEP_S)
        steps = {(writer, at + late): step for (writer, at), step in burst.steps.items()}
        tempos = {(writer, at + late): cost for (writer, at), cost in burst.tempos.items()}
        moved = replace(burst, first=first, last=last, end=end, pace=pace)
        return replace(moved, steps=steps, tempos=tempos)


def learn_clocks(
    bursts: Sequence[Burst], facts: Sequence[ClockFact], broke: Broke | None, captures: Captures
) -> Clocks:
    """Conclude every correction.

    Args:
        bursts: sightings as each clock stamped them, their entities canonical.
        facts: what daemons and scrapers say of clocks.
        broke: when things broke, as certain clocks show it.
        captures: what the times of the captures tell.
    """
    stated = tuple(_from_facts([fact for fact in facts if not fact.zone]))
    kept = tuple(_zones_kept([fact for fact in facts if fact.zone]))
    clocks = Clocks(stated)
    timed = [burst for burst in bursts if burst.timed]
    certain = [clocks.apply(b) for b in timed if b.first.zone == "stated"]
    claimed = [b for b in timed if b.first.zone == "assumed"]
    denied = deny(claimed, certain, broke, captures)
    sure = [*certain, *map(Clocks((*stated, *denied)).apply, claimed)]
    known = {fact.clock for fact in facts if not fact.zone}
    believed = [b for b in sure if b.first.zone == "stated"]
    paired = tuple(compare(believed, known, captures.begun))
    told = {correction.clock for correction in kept}
    lost = [b for b in timed if b.first.zone == "unknown" and b.clock not in told]
    zones, unresolved = conclude(lost, sure, broke, captures.zones)
    return Clocks((*stated, *paired, *denied, *kept, *zones), unresolved)


def _zones_kept(facts: Sequence[ClockFact]) -> Iterator[ClockCorrection]:
    """Take the zone that a host says it keeps, unless it said two."""
    said: dict[str, set[float]] = defaultdict(set)
    for fact in facts:
        said[fact.clock].add(fact.add_s)
    for fact in {fact.clock: fact for fact in facts}.values():
        if len(said[fact.clock]) == 1:
            yield ClockCorrection(
                clock=fact.clock,
                offset_s=fact.add_s,
                evidence=(fact.evidence,),
                why=fact.why,
                kind="zone",
            )


def _zoned(moment: Instant, corrections: Iterable[ClockCorrection]) -> Instant:
    for correction in corrections:
        if correction.kind == "zone":
            own = moment.uncertainty_s - moment.common_s
            return _moved(moment, correction, uncertainty_s=own, zone="assumed")
    return replace(moment, zone="stated") if moment.zone == "assumed" else moment


def _moved(
    moment: Instant, correction: ClockCorrection, *, uncertainty_s: float, zone: Zone
) -> Instant:
    return Instant(
        utc=moment.utc + timedelta(seconds=correction.offset_s),
        uncertainty_s=uncertainty_s + correction.uncertainty_s,
        zone=zone,
        original=moment.original or moment.utc.isoformat(),
        offset_doubt_s=moment.offset_doubt_s + correction.uncertainty_s,
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
        elif fact.clock not in stepped | measured and abs(fact.add_s) >= WORTH_S:
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
