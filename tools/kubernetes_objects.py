"""Turns Kubernetes objects into states, and Events into records."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import cast

from tools.evidence import Instant, Item, ObjectState, Record
from tools.json_places import Path, Places
from tools.last_words import last_words
from tools.masks import masked
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating

Content = Mapping[str, object]
LOOK_S = 300.0
"""Heartbeats come every ten seconds to five minutes, so a look was at most this much later."""
_STAMPS = ("lastHeartbeatTime", "lastTransitionTime", "lastProbeTime")


def object_items(
    document: Content, source: Source, request: Request, places: Places | None = None
) -> Iterator[Item]:
    """Yield what one object or list says; `places` tells the lines of this very document."""
    dating = Dating(request, source.reference(request.now))
    observed = _observed(source) or _latest(document, dating)
    for content, kind, path in _objects(document, ""):
        if kind == "Event":
            record = event_record(content, source, dating)
            line = places.line_of((*path, "message")) if places else 0
            yield replace(record, line=line) if line else record
        else:
            state = state_of(content, kind, source.evidence, observed)
            state = replace(state, locate=partial(_line, places, path)) if places else state
            yield state
            yield from last_words(state, source.capture.cluster)


def _line(places: Places, path: Path, inner: Path) -> int:
    return places.line_of((*path, *inner))


def _observed(source: Source) -> Instant | None:
    moment = source.capture.ended or source.capture.started
    return Instant(moment) if moment else None


def _latest(document: Content, dating: Dating) -> Instant | None:
    """Take the youngest heartbeat or event as the time of the look: nothing is younger."""
    stamps: list[str] = []
    for content, _, _ in _objects(document, ""):
        status = at(content, "status")
        conditions = status.get("conditions")
        for condition in conditions if isinstance(conditions, list) else []:
            if isinstance(condition, Mapping):
                stamps += [text_at(cast("Content", condition), key) for key in _STAMPS]
        stamps += [text_at(content, "lastTimestamp"), text_at(at(content, "spec"), "renewTime")]
    latest = max((stamp for stamp in stamps if stamp), default="")
    found = dating.iso(latest) if latest else None
    return replace(found, uncertainty_s=LOOK_S) if found else None


def _objects(document: Content, kind: str, path: Path = ()) -> Iterator[tuple[Content, str, Path]]:
    """Yield each object with its kind and where it stands in the document."""
    own = text_at(document, "kind") or kind
    items = document.get("items")
    if isinstance(items, list):
        part = own.removesuffix("List") if own.endswith("List") else ""
        for number, item in enumerate(items):
            if isinstance(item, Mapping):
                yield from _objects(cast("Content", item), part, (*path, "items", number))
    elif isinstance(inner := document.get("object"), Mapping) and "type" in document:
        yield from _objects(cast("Content", inner), "", (*path, "object"))
    elif own:
        yield document, own, path


def state_of(content: Content, kind: str, evidence: str, observed: Instant | None) -> ObjectState:
    """Name an object by its metadata."""
    meta = at(content, "metadata")
    return ObjectState(
        evidence,
        kind,
        text_at(meta, "namespace"),
        text_at(meta, "name"),
        text_at(meta, "uid"),
        content if content.get("kind") else {**content, "kind": kind},
        observed,
    )


def event_record(content: Content, source: Source, dating: Dating) -> Record:
    """Read an Event of either API group."""
    about = at(content, "involvedObject") or at(content, "regarding")
    reporter = at(content, "source") or at(content, "deprecatedSource")
    unit = (
        text_at(reporter, "component")
        or text_at(content, "reportingComponent")
        or text_at(content, "reportingController")
    )
    host = text_at(reporter, "host") or (
        text_at(content, "reportingInstance") if unit == "kubelet" else ""
    )
    first, last = _event_times(content, dating)
    fields = {
        "reason": text_at(content, "reason"),
        "type": text_at(content, "type"),
        "kind": text_at(about, "kind"),
        "namespace": text_at(about, "namespace") or text_at(at(content, "metadata"), "namespace"),
        "name": text_at(about, "name"),
        "uid": text_at(about, "uid"),
        "count": _count(content),
        "first_time": first.utc.isoformat().replace("+00:00", "Z") if first else "",
        "node": host or (text_at(about, "name") if text_at(about, "kind") == "Node" else ""),
        "pod": text_at(about, "name") if text_at(about, "kind") == "Pod" else "",
        "path": text_at(about, "fieldPath"),
    }
    if fields["kind"] == "Node":
        fields["namespace"] = ""
    return Record(
        source.evidence,
        "event",
        masked(text_at(content, "message") or text_at(content, "note")),
        0,
        last,
        f"host:{host}" if host else f"api:{source.capture.cluster}",
        host,
        unit,
        {key: value for key, value in fields.items() if value},
    )


def _event_times(content: Content, dating: Dating) -> tuple[Instant | None, Instant | None]:
    series, meta = at(content, "series"), at(content, "metadata")
    created = text_at(meta, "creationTimestamp")
    last = (
        text_at(series, "lastObservedTime")
        or text_at(content, "lastTimestamp")
        or text_at(content, "deprecatedLastTimestamp")
        or text_at(content, "eventTime")
        or text_at(content, "firstTimestamp")
        or created
    )
    first = (
        text_at(content, "firstTimestamp")
        or text_at(content, "deprecatedFirstTimestamp")
        or text_at(content, "eventTime")
        or created
        or last
    )
    return dating.iso(first), dating.iso(last)


def _count(content: Content) -> str:
    for value in (
        content.get("count"), at(content, "series").get("count"), content.get("deprecatedCount"),
    ):  # fmt: skip
        if isinstance(value, int) and value:
            return str(value)
    return "1"


def at(content: Content, key: str) -> Content:
    """Go one level down; an empty mapping where there is none."""
    value = content.get(key)
    return cast("Content", value) if isinstance(value, Mapping) else {}


def text_at(content: Content, key: str) -> str:
    """Read a string; empty where there is none."""
    value = content.get(key)
    return value if isinstance(value, str) else ""
