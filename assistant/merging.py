"""Reports of one fact, by whatever source, become one happening with one onset and one end."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from assistant.burst import (
    UNKNOWN_ONSET_S,
    Burst,
    Place,
    Sighting,
    merge_fields,
    quarter_of,
    quiet_s,
)
from assistant.event import FieldValue
from assistant.topology import Key
from knowledge.page import Page, Severity
from tools.evidence import Channel, Instant


@dataclass(slots=True)
class Merged:
    """One condition on one thing over one interval, told by a set of sources."""

    page: str
    entity: Key
    first: Instant
    """Of the report that bounds the onset from above most tightly."""
    last: Instant
    before_s: float
    end: Instant | None
    count: int
    fields: dict[str, FieldValue]
    places: list[Place]
    anchors: set[Key]
    peers: set[Key]
    channels: set[Channel]
    clocks: set[str]
    clock: str
    """Of `first`."""
    severity: Severity | None
    text: str = ""
    timed: bool = True
    evidence: set[str] = field(default_factory=set)
    pace: dict[int, int] = field(default_factory=dict)
    """Of the source that saw most."""
    steps: dict[tuple[str, int], int] = field(default_factory=dict)
    tempos: dict[tuple[str, int], float] = field(default_factory=dict)
    """How far work had come, by its writer and each five minutes since the epoch."""
    implied: set[Key] = field(default_factory=set)
    """Those anchors that no report's own words name."""


def merge(
    bursts: Iterable[Burst], ends: Iterable[Sighting], pages: Mapping[str, Page]
) -> list[Merged]:
    """Merge bursts whose times are right and whose entities are canonical."""
    groups: dict[tuple[str, Key], list[Burst]] = defaultdict(list)
    for burst in bursts:
        groups[burst.page, burst.entity].append(burst)
    recoveries: dict[tuple[str, Key], list[Sighting]] = defaultdict(list)
    for sighting in ends:
        recoveries[sighting.page, sighting.entity].append(sighting)
    found: list[Merged] = []
    for key, group in groups.items():
        page = pages[key[0]]
        runs = _runs(group, _quiet(page))
        merged = [_join(run) for run in runs]
        if len(merged) == 1 and merged[0].timed:
            _hear(merged[0], [burst for burst in group if not burst.timed])
        _recover(merged, recoveries.get(key, ()))
        _finish(merged, page)
        found += merged
    return found


def _quiet(page: Page) -> float:
    """After which silence an occurrence is a new one; known noise is one long hum."""
    if page.role == "benign" and not page.progress:
        return HUM_S
    return quiet_s(page)


HUM_S = 366 * 86400.0


def _runs(group: Sequence[Burst], quiet_s: float) -> list[list[Burst]]:
    """Split the reports of one condition on one thing into runs without a pause."""
    timed = [burst for burst in group if burst.timed]
    chosen = sorted(timed or group, key=_upper)
    lines = [burst for burst in chosen if burst.before_s < UNKNOWN_ONSET_S / 2]
    states = [burst for burst in chosen if burst.before_s >= UNKNOWN_ONSET_S / 2]
    runs: list[list[Burst]] = []
    reach = _Reach()
    for burst in lines:
        if runs and reach.admits(burst, quiet_s):
            runs[-1].append(burst)
        else:
            runs.append([burst])
            reach = _Reach()
        reach.take(burst)
    for state in states:
        _place_state(runs, state)
    return sorted(runs, key=lambda run: _upper(run[0]))


def _hear(happening: Merged, undated: Iterable[Burst]) -> None:
    """Take reports without a time as further witnesses of the one happening that has one."""
    for burst in undated:
        more = dict.fromkeys([*happening.places, *burst.places])
        happening.places = [*more][:MOST_PLACES]
        happening.channels |= burst.channels
        happening.evidence |= {place.evidence for place in burst.places}


@dataclass(slots=True)
class _Reach:
    """How far a run goes, kept while it grows: a long log makes thousands of bursts of one run."""

    last: datetime | None = None
    ended: datetime | None = None
    doubt_s: float = 0.0
    """Clock error of the first report; a wholly unknown zone does not count towards a pause."""

    def take(self, burst: Burst) -> None:
        if self.last is None:
            self.doubt_s = _doubt(burst)
        self.last = max(self.last or burst.last.utc, burst.last.utc)
        if burst.end is not None:
            self.ended = max(self.ended or burst.end.utc, burst.end.utc)

    def admits(self, burst: Burst, quiet_s: float) -> bool:
        """Whether the burst goes on from the run: no recovery between, no longer pause."""
        start = burst.first.utc
        if self.last is None or (self.ended is not None and start > self.ended):
            return False
        return start <= self.last + timedelta(seconds=quiet_s + self.doubt_s + _doubt(burst))


def _doubt(burst: Burst) -> float:
    return 0.0 if burst.first.zone == "unknown" else burst.first.uncertainty_s


def _place_state(runs: list[list[Burst]], state: Burst) -> None:
    """Add a snapshot to the latest run it can confirm, or let it stand alone."""
    seen = state.last.utc
    for run in reversed(runs):
        ended = [b.end.utc for b in run if b.end is not None]
        begun = min(b.first.utc for b in run) <= seen
        if begun and not (ended and max(ended) < seen):
            run.append(state)
            return
    runs.append([state])


def _join(run: Sequence[Burst]) -> Merged:
    chosen = _onset(run)
    upper = _upper(chosen)
    lower = max(bound for bound in map(_lower, run) if bound <= upper)
    own_lower = chosen.first.utc.timestamp() - chosen.first.uncertainty_s
    ends = [burst.end for burst in run if burst.end is not None]
    merged = Merged(
        page=chosen.page,
        entity=chosen.entity,
        first=chosen.first,
        last=max((burst.last for burst in run), key=_stamp),
        before_s=max(0.0, own_lower - lower),
        end=max(ends, key=_stamp) if ends else None,
        count=max(_by_source(run)),
        fields={},
        places=_places(run),
        anchors=set().union(*(burst.anchors for burst in run)),
        peers=set().union(*(burst.peers for burst in run)),
        channels=set().union(*(burst.channels for burst in run)),
        clocks={burst.clock for burst in run},
        clock=chosen.clock,
        severity=chosen.severity,
        text=chosen.places[0].text,
        timed=chosen.timed,
        evidence={place.evidence for burst in run for place in burst.places},
        pace=_pace(run),
        steps=_steps(run),
        tempos=_tempos(run),
        implied=_implied(run),
    )
    for burst in sorted(run, key=_upper):
        merge_fields(merged.fields, burst.fields)
    return merged


def _onset(run: Sequence[Burst]) -> Burst:
    """Choose the report that bounds the onset from above most tightly.

    A host's own line stays in the order of its log where its clock was put right by such reports:
    they bound the whole log's error, and the line's place in the log is sharper than theirs.
    """
    chosen = min(run, key=_upper)
    own = min((b for b in run if b.clock.startswith("host:")), key=_upper, default=chosen)
    placed = own.first.zone != "unknown" and own.first.common_s > 0.0
    begun = own.first.utc.timestamp() - own.first.uncertainty_s
    return own if placed and begun <= _upper(chosen) else chosen


def _by_source(run: Sequence[Burst]) -> Iterable[int]:
    """Copies of one message are one witness: count the source that saw most."""
    counts: dict[str, int] = defaultdict(int)
    for burst in run:
        counts[burst.clock] += burst.count
    return counts.values()


def _implied(run: Sequence[Burst]) -> set[Key]:
    named = (burst.anchors - burst.implied for burst in run)
    implied = set[Key]().union(*(burst.implied for burst in run))
    return implied.difference(*named) if implied else implied


def _pace(run: Sequence[Burst]) -> dict[int, int]:
    """Add up how the occurrences came, for the source that saw most; nothing where all were few."""
    if not any(burst.pace for burst in run):
        return {}
    by_clock: dict[str, Counter[int]] = defaultdict(Counter)
    for burst in run:
        by_clock[burst.clock].update(burst.pace or {quarter_of(burst.first.utc): burst.count})
    most = max(by_clock.values(), key=lambda counts: counts.total())
    return dict(most)


def _steps(run: Sequence[Burst]) -> dict[tuple[str, int], int]:
    found: dict[tuple[str, int], int] = {}
    for burst in run:
        for at, step in burst.steps.items():
            found[at] = max(step, found.get(at, step))
    return found


def _tempos(run: Sequence[Burst]) -> dict[tuple[str, int], float]:
    found: dict[tuple[str, int], float] = {}
    for burst in run:
        for at, cost in burst.tempos.items():
            found[at] = min(cost, found.get(at, cost))
    return found


MOST_PLACES = 4


def _places(run: Sequence[Burst]) -> list[Place]:
    """Keep one place of each source first, then more of each, four in all."""
    ordered = sorted(run, key=_upper)
    first = [burst.places[0] for burst in ordered]
    ends = [burst.end_place for burst in ordered if burst.end_place is not None]
    lasts = [burst.last_place for burst in ordered]
    more = [place for burst in ordered for place in burst.places[1:]]
    wanted = [*first[: MOST_PLACES - 1], *ends[-1:], *lasts[-1:], *more, *first]
    return list(dict.fromkeys(wanted))[:MOST_PLACES]


def _recover(merged: Sequence[Merged], recoveries: Sequence[Sighting]) -> None:
    """Close what a recovery seen by another clock ended: each by the first that comes after it."""
    if not recoveries:
        return
    ordered = sorted(recoveries, key=lambda sighting: _late(sighting.time))
    moments = [_late(sighting.time) for sighting in ordered]
    for happening in merged:
        place = bisect_left(moments, happening.last.utc)
        if happening.end is None and happening.timed and place < len(ordered):
            sighting = min(ordered[place : place + NEAR], key=lambda found: found.time.utc)
            happening.end = sighting.time
            happening.places = [*happening.places[: MOST_PLACES - 1], sighting.place]


NEAR = 16
"""Among so many recoveries that can be the first, the earliest by its stamp counts."""


def _finish(merged: Sequence[Merged], page: Page) -> None:
    """Give each happening without a recovery its end.

    A lasting state is over at the latest when it begins anew; anything else when it was last seen.
    How long it may act beyond that is its page's matter and no observation.
    """
    for happening, following in zip(merged, [*merged[1:], None], strict=True):
        if happening.end is not None or not happening.timed:
            continue
        if not page.persists:
            happening.end = happening.last
        elif following:
            happening.end = following.first


def _late(moment: Instant) -> datetime:
    return moment.utc + timedelta(seconds=moment.uncertainty_s)


def _stamp(moment: Instant) -> datetime:
    return moment.utc


def _upper(burst: Burst) -> float:
    """Epoch seconds after which the onset cannot lie, by this report."""
    return burst.first.utc.timestamp() + burst.first.uncertainty_s


def _lower(burst: Burst) -> float:
    return burst.first.utc.timestamp() - burst.first.uncertainty_s - burst.before_s
