"""Early warning: what rose over weeks of samples, in a device against itself and its fleet.

Every series of a fleet is tested, so the bar is set for the whole fleet, however many devices
there are. `evals.trend_rates` measures what that bar gives on healthy fleets.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from assistant.inspection_seen import Seen
from assistant.inspection_text import name_of, not_seen
from assistant.inspection_things import host_of_labels
from assistant.sentences import say
from assistant.trend_tests import (
    activity_of,
    beyond,
    more_active,
    rising,
    serial_of,
    slope,
    spread_of,
    usual_serial,
    usual_share,
)
from knowledge.bilingual import Bilingual
from knowledge.inspection import Level, TrendLook
from tools.evidence import Series

FALSE_ALARMS = 1e-4
"""Chance of a false alarm of one signal in one look at a healthy fleet, were its days independent.

They are not, bursts go on and jobs last: about one in a hundred takes a bar this much higher.
"""
DAY_S = 86400.0
RECENT_DAYS = 7
NEEDED_DAYS = 14
MOST_DAYS = 42
_GROWN = 3.0
"""How much more than before a device that was never quiet must count."""
_PEERS = 3
_TESTS = 2
Days = list[float | None]


@dataclass(frozen=True)
class Change:
    """What became of one series, or of all that did not change."""

    subject: str
    host: str
    level: Level
    text: Bilingual
    values: Mapping[str, str | float | int | None] = field(default_factory=dict)
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Track:
    """One series by the day, the oldest first."""

    subject: str
    host: str
    evidence: str
    days: Days

    @property
    def known(self) -> int:
        """Count the days with samples."""
        return sum(1 for value in self.days if value is not None)


@dataclass(frozen=True)
class Rise:
    """A track that rose, and how surely."""

    track: Track
    p: float
    text: Bilingual
    values: Mapping[str, str | float | int | None]


def judge_trend(look: TrendLook, seen: Seen) -> Iterator[Change]:
    """Judge all series of a signal."""
    names = (look.query, *look.metrics)
    series = next((found for name in names if (found := seen.series.get(name))), [])
    if not series:
        yield Change("-", "", "unknown", not_seen())
        return
    tracks = list(follow(look, series))
    days = max((track.known for track in tracks), default=0)
    if days < NEEDED_DAYS:
        yield Change("-", "", "unknown", say("inspect-short", days=days, needed=NEEDED_DAYS))
        return
    rises = sorted(find_rises(look, tracks), key=lambda rise: rise.p)
    for rise in rises:
        track = rise.track
        yield Change(
            track.subject, track.host, "warning", rise.text, rise.values, (track.evidence,)
        )
    if not rises:
        yield Change("-", "", "ok", say("inspect-steady", count=len(tracks), days=days))


def follow(look: TrendLook, series: Sequence[Series]) -> Iterator[Track]:
    """Bring series to one value a day, all days ending with the youngest sample of all."""
    ends = [one.samples[-1].at.timestamp() for one in series if len(one.samples)]
    end = max(ends, default=0.0)
    for one in series:
        values = _by_day(one, end, counter=look.form == "counter")
        if values:
            subject = name_of(look.subject, one.labels)
            yield Track(subject, host_of_labels(one), one.evidence, values)


def find_rises(look: TrendLook, tracks: Sequence[Track]) -> Iterator[Rise]:
    """Find what rose so much that chance would hardly do it in a fleet of this size."""
    judged = [track for track in tracks if track.known >= NEEDED_DAYS]
    bar = FALSE_ALARMS / max(1, len(judged)) / _TESTS
    if look.form == "counter":
        rises = _rises_of_counters(look, judged)
    else:
        rises = _rises_of_levels(look, judged)
    yield from (rise for rise in rises if rise is not None and rise.p <= bar)


def _by_day(series: Series, end: float, *, counter: bool) -> Days:
    """Sum a counter's steps, or take a level's upper middle, of each day."""
    bins: dict[int, list[float]] = defaultdict(list)
    before: float | None = None
    for sample in series.samples:
        value = sample.value
        if value != value:  # noqa: PLR0124 -- only NaN differs from itself
            continue
        day = int((end - sample.at.timestamp()) // DAY_S)
        if not counter:
            bins[day].append(value)
        elif before is not None:
            # A counter that fell began anew: what it shows was counted since.
            bins[day].append(value - before if value >= before else value)
        before = value
    if not bins:
        return []
    last = min(max(bins), MOST_DAYS - 1)
    join = sum if counter else _upper
    return [join(bins[day]) if day in bins else None for day in range(last, -1, -1)]


def _upper(values: Sequence[float]) -> float:
    return sorted(values)[(len(values) * 3) // 4]


def _rises_of_counters(look: TrendLook, judged: Sequence[Track]) -> Iterator[Rise | None]:
    usual = usual_share([activity_of(track.days) for track in judged])
    serial = usual_serial([_logarithms(track.days) for track in judged])
    for track in judged:
        yield _rise_of_counter(look, track, usual, serial)


def _logarithms(days: Days) -> Days:
    """Bring counts to the scale on which wear, which grows by factors, is a straight line."""
    return [None if value is None else math.log1p(value) for value in days]


def _rise_of_counter(look: TrendLook, track: Track, usual: float, serial: float) -> Rise | None:
    recent, before = track.days[-RECENT_DAYS:], track.days[:-RECENT_DAYS]
    happened = sum(value or 0.0 for value in recent)
    now, then = activity_of(recent), activity_of(before)
    if happened < look.least or not then.days or not now.days:
        return None
    earlier = sum(value or 0.0 for value in before) / then.days
    chances = [more_active(now, then, usual)]
    if happened / now.days >= _GROWN * earlier:
        chances.append(rising(track.days, serial))
    p = min(chances)
    values: dict[str, str | float | int | None] = {
        "recent": round(happened), "active": now.active, "days": now.days,
        "before": round(earlier, 2), "p": float(f"{p:.1g}"),
    }  # fmt: skip
    return Rise(track, p, say("inspect-rise", **values), values)


def _rises_of_levels(look: TrendLook, judged: Sequence[Track]) -> Iterator[Rise | None]:
    """Hold each against its own host, which shares its load, and against the fleet."""
    by_host: dict[str, list[Track]] = defaultdict(list)
    for track in judged:
        by_host[track.host].append(track)
    fleet = _middle_of(judged)
    beside_fleet = {track.subject: _left_of(track, fleet) for track in judged}
    beside_host: dict[str, Days] = {}
    for tracks in by_host.values():
        middle = _middle_of(tracks)
        if len(tracks) >= _PEERS:
            beside_host |= {track.subject: _left_of(track, middle) for track in tracks}
    found: dict[str, list[Rise]] = defaultdict(list)
    for left in (beside_fleet, beside_host):
        risen = (_rise_in(days) for days in left.values())
        spread = spread_of([one for one in risen if one is not None])
        for track in judged:
            if rise := _rise_of_level(look, track, left.get(track.subject, []), spread):
                found[track.subject].append(rise)
    for rises in found.values():
        yield min(rises, key=lambda rise: rise.p)


def _middle_of(tracks: Sequence[Track]) -> Days:
    """Return each day's median over the fleet: the season and the load that all share."""
    length = max((len(track.days) for track in tracks), default=0)
    middle: Days = []
    for back in range(length, 0, -1):
        values = [v for t in tracks if len(t.days) >= back and (v := t.days[-back]) is not None]
        middle.append(median(values) if len(values) >= _PEERS else None)
    return middle


def _left_of(track: Track, peers: Days) -> Days:
    """Take out what its peers did; all of it where too few were ever seen."""
    usual = peers[len(peers) - len(track.days) :]
    alone = all(value is None for value in usual)
    return [
        None if value is None or (base is None and not alone) else value - (base or 0.0)
        for value, base in zip(track.days, usual, strict=True)
    ]


def _rise_in(left: Days) -> float | None:
    """Return how much the recent days lie above the middle of those before."""
    recent = [value for value in left[-RECENT_DAYS:] if value is not None]
    before = [value for value in left[:-RECENT_DAYS] if value is not None]
    return fmean(recent) - median(before) if recent and before else None


def _rise_of_level(
    look: TrendLook, track: Track, left: Days, spread: tuple[float, float] | None
) -> Rise | None:
    rise = _rise_in(left)
    if rise is None or rise < look.least or slope(left) <= 0:
        return None
    # The fleet's own rises are the yardstick: they hold the season, the jobs and their habits.
    p = beyond(rise, spread) if spread else rising(left, serial_of(left) or 0.0)
    values: dict[str, str | float | int | None] = {
        "rise": round(rise, 1), "days": len(left), "p": float(f"{p:.1g}"),
    }  # fmt: skip
    return Rise(track, p, say("inspect-drift", **values), values)
