"""Log lines from Elasticsearch or OpenSearch: a search's answer, or a dump's line per document.

Shippers write the same documents to files, without the index around them.
"""

from collections.abc import Iterator, Mapping
from typing import cast

import msgspec

from tools.documents import json_data, json_values, lines_before, text_start
from tools.evidence import Gap, Item, Span
from tools.exported_logs import Entry, Labelled, grouped_items, moment_us
from tools.json_places import Path, Places
from tools.request import Request
from tools.source import Source

Content = Mapping[str, object]
STAMPS = ("@timestamp", "timestamp", "time", "ts")
TEXTS = ("message", "msg", "MESSAGE", "log", "event.original")
STAMP, PLACES = b'"@timestamp"', ("host", "agent", "kubernetes")
SHIPPED = tuple(f'"{name}"'.encode() for name in PLACES)
_DEEPEST = 6


class ElasticReader:
    """Yields the records of each writer."""

    name = "elastic-json"
    source = "elasticsearch"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for documents of an index."""
        start = text_start(head)
        if not start.startswith((b"{", b"[")):
            return 0.0
        known = b'"_source"' in start and (b'"_index"' in start or b'"hits"' in start)
        return 0.96 if known or _is_shipped(start) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all documents, writer by writer."""
        whole = source.whole()
        data = json_data(source, whole)
        gaps: list[Gap] = []
        yield from grouped_items(_found(source, data, gaps), source, request)
        yield from gaps
        yield Span(source.evidence, 0, len(whole), 0)


def _is_shipped(start: bytes) -> bool:
    """Tell whether a first line is what a shipper read and placed on a host: no program does that.

    A program that logs in the same names writes of itself, so of a process and no agent or host.
    """
    if not (STAMP in start and any(place in start for place in SHIPPED)):
        return False
    try:
        first = msgspec.json.decode(start.partition(b"\n")[0], type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeError):
        return False
    return "@timestamp" in first and any(isinstance(first.get(name), dict) for name in PLACES)


def _found(source: Source, data: bytes, gaps: list[Gap]) -> Iterator[Labelled]:
    places = Places(data, lines_before(source.head))
    for number, value in enumerate(_documents(source, data)):
        if isinstance(value, Gap):
            gaps.append(value)
            continue
        for hit, path in _hits(value):
            flat = flatten(hit.get("_source"))
            line = number + 1 if not path else 0 if number else places.line_of(path)
            if entry := _entry(flat):
                yield Labelled(entry, flat, line)


def _documents(source: Source, data: bytes) -> Iterator[Content | Gap]:
    """Decode a document on each line where it is so, else as any other document."""
    try:
        lines = msgspec.json.Decoder(dict[str, object]).decode_lines(data)
    except (msgspec.MsgspecError, UnicodeError):
        return json_values(source, data)
    return iter(lines)


def _hits(value: Content) -> Iterator[tuple[Content, Path]]:
    """Yield documents and where they lie; a dump has one on each line."""
    if "_source" in value:
        yield value, ()
        return
    if "@timestamp" in value:
        yield {"_source": value}, ()
        return
    outer = value.get("hits")
    inner = outer.get("hits") if isinstance(outer, Mapping) else value.get("items")
    for place, hit in enumerate(inner if isinstance(inner, list) else []):
        if isinstance(hit, Mapping):
            yield cast("Content", hit), ("hits", "hits", place)


def flatten(value: object, prefix: str = "", depth: int = 0) -> dict[str, str]:
    """Bring nested fields to one level: ``host.name``; of lists the first value."""
    if isinstance(value, str):
        return {prefix: value}
    if isinstance(value, dict) and depth < _DEEPEST:
        flat: dict[str, str] = {}
        for name, part in value.items():
            flat |= flatten(part, f"{prefix}.{name}" if prefix else str(name), depth + 1)
        return flat
    if isinstance(value, list) and value:
        return flatten(value[0], prefix, depth + 1)
    return {prefix: str(value)} if isinstance(value, int | float) else {}


def _entry(flat: Mapping[str, str]) -> Entry | None:
    text = next((flat[name] for name in TEXTS if flat.get(name)), "")
    moments = (moment_us(flat.get(name, "")) for name in STAMPS)
    at = next((found for found in moments if found is not None), None)
    return Entry(at, text) if text and at is not None else None


READER = ElasticReader()
