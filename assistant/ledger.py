"""What was looked at and was in order: the counterpart of what was recognised."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType

from assistant.topology import Key
from tools.evidence import Channel, Ending, Instant, Record, Span

MOST_SEEN = 400_000
"""Observations kept apart; beyond that further entities are not noted as normal."""


@dataclass(slots=True)
class Spanned:
    """The stretch of one writer's log in one capture, read to the end."""

    evidence: str
    host: str
    channel: Channel
    unit: str
    first: Instant | None = None
    last: Instant | None = None
    lines: int = 0
    ending: Ending = ""
    """How all that its host wrote in the capture ends."""


@dataclass(slots=True)
class Seen:
    """A state or series of one thing that was looked at, and which conditions held in it.

    Every other page that tests the same `name` (object kind, reading kind or query) found nothing.
    """

    source: Channel
    name: str
    entity: Key
    since: datetime
    until: datetime
    evidence: str
    pages: set[str] = field(default_factory=set)
    """Conditions that held at some moment of it."""


SeenKey = tuple[str, str, Key]
SpanKey = tuple[str, str, str, str]


class Ledger:
    """Fills while the stream passes."""

    def __init__(self) -> None:
        self._spans: dict[SpanKey, Spanned] = {}
        self._seen: dict[SeenKey, Seen] = {}

    def span(self, span: Span) -> None:
        """Note a stretch of text that was scanned and left where it lies."""
        known = self._spanned(span.evidence, span.host, span.channel, span.unit)
        known.lines += span.lines
        known.ending = span.ending or known.ending
        _widen(known, span.first)
        _widen(known, span.last)

    def record(self, record: Record) -> None:
        """Note a line that was read."""
        known = self._spanned(record.evidence, record.host, record.channel, record.unit)
        known.lines += 1
        _widen(known, record.time)

    def look(self, seen: Seen) -> None:
        """Note a state or series that was looked at."""
        key = (seen.source, seen.name, seen.entity)
        known = self._seen.get(key)
        if known is None:
            if len(self._seen) < MOST_SEEN:
                self._seen[key] = seen
            return
        known.since = min(known.since, seen.since)
        known.until = max(known.until, seen.until)
        known.pages |= seen.pages

    def latest(self) -> Mapping[str, datetime]:
        """Return the last stamp of each capture."""
        found: dict[str, datetime] = {}
        for spanned in self._spans.values():
            if spanned.last is not None and spanned.last.dated:
                moment = spanned.last.utc
                found[spanned.evidence] = max(found.get(spanned.evidence, moment), moment)
        return MappingProxyType(found)

    def spans(self) -> tuple[Spanned, ...]:
        """Return the stretches read."""
        return tuple(self._spans.values())

    def seen(self) -> tuple[Seen, ...]:
        """Return the states and series looked at."""
        return tuple(self._seen.values())

    def _spanned(self, evidence: str, host: str, channel: Channel, unit: str) -> Spanned:
        key = (evidence, host, channel, unit)
        known = self._spans.get(key)
        if known is None:
            known = self._spans[key] = Spanned(evidence, host, channel, unit)
        return known


def _widen(known: Spanned, moment: Instant | None) -> None:
    if moment is None:
        return
    if known.first is None or moment.utc < known.first.utc:
        known.first = moment
    if known.last is None or moment.utc > known.last.utc:
        known.last = moment
