"""Objects, readings and series against their signatures: what holds, and what does not."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from assistant.burst import UNKNOWN_ONSET_S, Place, Sighting
from assistant.identity import UNNAMED, normalise
from assistant.ledger import Ledger, Seen
from assistant.naming import (
    anchors_of,
    fixed,
    implied_by,
    parse_instant,
    parse_moment,
    resolved,
    subject_of,
    unsaid_of,
)
from assistant.topology import Key
from knowledge.catalog import Catalog
from knowledge.conditions import ROOT, as_text, lookup, parse_path
from knowledge.matching import Match, Matcher
from knowledge.page import MetricSignature, Page, StateSignature
from knowledge.promql import largest
from tools.evidence import Channel, Instant, ObjectState, Reading, Series
from tools.samples import Samples

CONTEXT = "context"
MOST_VALUE = 200
"""So much of a value is cited; the rest stands in the capture."""


@dataclass(slots=True)
class _Look:
    """One state as it was read."""

    source: Channel
    name: str
    thing: str
    """Which object, or which part of a host: a contrary look at one GPU says nothing of another."""
    content: Mapping[str, object]
    clock: str
    observed: Instant | None
    place: Place
    born: datetime | None = None
    extra: tuple[Key, ...] = ()
    held: set[str] = field(default_factory=set)
    locate: Callable[[tuple[str | int, ...]], int] | None = None
    quotes: Mapping[str, tuple[int, str]] = field(default_factory=dict)


class States:
    """Remembers the last contrary observation, so that an onset is an interval."""

    def __init__(self, catalog: Catalog, matcher: Matcher, ledger: Ledger) -> None:
        self._pages = catalog.pages
        self._matcher = matcher
        self._ledger = ledger
        self._contrary: dict[tuple[str, str], datetime] = {}
        self._holding: dict[tuple[str, str], Key] = {}
        self._testers, self._subjects = _tests_of(catalog)
        self._grouped: dict[tuple[str, tuple[tuple[str, str], ...]], list[Series]] = {}
        self.settings: list[tuple[str, float, tuple[Key, ...], Place]] = []
        """Name, value, anchors and place of what pages of context read."""

    def object(self, state: ObjectState) -> Iterator[Sighting]:
        """Yield the conditions that an object's state shows, and those that it ends."""
        metadata = state.content.get("metadata")
        born = metadata.get("creationTimestamp") if isinstance(metadata, Mapping) else None
        text = f"{state.kind} {state.namespace}/{state.name}".replace(" /", " ")
        look = _Look(
            source="object",
            name=state.kind,
            thing=f"{state.kind} {state.namespace}/{state.name}",
            content=state.content,
            clock="api:",
            observed=state.observed,
            place=Place(state.evidence, state.line, text),
            born=parse_moment(str(born)) if born else None,
            locate=state.locate,
        )
        yield from self._judge(look)

    def reading(self, reading: Reading) -> Iterator[Sighting]:
        """Yield the conditions that typed values show, and those that they end."""
        look = _Look(
            source="reading",
            name=reading.kind,
            thing=_part_of(reading),
            content={"host": reading.host, **reading.values},
            clock=_clock_of(reading),
            observed=reading.observed,
            place=Place(reading.evidence, reading.line, ""),
            extra=(("node", normalise("node", reading.host)),) if reading.host else (),
            quotes=reading.quotes,
        )
        yield from self._judge(look)

    def series(self, series: Series) -> Iterator[Sighting]:
        """Yield one sighting for each stretch of samples that satisfies a signature."""
        if not series.samples:
            return
        for by in self._matcher.groupings(series.query):
            labels = tuple((label, series.labels.get(label, "")) for label in by)
            self._grouped.setdefault((series.query, labels), []).append(series)
        matches = self._matcher.match_series(series.query, series.labels, series.samples)
        yield from self._judge_series(series, matches)

    def groups(self) -> Iterator[Sighting]:
        """Yield what series show together that a query makes one of, once all of them were read."""
        for (metric, labels), many in self._grouped.items():
            samples = Samples(*largest([one.samples for one in many]))
            whole = replace(many[-1], labels=dict(labels), samples=samples)
            matches = self._matcher.match_group(metric, whole.labels, samples)
            yield from self._judge_series(whole, matches)

    def _judge_series(self, series: Series, matches: Iterable[Match]) -> Iterator[Sighting]:
        held: set[tuple[str, Key]] = set()
        for match in matches:
            sighting = self._stretch(series, match)
            held.add((match.page, sighting.entity))
            yield sighting
        self._note_series(series, held)

    def _stretch(self, series: Series, match: Match) -> Sighting:
        page, run = self._pages[match.page], match.interval
        assert run is not None  # noqa: S101 - match_series always sets it
        anchors = _named(match, series.labels)
        before = (run.start - run.before).total_seconds() if run.before else UNKNOWN_ONSET_S
        labels = ", ".join(f'{name}="{value}"' for name, value in series.labels.items())
        return Sighting(
            page=page.id,
            entity=subject_of(page, anchors, series.labels),
            clock=series.clock or "scrape:prometheus",
            channel="metric",
            time=Instant(run.start),
            last=Instant(run.last),
            end=Instant(run.end) if run.end else None,
            before_s=before,
            place=Place(series.evidence, 0, f"{series.query}{{{labels}}} {run.peak:g}"),
            fields={"value": run.peak},
            anchors=tuple(anchors.items()),
            implied=_implied(match, series.labels.values()),
            severity=match.signature.severity,
            echo=isinstance(match.signature, MetricSignature) and match.signature.echoes,
        )

    def _note_series(self, series: Series, held: set[tuple[str, Key]]) -> None:
        for page, templates in self._subjects.get(("metric", series.query), ()):
            anchors = anchors_of(templates, series.labels)
            entity = subject_of(page, anchors, series.labels)
            self._ledger.look(
                Seen(
                    source="metric",
                    name=series.query,
                    entity=entity,
                    since=series.samples[0].at,
                    until=series.samples[-1].at,
                    evidence=series.evidence,
                    pages={name for name, thing in held if thing == entity},
                )
            )

    def _judge(self, look: _Look) -> Iterator[Sighting]:
        held: dict[tuple[str, Key], Sighting] = {}
        for match in self._matcher.match_state(look.source, look.name, look.content):
            page = self._pages[match.page]
            anchors = _named(match, match.values)
            if page.role == CONTEXT:
                self._keep(match, anchors, look)
                continue
            entity = subject_of(page, anchors, match.values)
            known = held.get((page.id, entity))
            if known is None:
                known = self._state_sighting(look, match, page, (entity, anchors))
                held[page.id, entity] = known
                yield known
            else:
                yield _said_too(known, match, look)
        yield from self._contradict(look, held.keys())

    def _keep(self, match: Match, anchors: Mapping[str, str], look: _Look) -> None:
        for name, value in match.fields.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                self.settings.append((name, float(value), tuple(anchors.items()), look.place))

    def _state_sighting(
        self, look: _Look, match: Match, page: Page, named: tuple[Key, Mapping[str, str]]
    ) -> Sighting:
        entity, anchors = named
        self._holding[page.id, look.thing] = entity
        since = parse_instant(match.since or "")
        observed = look.observed
        time = since or observed
        clock = look.clock
        if since and since.zone == "unknown":  # the scheduler's wall time, not the host's
            clock = f"file:{look.place.evidence}"
        return Sighting(
            page=page.id,
            entity=entity,
            clock=clock if time else f"untimed:{look.place.evidence}",
            channel=look.source,
            time=time or UNTIMED_STATE,
            last=observed or time,
            before_s=0.0 if since else self._unseen_for(page.id, look),
            place=_quoted(look, match),
            fields=match.fields,
            anchors=(*anchors.items(), *(look.extra if "node" not in anchors else ())),
            implied=_implied(match, (look.thing, *match.values.values())),
            severity=match.signature.severity,
            timed=time is not None,
        )

    def _unseen_for(self, page: str, look: _Look) -> float:
        """How long before the look it may have begun: since seen otherwise, else since birth."""
        if look.observed is None:
            return UNKNOWN_ONSET_S
        since = self._contrary.get((page, look.thing)) or look.born
        if since is None or since > look.observed.utc:
            return UNKNOWN_ONSET_S
        return min((look.observed.utc - since).total_seconds(), UNKNOWN_ONSET_S)

    def _contradict(self, look: _Look, held: Collection[tuple[str, Key]]) -> Iterator[Sighting]:
        """Note the look, and end what held before and holds no longer."""
        if look.observed is None:
            return
        moment = look.observed.utc
        holding = {page for page, _ in held}
        for page in self._testers.get((look.source, look.name), ()):
            if page.id not in holding:
                self._contrary[page.id, look.thing] = moment
                before = self._holding.pop((page.id, look.thing), None)
                if before is not None:
                    yield _over(look, page, before)
        noted: set[Key] = set()
        for page, templates in self._subjects.get((look.source, look.name), ()):
            anchors = anchors_of(templates, resolved(templates.values(), look.content))
            entity = subject_of(page, anchors, {})
            if entity not in noted:
                noted.add(entity)
                self._note(look, entity, held)

    def _note(self, look: _Look, entity: Key, held: Collection[tuple[str, Key]]) -> None:
        assert look.observed is not None  # noqa: S101 - the caller has checked
        moment = look.observed.utc
        self._ledger.look(
            Seen(
                source=look.source,
                name=look.name,
                entity=entity,
                since=moment,
                until=moment,
                evidence=look.place.evidence,
                pages={name for name, thing in held if thing == entity},
            )
        )


UNTIMED_STATE = Instant(datetime.fromisoformat("1970-01-01T00:00:00+00:00"), 0.0, "unknown")


_PARTS = ("uuid", "bdf", "index", "link", "target", "device", "port", "pid", "name")
"""Values that tell the parts of one host apart, where a reading has them."""


def _clock_of(reading: Reading) -> str:
    """Name the clock that stamped a reading: a file's own where no host is named."""
    named = reading.host and not reading.host.startswith(UNNAMED)
    return f"host:{reading.host}" if named else f"file:{reading.evidence}"


def _part_of(reading: Reading) -> str:
    parts = [str(reading.values[name]) for name in _PARTS if reading.values.get(name) is not None]
    return " ".join([reading.kind, reading.host, *parts])


def _quoted(look: _Look, match: Match) -> Place:
    """Cite what the signature tested, as it stands in the capture, and nothing else."""
    signature = match.signature
    if not isinstance(signature, StateSignature):
        return look.place
    tested = [condition.field for condition in signature.where if condition.op != "absent"]
    if look.source == "object":
        return _object_quoted(look, match.item, tested)
    if quotes := [look.quotes[name] for name in dict.fromkeys(tested) if name in look.quotes]:
        words = "; ".join(text for _, text in dict.fromkeys(quotes))
        return look.place._replace(line=quotes[0][0], text=words)
    identity = next((name for name in _PARTS if look.content.get(name) is not None), "host")
    names = dict.fromkeys([identity, *tested])
    pairs = [f"{n}={look.content[n]}" for n in names if look.content.get(n) is not None]
    return look.place._replace(text=", ".join(pairs))


def _object_quoted(look: _Look, item: str, tested: Sequence[str]) -> Place:
    """Cite an object by name, and each tested field by its whole path; the last has the line."""
    paths = [name.removeprefix(ROOT) if name.startswith(ROOT) or not item else f"{item}.{name}"
             for name in dict.fromkeys(tested)]  # fmt: skip
    found = [(path, value) for path in paths if _is_plain(value := lookup(look.content, path))]
    if not found:
        return look.place
    words = ", ".join(f"{path}={as_text(value)[:MOST_VALUE]}" for path, value in found)
    line = look.locate(parse_path(found[-1][0])) if look.locate else 0
    text = f"{look.place.text}: {words}"
    return look.place._replace(line=line or look.place.line, text=text)


def _said_too(known: Sighting, match: Match, look: _Look) -> Sighting:
    """Add what one state says of a condition in another of its fields; it is one report."""
    more = {name: value for name, value in match.fields.items() if name not in known.fields}
    return replace(known, place=_quoted(look, match), fields=more, count=0)


def _is_plain(value: object) -> bool:
    return isinstance(value, str | int | float | bool)


def _over(look: _Look, page: Page, entity: Key) -> Sighting:
    assert look.observed is not None  # noqa: S101 - the caller has checked
    return Sighting(
        page=page.id,
        entity=entity,
        clock=look.clock,
        channel=look.source,
        time=look.observed,
        place=look.place,
        ended=True,
    )


def _named(match: Match, values: Mapping[str, str]) -> dict[str, str]:
    return anchors_of(match.signature.entity, values)


def _implied(match: Match, said: Iterable[str]) -> tuple[Key, ...]:
    templates = match.signature.entity
    texts = fixed(templates).values()
    return implied_by(templates, unsaid_of(texts, said)) if texts else ()


_Tested = tuple[str, str]
"""Channel, and the query, object kind or reading kind."""
_Subject = tuple[Page, Mapping[str, str]]


@lru_cache(maxsize=4)
def _tests_of(
    catalog: Catalog,
) -> tuple[Mapping[_Tested, tuple[Page, ...]], Mapping[_Tested, Sequence[_Subject]]]:
    """Return who tests what, and one page for each thing that a test would name."""
    subjects = _subjects(catalog)
    testers = {
        tested: tuple({page.id: page for page, _ in pairs}.values())
        for tested, pairs in subjects.items()
    }
    return testers, {tested: _distinct(pairs) for tested, pairs in subjects.items()}


def _subjects(catalog: Catalog) -> dict[_Tested, list[_Subject]]:
    """Index the pages that test each query, object kind and reading kind, with their templates."""
    found: dict[_Tested, list[_Subject]] = {}
    for page, signature in catalog.signatures():
        match signature:
            case MetricSignature():
                found.setdefault(("metric", signature.query), []).append((page, signature.entity))
            case StateSignature() if page.role != CONTEXT:
                key = (signature.source, signature.kind)
                found.setdefault(key, []).append((page, signature.entity))
            case _:
                pass
    return found


def _distinct(subjects: Iterable[_Subject]) -> list[_Subject]:
    """Keep one of the pages that would name the same thing."""
    kept: dict[object, _Subject] = {}
    for page, templates in subjects:
        named = (page.entity.kind, page.entity.anchors, tuple(templates.items()))
        kept.setdefault(named, (page, templates))
    return list(kept.values())
