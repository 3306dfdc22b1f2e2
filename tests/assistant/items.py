"""Short ways to write evidence by hand."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from assistant.event import Event, Timeline
from assistant.incident import Incident
from assistant.recognise import Recognised, recognise
from assistant.timeline import order
from knowledge.catalog import Catalog
from knowledge.matching import Matcher
from tests.assistant.pages import HANDBOOK
from tools.evidence import (
    UNKNOWN_ZONE_S,
    Channel,
    Evidence,
    Instant,
    Item,
    ObjectState,
    Reading,
    Record,
    Sample,
    Series,
)

T0 = datetime(2025, 6, 20, 2, 0, tzinfo=UTC)


def at(seconds: float, **changes: object) -> Instant:
    """An instant so many seconds after T0."""
    return Instant(T0 + timedelta(seconds=seconds), **changes)  # type: ignore[arg-type]  # mixed keywords


def unzoned(seconds: float) -> Instant:
    """A wall time that says no zone."""
    return at(seconds, uncertainty_s=UNKNOWN_ZONE_S, zone="unknown")


def kernel(
    host: str, seconds: float | None, text: str, *, line: int = 0, evidence: str = "E1"
) -> Record:
    """A kernel line stamped by its host."""
    return Record(
        evidence=evidence, channel="kernel", text=text, line=line, host=host, clock=f"host:{host}",
        time=None if seconds is None else at(seconds),
    )  # fmt: skip


def said(
    channel: Channel, seconds: float | None, text: str, *, evidence: str = "E2", host: str = "",
    clock: str = "api:c", unit: str = "", fields: Mapping[str, str] | None = None, line: int = 0,
    time: Instant | None = None,
) -> Record:  # fmt: skip
    """A line of any channel."""
    return Record(
        evidence=evidence, channel=channel, text=text, host=host, clock=clock, unit=unit, line=line,
        fields=fields or {}, time=time or (None if seconds is None else at(seconds)),
    )  # fmt: skip


def thing(
    kind: str, name: str, content: Mapping[str, object], *, seconds: float | None = 0.0,
    namespace: str = "", uid: str = "", evidence: str = "E3",
) -> ObjectState:  # fmt: skip
    """An object as captured."""
    metadata = {"name": name, "namespace": namespace, "uid": uid}
    return ObjectState(
        evidence=evidence, kind=kind, namespace=namespace, name=name, uid=uid,
        content={"metadata": {**metadata, **content.get("metadata", {})},  # type: ignore[dict-item]  # a parsed document
                 **{k: v for k, v in content.items() if k != "metadata"}},
        observed=None if seconds is None else at(seconds),
    )  # fmt: skip


def reading(kind: str, host: str, seconds: float = 0.0, **values: str | float) -> Reading:
    """A typed value."""
    return Reading(evidence="E4", kind=kind, host=host, values=values, observed=at(seconds))


def series(query: str, labels: Mapping[str, str], *points: tuple[float, float]) -> Series:
    """Samples as (seconds, value)."""
    samples = tuple(Sample(T0 + timedelta(seconds=s), value) for s, value in points)
    return Series("E5", query, labels, samples, "scrape:prometheus")


def look(items: Iterable[Evidence | Item], book: Catalog = HANDBOOK) -> Recognised:
    """Recognise hand-written evidence."""
    return recognise(items, book, Matcher(book))


def line_up(items: Iterable[Evidence | Item], incident: Incident | None = None) -> Timeline:
    """Recognise and order hand-written evidence."""
    return order(look(items), HANDBOOK, incident)


def only(timeline: Timeline, page: str) -> Event:
    """The one event of this page."""
    found = [event for event in timeline.events if event.page == page]
    assert len(found) == 1, found
    return found[0]


def since_t0(moment: Instant) -> float:
    """Seconds after T0."""
    return (moment.utc - T0).total_seconds()
