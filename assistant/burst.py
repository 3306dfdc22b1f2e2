"""Sightings of one condition on one thing by one clock, collapsed while they stream past."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from assistant.event import FieldValue
from assistant.tempo import Tempo
from assistant.topology import Key
from knowledge.page import Page, Severity
from tools.evidence import Channel, Citation, Instant

QUIET_S = 120.0
"""Silence after which the same condition counts as new, unless its page lasts longer."""
LONG_QUIET_S = 900.0
"""After this silence it is new however long it lasts: yesterday's fault is not today's."""
UNKNOWN_ONSET_S = 7 * 86400.0
"""How long before a first sight a state may have begun when nothing says otherwise."""
MOST_TEXT = 2000
MOST_BURSTS = 20_000
"""Distinct occurrences of one condition by one clock; beyond that they are only counted."""

MOST_RECURRENCES = 400
"""Occurrences on one thing by one clock that are kept whole: the first and the latest ones."""
MOST_ENDS = 2000
"""Recoveries of one thing told by one clock."""
STEADY_S = 10.0
"""Recoveries that follow each other faster than this say nothing new."""


class Place(NamedTuple):
    """A citation in the making: cheap, because most are dropped again."""

    evidence: str
    line: int
    text: str

    def cite(self) -> Citation:
        """Return it as the type that travels."""
        return Citation(evidence=self.evidence, line=self.line, text=self.text[:MOST_TEXT])


@dataclass(slots=True)
class Sighting:
    """One match: which condition, on what, by which clock, and where it stands."""

    page: str
    entity: Key
    clock: str
    channel: Channel
    time: Instant
    place: Place
    fields: Mapping[str, FieldValue] = field(default_factory=dict)
    anchors: tuple[Key, ...] = ()
    peers: tuple[Key, ...] = ()
    implied: tuple[Key, ...] = ()
    """Those anchors that only the page names."""
    severity: Severity | None = None
    before_s: float = 0.0
    last: Instant | None = None
    end: Instant | None = None
    ended: bool = False
    timed: bool = True
    count: int = 1
    echo: bool = False
    """It repeats what its host's own log says, and so comes after."""
    writer: str = ""
    """The process that wrote it, where its line names one."""
    step: int | None = None
    """How far it says that work has come."""
    tempos: tuple[Tempo, ...] = ()
    """How fast it says that work goes on, and how well."""


@dataclass(slots=True)
class Burst:
    """What is kept of a run of sightings."""

    page: str
    entity: Key
    clock: str
    first: Instant
    last: Instant
    places: list[Place]
    """First, a middle one, last."""
    last_place: Place
    before_s: float = 0.0
    count: int = 1
    pace: dict[int, int] = field(default_factory=dict)
    """Occurrences by quarter of an hour since the epoch; empty where all came within one."""
    steps: dict[tuple[str, int], int] = field(default_factory=dict)
    """How far work had come, by its writer and each five minutes since the epoch."""
    tempos: dict[tuple[str, int], float] = field(default_factory=dict)
    """The least that a step took, or lost, in them, by its writer with the kind of measure."""
    fields: dict[str, FieldValue] = field(default_factory=dict)
    anchors: set[Key] = field(default_factory=set)
    peers: set[Key] = field(default_factory=set)
    implied: set[Key] = field(default_factory=set)
    """Those anchors that no sighting's own words name."""
    channels: set[Channel] = field(default_factory=set)
    severity: Severity | None = None
    end: Instant | None = None
    end_place: Place | None = None
    timed: bool = True
    echo: bool = False
    """Its first sighting was one."""

    def citations(self) -> tuple[Citation, ...]:
        """Return at most four places: first, middle, last and the recovery."""
        found = [*self.places[:2]]
        if self.count > 1 and self.last_place not in found:
            found.append(self.last_place)
        if self.end_place is not None:
            found.append(self.end_place)
        return tuple(place.cite() for place in found)


def quiet_s(page: Page) -> float:
    """Return the silence, in seconds, after which an occurrence of the page is a new one."""
    return min(max(page.lasts_s, QUIET_S), LONG_QUIET_S)


class Fold:
    """Bursts as they grow; one dictionary look-up for each sighting."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._quiet = {name: quiet_s(page) for name, page in pages.items()}
        self._open: dict[tuple[str, Key, str], Burst] = {}
        self._closed: dict[tuple[str, Key, str], list[Burst]] = {}
        self._recovered: dict[tuple[str, Key, str], tuple[int, datetime]] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self.overflow: dict[tuple[str, str], int] = {}
        """By page and clock: occurrences that were only counted."""
        self.ends: list[Sighting] = []
        """Recoveries that closed nothing of their own clock."""

    def add(self, sighting: Sighting) -> None:
        """Take a sighting into its burst, begin a new one, or close one on recovery."""
        key = (sighting.page, sighting.entity, sighting.clock)
        burst = self._open.get(key)
        if sighting.ended:
            self._close(burst, sighting)
        elif burst is None or burst.end is not None or self._apart(burst, sighting):
            self._begin(key, burst, sighting)
        else:
            _extend(burst, sighting)

    def bursts(self) -> Iterator[Burst]:
        """Yield all bursts, in no order."""
        for recurrences in self._closed.values():
            yield from recurrences
        yield from self._open.values()

    def _begin(self, key: tuple[str, Key, str], old: Burst | None, sighting: Sighting) -> None:
        lane = (sighting.page, sighting.clock)
        number = self._counts[lane] = self._counts.get(lane, 0) + 1
        if number > MOST_BURSTS:
            self.overflow[lane] = self.overflow.get(lane, 0) + sighting.count
            return
        if old is not None:
            self._keep(key, old)
        self._open[key] = _new(sighting)

    def _keep(self, key: tuple[str, Key, str], old: Burst) -> None:
        """Keep the first and the latest recurrences; what lies between is only counted."""
        kept = self._closed.setdefault(key, [])
        kept.append(old)
        if len(kept) > MOST_RECURRENCES:
            dropped = kept.pop(MOST_RECURRENCES // 2)
            lane = (dropped.page, dropped.clock)
            self.overflow[lane] = self.overflow.get(lane, 0) + dropped.count

    def _close(self, burst: Burst | None, sighting: Sighting) -> None:
        if burst is None or burst.end is not None or sighting.time.utc < burst.first.utc:
            self._recover(sighting)
            return
        burst.end, burst.end_place = sighting.time, sighting.place

    def _recover(self, sighting: Sighting) -> None:
        """Keep a recovery for what other clocks saw, but not each of a steady flood."""
        key = (sighting.page, sighting.entity, sighting.clock)
        moment = sighting.time.utc
        number, latest = self._recovered.get(key, (0, datetime.min.replace(tzinfo=UTC)))
        if number and (abs(_seconds(latest, moment)) < STEADY_S or number > MOST_ENDS):
            return
        self._recovered[key] = (number + 1, moment)
        self.ends.append(sighting)

    def _apart(self, burst: Burst, sighting: Sighting) -> bool:
        quiet = self._quiet[burst.page]
        moment = sighting.time.utc
        return _seconds(burst.last.utc, moment) > quiet or _seconds(moment, burst.first.utc) > quiet


def _new(sighting: Sighting) -> Burst:
    burst = Burst(
        page=sighting.page,
        entity=sighting.entity,
        clock=sighting.clock,
        first=sighting.time,
        last=sighting.last or sighting.time,
        places=[sighting.place],
        last_place=sighting.place,
        before_s=sighting.before_s,
        count=sighting.count,
        fields=dict(sighting.fields),
        anchors=set(sighting.anchors),
        peers=set(sighting.peers),
        implied=set(sighting.implied),
        channels={sighting.channel},
        severity=sighting.severity,
        end=sighting.end,
        timed=sighting.timed,
        echo=sighting.echo,
    )
    _keep_step(burst, sighting)
    return burst


def _extend(burst: Burst, sighting: Sighting) -> None:
    _keep_pace(burst, sighting)
    _keep_step(burst, sighting)
    burst.count += sighting.count
    if sighting.time.utc < burst.first.utc:
        burst.first, burst.before_s = sighting.time, sighting.before_s
        burst.echo = sighting.echo
        burst.places.insert(0, sighting.place)
        del burst.places[2:]
    last = sighting.last or sighting.time
    if last.utc >= burst.last.utc:
        if len(burst.places) == 1 and burst.count > 2:  # noqa: PLR2004 - two are first and last
            burst.places.append(burst.last_place)
        burst.last, burst.last_place = last, sighting.place
        burst.end = sighting.end or burst.end
    if sighting.channel not in burst.channels and len(burst.places) == 1:
        # What another channel says while a state holds is neither its first word nor its last.
        burst.places.append(sighting.place)
    burst.channels.add(sighting.channel)
    if sighting.implied or burst.implied:
        _keep_implied(burst, sighting)
    if len(burst.anchors) < MOST_ANCHORS:
        burst.anchors.update(sighting.anchors)
        burst.peers.update(sighting.peers)
    merge_fields(burst.fields, sighting.fields)


def _keep_implied(burst: Burst, sighting: Sighting) -> None:
    """One line that names a thing is enough to have it stated."""
    burst.implied -= set(sighting.anchors) - set(sighting.implied)
    burst.implied |= set(sighting.implied) - burst.anchors


MOST_ANCHORS = 256
PACE_S = 900
STEP_S = 300


def quarter_of(moment: datetime) -> int:
    """Return the quarter of an hour that a moment lies in, counted from the epoch."""
    return int(moment.timestamp() // PACE_S)


def _keep_pace(burst: Burst, sighting: Sighting) -> None:
    """Count by quarter of an hour from where a burst outlasts one; most are over by then."""
    if not burst.pace:
        if abs(_seconds(burst.first.utc, sighting.time.utc)) <= PACE_S:
            return
        burst.pace[quarter_of(burst.first.utc)] = burst.count
    quarter = quarter_of(sighting.time.utc)
    burst.pace[quarter] = burst.pace.get(quarter, 0) + sighting.count


def _keep_step(burst: Burst, sighting: Sighting) -> None:
    """Keep the greatest number, and the best speed, of each five minutes, in whatever order."""
    if not sighting.timed:
        return
    now = int(sighting.time.utc.timestamp() // STEP_S)
    if sighting.step is not None:
        at = (sighting.writer, now)
        burst.steps[at] = max(sighting.step, burst.steps.get(at, sighting.step))
    for kind, cost in sighting.tempos:
        by = (f"{sighting.writer} {kind}", now)
        burst.tempos[by] = min(cost, burst.tempos.get(by, cost))


def merge_fields(into: dict[str, FieldValue], more: Mapping[str, FieldValue]) -> None:
    """Keep the first line's fields, and of numbers the greatest."""
    for name, value in more.items():
        known = into.setdefault(name, value)
        if isinstance(value, int | float) and isinstance(known, int | float) and value > known:
            into[name] = value


def _seconds(earlier: datetime, later: datetime) -> float:
    return (later - earlier).total_seconds()
