"""Recognised bursts become events in order: clocks right, reports merged, onsets as intervals."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import get_args

from assistant.alert_labels import NAMESPACE
from assistant.baseline import Disturbance, Habits, alarming, disturbance, mark_known
from assistant.burst import UNKNOWN_ONSET_S, Burst, Sighting
from assistant.capture_zones import learn_captures
from assistant.clocks import Clocks, learn_clocks
from assistant.crashes import begin_with_silence, hear_last_boots
from assistant.event import Anchor, Event, Timeline
from assistant.incident import Incident
from assistant.kinship import find_kin
from assistant.limits import Limit
from assistant.merging import Merged, merge
from assistant.onset import Settings, begin_earlier, not_before, stated
from assistant.pace import find_course
from assistant.pinning import pin
from assistant.planned_work import mark_planned
from assistant.population import fold_populations, fold_programs, fold_recurrences
from assistant.recognise import Recognised
from assistant.repair import close_repaired, close_rerun, close_shut_down, kernel_starts, mark_past
from assistant.seats import seated
from assistant.summaries import absorb, is_wide, spaces_of
from assistant.topology import Key, Topology
from assistant.unread import judge, part
from assistant.zones import Broke
from knowledge.catalog import Catalog
from knowledge.conditions import holds
from knowledge.page import Page
from tools.entity import Entity, EntityKind
from tools.evidence import UNDATED_S, Channel, Evidence, Instant, Window

_LIVE_CHANNELS: frozenset[Channel] = frozenset({"object", "reading", "command", "metric"})
_KINDS: Mapping[str, EntityKind] = {kind: kind for kind in get_args(EntityKind)}


def order(recognised: Recognised, catalog: Catalog, incident: Incident | None = None) -> Timeline:
    """Put what was recognised on one timeline.

    Events come sorted by the latest moment their onset can have; `Event.earliest` and `.latest`
    bound it. The window of the baseline is the incident's, else the disturbance found.
    """
    incident = incident or Incident()
    names = recognised.topology
    who = _Subjects(names, catalog.pages)
    named = [_canonical(burst, who) for burst in _timed(recognised)]
    told, strange = part(hear_last_boots(named, recognised.spans), catalog.pages)
    bursts = pin(told, catalog.pages, names)
    ends = [_canonical_end(sighting, who) for sighting in recognised.ends]
    sure = [b for b in bursts if b.timed and b.first.zone != "unknown"]
    stated = [b for b in sure if b.first.zone == "stated"]
    found = disturbance(stated, catalog) or disturbance(sure, catalog)
    broke = _broke(found, alarming(catalog), sure) if found else None
    captures = learn_captures(recognised.spans, recognised.evidence)
    clocks = learn_clocks(bursts, recognised.clock_facts, broke, captures)
    right = [clocks.apply(burst) for burst in bursts]
    over = [_put_right(end, clocks) for end in ends]
    merged = absorb(merge(right, over, catalog.pages), catalog.pages)
    kin = find_kin(bursts, recognised.spans, names) if clocks.unresolved else {}
    maker = _Maker(recognised, catalog, kin, _last_work(merged, at_work(catalog)))
    events = begin_with_silence([maker.event(happening) for happening in merged])
    events = _closed(sorted(events, key=_order), right, catalog, names)
    window = incident.window if incident.window.since else window_of(events, at_work(catalog))
    unread = [maker.event(one) for one in merge(map(clocks.apply, strange), (), catalog.pages)]
    habits = Habits([*events, *unread], window, recognised.spans)
    events = mark_past(mark_known([habits.rate(event) for event in events], window), window)
    course = find_course(events, at_work(catalog))
    events = fold_programs(fold_recurrences(events, habits.rising), catalog.pages)
    events = fold_populations(events)
    return Timeline(
        events=tuple(
            event.model_copy(update={"id": f"ev{number}", "pace": {}, "steps": {}, "tempos": {}})
            for number, event in enumerate(sorted(events, key=_order), start=1)
        ),
        settings=recognised.settings,
        corrections=clocks.corrections,
        unresolved_zones=clocks.unresolved,
        slowdowns=course.slowdowns,
        stalls=course.stalls,
        divergences=course.divergences,
        unread=judge(mark_known([habits.rate(one) for one in unread], window)),
    )


def _closed(
    events: Sequence[Event], bursts: Iterable[Burst], catalog: Catalog, names: Topology
) -> list[Event]:
    """End what was put an end to without a word of its own, and mark what was planned."""
    ended = close_shut_down(close_rerun(events), catalog.pages, kernel_starts(bursts))
    working = at_work(catalog)
    return mark_planned(close_repaired(ended, catalog.pages, names, working), working)


def _broke(found: Disturbance, pages: frozenset[str], bursts: Iterable[Burst]) -> Broke:
    """Say when things broke, and on how many hosts."""
    onsets = (b for b in bursts if b.page in pages and b.timed)
    near = [b for b in onsets if found.since <= b.first.utc.timestamp() <= found.onsets_until]
    hosts = {name for burst in near for kind, name in burst.anchors if kind == "node"}
    return Broke(found.since, found.onsets_until, pages, len(hosts))


def at_work(catalog: Catalog) -> frozenset[str]:
    """Return the pages that show work going on."""
    return frozenset(page.id for page in catalog.pages.values() if page.progress)


STOPS_WORK = 2
"""Damage from which on nothing advances."""
LONG_OVER_S = 6 * 3600.0
"""What stopped no work and ended this long before work was last seen is the past."""
RECENT_S = 3600.0
DAY_S = 86400.0
LASTING = frozenset({"critical", "error"})


def window_of(events: Sequence[Event], working: Collection[str] = ()) -> Window:
    """Find the fault's window: the densest stretch of damaging and severe events.

    `working` are the pages that show work going on. Where work went on long after a disturbance
    that had stopped none, the question is how things are now: the last hour of work.
    """
    found = disturbance(events)
    if found is None:
        return Window()
    since, until = found.since, found.until
    lately = max((e.last.utc.timestamp() for e in events if e.page in working), default=0.0)
    if lately - until > LONG_OVER_S and not _matters_still(events, since, until, lately):
        since, until = lately - RECENT_S, lately
    zone = events[0].start.utc.tzinfo
    return Window(
        since=datetime.fromtimestamp(since, tz=zone), until=datetime.fromtimestamp(until, tz=zone)
    )


def _matters_still(events: Sequence[Event], since: float, until: float, lately: float) -> bool:
    """Tell whether something in that time stopped work, or is of the last day and never ended."""
    return any(
        event.damage >= STOPS_WORK
        or (event.severity in LASTING and not event.is_closed and event.latest > lately - DAY_S)
        for event in events
        if not event.benign and event.earliest <= until and event.latest >= since
    )


@dataclass(frozen=True)
class _Maker:
    """Makes events of merged happenings."""

    recognised: Recognised
    catalog: Catalog
    kin: Mapping[str, str]
    work: Mapping[Key, Sequence[Merged]]
    """By job, when it was seen to advance."""

    def __post_init__(self) -> None:
        live = {e.id for e in self.recognised.evidence if e.live}
        object.__setattr__(self, "_live", live)
        object.__setattr__(self, "_settings", Settings(self.recognised.settings))

    def event(self, merged: Merged) -> Event:
        page = self.catalog.pages[merged.page]
        anchors = _anchors(merged, page, self.recognised.topology)
        start, before_s = self._onset(merged, page, anchors)
        limit = self._limit(page, merged, anchors)
        kind, name = merged.entity
        settled = self.recognised.topology
        return Event(
            id="",
            page=page.id,
            role=page.role,
            layer=page.layer,
            plane=page.plane,
            severity=merged.severity or page.severity,
            damage=page.damage,
            entity=Entity(kind=_KINDS[kind], id=name),
            anchors=anchors,
            peers=_peers(merged, settled),
            start=start,
            before_s=before_s,
            last=merged.last,
            end=merged.end,
            count=merged.count,
            pace=merged.pace,
            steps=merged.steps,
            tempos=merged.tempos,
            fields={**merged.fields, **limit.field()} if limit else merged.fields,
            text=merged.text[:2000],
            channels=frozenset(merged.channels),
            clocks=frozenset(merged.clocks),
            clock=merged.clock,
            kin=self.kin.get(merged.clock, ""),
            citations=tuple(
                place.cite() for place in (*merged.places, *([limit.place] if limit else []))
            ),
            benign=_benign(page, merged),
            live=self._is_live(merged),
        )

    def _limit(self, page: Page, merged: Merged, anchors: Iterable[Anchor]) -> Limit | None:
        """Find what the pod was allowed of what the page says it ran out of."""
        pods = {anchor.id for anchor in anchors if anchor.kind == "pod"}
        if not page.shows_limit or len(pods) != 1:
            return None
        container = str(merged.fields.get("container_name", ""))
        limits = self.recognised.limits
        return limits.find(page.shows_limit, pods.pop(), container, merged.anchors)

    def _onset(
        self, merged: Merged, page: Page, anchors: tuple[Anchor, ...]
    ) -> tuple[Instant, float]:
        rule = page.begins_before
        if rule is None:
            return merged.first, merged.before_s
        settings: Settings = self.__dict__["_settings"]
        printed = stated(rule, merged.fields)
        known = printed
        if not known and rule.setting:
            known = settings.values(rule.setting, anchors)
        onset = begin_earlier(merged.first, merged.before_s, rule, known, printed=bool(printed))
        if page.damage < STOPS_WORK or not merged.timed:
            return onset
        seen = [self._worked_until(merged, (a.kind, a.id)) for a in anchors if a.kind == "job"]
        return not_before(*onset, max(seen, default=0.0))

    def _worked_until(self, merged: Merged, job: Key) -> float:
        """Return when a job was last seen to advance before a report that it had stopped."""
        own = self.kin.get(merged.clock, merged.clock)
        told = merged.first.utc.timestamp() + merged.first.uncertainty_s - merged.first.common_s
        runs = [
            run
            for run in self.work.get(job, ())
            if run.last.zone == merged.first.zone
            and (run.last.zone != "unknown" or {self.kin.get(c, c) for c in run.clocks} == {own})
        ]
        ends = [run.last.utc.timestamp() for run in runs if run.first.utc.timestamp() <= told]
        return max((end for end in ends if end <= told), default=0.0) if ends else 0.0

    def _is_live(self, merged: Merged) -> bool:
        live: set[str] = self.__dict__["_live"]
        return merged.evidence <= live and merged.channels <= _LIVE_CHANNELS


def _last_work(
    merged: Iterable[Merged], working: Collection[str]
) -> Mapping[Key, Sequence[Merged]]:
    found: dict[Key, list[Merged]] = {}
    for happening in merged:
        if happening.page in working and happening.timed:
            found.setdefault(happening.entity, []).append(happening)
    return found


def _timed(recognised: Recognised) -> Iterable[Burst]:
    """Give lines without a time that of their capture, as an upper bound; else they are undated.

    A file's age tells nothing: copying it changes that.
    """
    observed = {e.id: _known_time(e, recognised.latest) for e in recognised.evidence}
    changed = {e.id: e.modified for e in recognised.evidence}
    fallback = max(recognised.latest.values(), default=None)
    for burst in recognised.bursts:
        if burst.timed:
            yield burst
            continue
        name = burst.places[0].evidence
        known = observed.get(name)
        moment = known or fallback or changed.get(name) or burst.first.utc
        at = Instant(moment, 0.0 if known else UNDATED_S, "unknown", "")
        yield replace(burst, first=at, last=at, before_s=UNKNOWN_ONSET_S)


def _known_time(evidence: Evidence, latest: Mapping[str, datetime]) -> datetime | None:
    return evidence.observed_at or latest.get(evidence.id) or evidence.window.until


def _canonical(burst: Burst, who: "_Subjects") -> Burst:
    at = burst.first.utc
    entity = who.of(burst.page, burst.entity, at)
    if who.names.seats:
        anchors = {seated(key, at, who.names.seats) for key in burst.anchors}
        return replace(burst, entity=entity, anchors=anchors)
    return burst if entity == burst.entity else replace(burst, entity=entity)


def _canonical_end(sighting: Sighting, who: "_Subjects") -> Sighting:
    entity = who.of(sighting.page, sighting.entity, sighting.time.utc)
    return sighting if entity == sighting.entity else replace(sighting, entity=entity)


@dataclass(frozen=True)
class _Subjects:
    """Names the thing a condition is true of as its page does, where the evidence can tell.

    A runtime speaks of a container and the kernel of a pod's group: both mean the pod.
    """

    names: Topology
    pages: Mapping[str, Page]

    def of(self, page: str, entity: Key, at: datetime) -> Key:
        kind, name = _alias(seated(entity, at, self.names.seats), self.names)
        wanted = self.pages[page].entity.kind
        if kind == wanted or kind not in _WORK or wanted not in _WORK:
            return kind, name
        found = {a.id for a in self.names.closure(kind, name) if a.kind == wanted}
        return (wanted, found.pop()) if len(found) == 1 else (kind, name)


_WORK = frozenset({"process", "container", "pod", "rank"})


def _alias(key: Key, names: Topology) -> Key:
    return key[0], names.alias(*key)


def _put_right(sighting: Sighting, clocks: Clocks) -> Sighting:
    time = clocks.put_right(sighting.time, sighting.clock, sighting.place)
    return sighting if time is sighting.time else replace(sighting, time=time)


def _anchors(merged: Merged, page: Page, names: Topology) -> tuple[Anchor, ...]:
    """Own entity, what its lines name, and what topology derives from them; stated first."""
    found: dict[Key, bool] = {}
    implied = {_alias(key, names) for key in merged.implied}
    for start in (merged.entity, *sorted(merged.anchors)):
        kind, name = _alias(start, names)
        concluded = (kind, name) in implied
        near = names.closure(kind, name) if start == merged.entity else _own(kind, name, names)
        for anchor in near:
            key = (anchor.kind, anchor.id)
            found[key] = found.get(key, True) and (anchor.inferred or concluded)
    for key in _meant(merged, page, names):
        found.setdefault(key, True)
    return tuple(
        _anchor(kind, name, inferred)
        for (kind, name), inferred in sorted(found.items(), key=lambda item: (item[1], item[0]))
        if kind != NAMESPACE
    )


def _meant(merged: Merged, page: Page, names: Topology) -> Iterable[Key]:
    """The one job in the namespace that an alert speaks of, if it names none."""
    if page.entity.kind != "job" or not is_wide(merged):
        return ()
    spaces = spaces_of(merged)
    jobs = [job for job in names.jobs() if not spaces or job.partition("/")[0] in spaces]
    return (("job", jobs[0]),) if len(jobs) == 1 else ()


@lru_cache(maxsize=65536)
def _anchor(kind: str, name: str, inferred: bool) -> Anchor:  # noqa: FBT001 - a key, not a switch
    """Share equal anchors: thousands of events hang on one server."""
    return Anchor(kind=kind, id=name, inferred=inferred)


def _own(kind: str, name: str, names: Topology) -> Iterable[Anchor]:
    """What a line names beside its subject: itself, and for work all that it hangs on."""
    if kind in {"pod", "container", "rank", "process", "volume", "mount"}:
        return names.closure(kind, name)
    return (Anchor(kind=kind, id=name),)


def _peers(merged: Merged, names: Topology) -> tuple[Anchor, ...]:
    """The other side under every kind that its address book knows it by."""
    own = _alias(merged.entity, names)
    known = [Anchor(kind=kind, id=names.alias(kind, name)) for kind, name in sorted(merged.peers)]
    lent = [
        Anchor(kind="node", id=names.lent[name], inferred=True)
        for kind, name in sorted(merged.peers)
        if kind == "node" and name in names.lent
    ]
    return tuple(peer for peer in (*known, *lent) if (peer.kind, peer.id) != own)


def _benign(page: Page, merged: Merged) -> str:
    if page.role == "benign":
        return page.title.en
    fields = {**merged.fields, "count": merged.count}
    for rule in page.benign_when:
        if all(holds(condition, fields) for condition in rule.when):
            return rule.why.en
    return ""


def _order(event: Event) -> tuple[float, float, str, str]:
    return event.latest, event.earliest, event.page, event.entity.id
