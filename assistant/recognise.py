"""Items that stream past become bursts of conditions, settings, relations and a ledger."""

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from assistant.alert_labels import NAMESPACE, by_page, stated_severity
from assistant.burst import Burst, Fold, Place, Sighting
from assistant.clock_facts import ClockFact, ClockWatch
from assistant.crashes import silence_of
from assistant.crowds import each_host
from assistant.elimination import conclude_addresses
from assistant.event import Anchor, Setting
from assistant.identity import is_address
from assistant.incident import Incident
from assistant.lanes import name_file
from assistant.ledger import Ledger, Seen, Spanned
from assistant.limits import Limits
from assistant.naming import Named, Namer, anchors_of, parse_moment, with_device
from assistant.peers import Peers
from assistant.relations import Relations
from assistant.seats import settle_seats
from assistant.states import States
from assistant.tempo import read_measures
from assistant.topology import Key, Ties, Topology
from knowledge.catalog import Catalog
from knowledge.matching import Match, Matcher
from knowledge.page import Page, Severity, TextSignature
from tools.error_levels import is_called_error
from tools.evidence import (
    Evidence,
    Gap,
    Instant,
    Item,
    ObjectState,
    Reading,
    Record,
    Series,
    Span,
)
from tools.late_patterns import compile_late
from tools.numerals import whole

UNTIMED = Instant(datetime(1970, 1, 1, tzinfo=UTC), uncertainty_s=0.0, zone="unknown")
"""Stands in for the time of a line that has none, until the capture's time is known."""


@dataclass(frozen=True, slots=True)
class RawSetting:
    """A setting as read, before its anchors are canonical."""

    name: str
    value: float
    anchors: tuple[Key, ...]
    place: Place


@dataclass(frozen=True)
class Recognised:
    """All that one look yielded. Times are still as each clock stamped them."""

    bursts: tuple[Burst, ...] = ()
    ends: tuple[Sighting, ...] = ()
    """Recoveries that closed no burst of their own clock."""
    settings: tuple[Setting, ...] = ()
    clock_facts: tuple[ClockFact, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    topology: Topology = field(default_factory=Topology)
    spans: tuple[Spanned, ...] = ()
    """Every log stretch that was read to the end, hit or not."""
    seen: tuple[Seen, ...] = ()
    """Every state and series looked at; a page not among its `pages` did not hold there."""
    latest: Mapping[str, datetime] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)


def recognise(
    stream: Iterable[Evidence | Item],
    catalog: Catalog,
    matcher: Matcher,
    incident: Incident | None = None,
) -> Recognised:
    """Fold a stream of evidence into what it shows.

    Memory grows with distinct conditions and things, not with lines.
    """
    recogniser = Recogniser(catalog, matcher, incident or Incident())
    for item in stream:
        recogniser.take(item)
    return recogniser.finish()


class Recogniser:
    """The fold itself: `take` every item, then `finish`."""

    def __init__(self, catalog: Catalog, matcher: Matcher, incident: Incident) -> None:
        self._pages = catalog.pages
        self._by_code = catalog.by_code
        self._matcher = matcher
        self._incident = incident
        self._ties = Ties()
        self._relations = Relations(self._ties)
        self._limits = Limits()
        self._fold = Fold(catalog.pages)
        self._ledger = Ledger()
        self._clocks = ClockWatch()
        self._states = States(catalog, matcher, self._ledger)
        self._settings: dict[tuple[str, float, tuple[Key, ...]], RawSetting] = {}
        self._bound: set[Named] = set()
        self._namer = Namer()
        self._evidence: list[Evidence] = []
        self._gaps: list[Gap] = []
        self._peers = Peers()

    def take(self, item: Evidence | Item) -> None:
        """Take one item of the stream."""
        match item:
            case Record():
                self._take_record(item)
            case Span():
                self._ledger.span(item)
            case Series():
                self._relations.learn_series(item)
                self._clocks.series(item)
                self._add_all(self._states.series(item))
            case ObjectState():
                self._relations.learn_object(item)
                self._limits.learn(item)
                self._peers.learn_object(item)
                self._add_all(self._states.object(item))
            case Reading():
                item = with_device(item)  # the same, named
                self._relations.learn_reading(item)
                self._clocks.reading(item)
                self._add_all(self._states.reading(item))
                self._peers.learn(item)
            case Gap():
                self._gaps.append(item)
            case Evidence():
                self._evidence.append(item)

    def finish(self) -> Recognised:
        """Settle identities and return everything."""
        self._add_all(self._states.groups())
        for beside in self._peers.compared():
            self._add_all(self._states.reading(beside))
        for raw in self._states.settings:
            self._keep_setting(RawSetting(*raw))
        for derived in _major_timeouts(tuple(self._settings.values())):
            self._keep_setting(derived)
        bursts = tuple(self._fold.bursts())
        topology = self._ties.settle(settle_seats(self._ties.seated, bursts))
        topology.lent = conclude_addresses(self._ties, topology)
        return Recognised(
            bursts=bursts,
            ends=tuple(self._fold.ends),
            settings=tuple(_settle(raw, topology) for raw in self._settings.values()),
            clock_facts=self._clocks.facts(),
            evidence=tuple(self._evidence),
            gaps=(*self._gaps, *self._overflow()),
            topology=topology,
            spans=self._ledger.spans(),
            seen=self._ledger.seen(),
            latest=self._ledger.latest(),
            limits=self._limits,
        )

    def _add_all(self, sightings: Iterable[Sighting]) -> None:
        for sighting in sightings:
            self._fold.add(sighting)

    def _take_record(self, record: Record) -> None:
        self._ledger.record(record)
        self._relations.learn_record(record)
        self._clocks.record(record)
        found = self._matcher.match_text(
            record.channel, record.unit, record.text, reason=record.fields.get("reason", "")
        )
        if not found and is_called_error(record.text, record.fields):
            found = self._matcher.match_unread(record.channel)
        for match in by_page(record, found, self._pages):
            for each in each_host(self._coded(record, match)):
                self._take_match(record, each)

    def _coded(self, record: Record, match: Match) -> Match:
        """Take an alert that no page knows by name for the one condition whose code it bears."""
        signature = match.signature
        if record.channel != "alert" or not (
            isinstance(signature, TextSignature) and signature.fallback
        ):
            return match
        words = [record.text, *(f"{label} {value}" for label, value in record.fields.items())]
        named = {page.id for text in words for page in self._by_code(text) if not page.stands_for}
        return match._replace(page=named.pop()) if len(named) == 1 else match

    def _take_match(self, record: Record, match: Match) -> None:
        signature = match.signature
        if not isinstance(signature, TextSignature):
            return
        page = self._pages[match.page]
        if signature.relation:
            self._tie(signature, {**self._namer.values(record), **match.values}, record)
        if signature.yields in {"relation", "release"}:
            return
        named = self._namer.name(record, match, page)
        if signature.yields == "setting":
            self._set(signature, match, named.anchors, record)
        elif page.role != "context":
            self._bind(named, page)
            self._fold.add(_sighting(record, match, page, named))

    def _bind(self, named: Named, page: Page) -> None:
        """A line that names two things ties them, whoever wrote it."""
        if named in self._bound:
            return
        self._bound.add(named)
        if page.damage and named.entity[0] == "job":
            for node in (anchor for anchor in named.anchors if anchor[0] == "node"):
                self._ties.placements.hurt(named.entity, node)
        for anchor in named.anchors:
            implied = anchor in named.implied or named.entity in named.implied
            if anchor[0] != NAMESPACE:
                self._ties.relate(named.entity, anchor, inferred=implied)
        for kind, name in named.peers:
            if kind == "node" and is_address(name):
                speakers = self._ties.named_peers.setdefault(name, set())
                speakers.update((named.entity, *named.anchors, *named.writer))

    def _tie(self, signature: TextSignature, values: Mapping[str, str], record: Record) -> None:
        things = [
            (named.kind, name)
            for named in signature.relation
            for name in anchors_of({named.kind: named.id}, values).values()
        ]
        if signature.yields == "release":
            self._ties.placements.ended.update(things)
        for first, second in itertools.pairwise(things):
            if first[0] == second[0] == "gpu":
                at = record.time.utc if record.time else None
                self._ties.seat(first[1], second[1], at)
            elif first[0] == second[0]:
                self._ties.equate(first[0], first[1], second[1])
            else:
                self._ties.relate(first, second)
                if ("node", record.host) not in things:
                    at = record.time.utc if record.time else None
                    self._ties.placements.give(first, second, at)

    def _set(
        self, signature: TextSignature, match: Match, anchors: tuple[Key, ...], record: Record
    ) -> None:
        for name, group in signature.settings.items():
            value = match.fields.get(group)
            if isinstance(value, int | float):
                place = Place(record.evidence, record.line, record.text)
                self._keep_setting(RawSetting(name, float(value), anchors, place))

    def _keep_setting(self, raw: RawSetting) -> None:
        self._settings.setdefault((raw.name, raw.value, raw.anchors), raw)

    def _overflow(self) -> Iterable[Gap]:
        for (page, clock), count in self._fold.overflow.items():
            why = f"{count} further occurrences of {page} were only counted"
            yield Gap(source="recognise", target=clock, why=why)


def _sighting(record: Record, match: Match, page: Page, named: Named) -> Sighting:
    time = record.time or UNTIMED
    clock = record.clock or f"file:{record.evidence}"
    return Sighting(
        page=page.id,
        entity=named.entity,
        clock=clock if record.time else f"untimed:{record.evidence}",
        channel=record.channel,
        time=_first_time(record) or time,
        last=time,
        place=Place(record.evidence, record.line, record.text),
        fields={**match.fields, **silence_of(record), **_program(record, page)},
        anchors=named.anchors + named.writer,
        peers=named.peers,
        implied=named.implied,
        severity=match.signature.severity or _stated_severity(record, match),
        end=_stated_end(record),
        ended=match.ended,
        timed=record.time is not None,
        count=_stated_count(record),
        writer=_writer(record) if page.progress else "",
        step=_step(match, record.text) if page.progress else None,
        tempos=read_measures(record.text) if page.progress else (),
    )


def _program(record: Record, page: Page) -> Mapping[str, str]:
    """Name the program that speaks of its own rank: another program is another job's."""
    own = page.entity.kind == "rank" and record.unit and record.channel == "service"
    return {"program": record.unit} if own else {}


def _writer(record: Record) -> str:
    """Name the process that wrote it, where its line does; else the file."""
    pid = record.fields.get("pid", "")
    return f"{record.unit}[{pid}]" if record.unit and pid else name_file(record.evidence)


_EPOCH = compile_late(r"\bepoch\b", re.IGNORECASE)


def _step(match: Match, text: str) -> int | None:
    """Return the step that a line tells, unless each epoch may count its own."""
    step = match.fields.get("step")
    return step if isinstance(step, int) and not _EPOCH.search(text) else None


def _first_time(record: Record) -> Instant | None:
    """A Kubernetes Event counts repeats: its first time is the sighting's."""
    if record.channel != "event":
        return None
    moment = parse_moment(record.fields.get("first_time", ""))
    if moment is None or record.time is None or moment >= record.time.utc:
        return None
    return Instant(moment, record.time.uncertainty_s, record.time.zone, moment.isoformat())


def _stated_end(record: Record) -> Instant | None:
    """A firing alert's end is only when it would lapse; a resolved one's is when it was over."""
    if record.channel != "alert" or record.fields.get("status") not in {"resolved", "inactive"}:
        return None
    stated = record.fields.get("ends", "")
    moment = parse_moment(stated)
    return Instant(moment, 0.0, "stated", stated) if moment else None


def _stated_severity(record: Record, match: Match) -> Severity | None:
    """What no page knows is as grave as whoever wrote the alert says."""
    signature = match.signature
    unknown = isinstance(signature, TextSignature) and signature.fallback
    return stated_severity(record.fields) if unknown and record.channel == "alert" else None


def _stated_count(record: Record) -> int:
    count = whole(record.fields.get("count")) if record.channel == "event" else None
    return record.stands_for if count is None else count


def _major_timeouts(settings: Iterable[RawSetting]) -> Iterable[RawSetting]:
    """Compute after how long the NFS client says "not responding", where both options show.

    Over TCP the client waits `timeo`, then longer by `timeo` at each of `retrans` retries, so the
    major timeout is timeo x (retrans + 1): nfs(5), and xprt_calc_majortimeo in net/sunrpc/xprt.c.
    """
    known: dict[tuple[tuple[Key, ...], Place], dict[str, RawSetting]] = {}
    for setting in settings:
        known.setdefault((setting.anchors, setting.place), {})[setting.name] = setting
    for pair in known.values():
        timeo, retrans = pair.get("nfs_timeo_s"), pair.get("nfs_retrans")
        if timeo and retrans and "nfs_major_timeout_s" not in pair:
            value = timeo.value * (retrans.value + 1)
            yield replace(timeo, name="nfs_major_timeout_s", value=value)


def _settle(raw: RawSetting, topology: Topology) -> Setting:
    return Setting(
        name=raw.name,
        value=raw.value,
        anchors=tuple(Anchor(kind=k, id=topology.alias(k, name)) for k, name in raw.anchors),
        citation=raw.place.cite(),
    )
