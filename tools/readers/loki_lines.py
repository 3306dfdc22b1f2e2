"""Log lines from Loki as objects of their own: `logcli --output=jsonl`, a download from Grafana."""

from collections.abc import Iterator, Mapping

from tools.documents import json_data, json_values, lines_before, text_start
from tools.evidence import Gap, Item, Span
from tools.exported_logs import Entry, Labelled, grouped_items, moment_us
from tools.json_places import Places
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source

_START = compile_late(rb'\[?\s{0,40}\{\s{0,40}"(?:labels|line)"\s?:')
_KEYS = (b'"line"', b'"timestamp"')


class LokiLinesReader:
    """Yields the records of each writer."""

    name = "loki-lines"
    source = "loki"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for an object that begins with a line or with its labels."""
        start = text_start(head)
        return 0.95 if _START.match(start) and all(key in start for key in _KEYS) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all lines."""
        whole = source.whole()
        data = json_data(source, whole)
        gaps: list[Gap] = []
        yield from grouped_items(_found(source, data, gaps), source, request)
        yield from gaps
        yield Span(source.evidence, 0, len(whole), 0)


def _found(source: Source, data: bytes, gaps: list[Gap]) -> Iterator[Labelled]:
    places = Places(data, lines_before(source.head)) if data.startswith(b"[") else None
    for number, value in enumerate(json_values(source, data)):
        if isinstance(value, Gap):
            gaps.append(value)
            continue
        line, at = value.get("line"), moment_us(str(value.get("timestamp") or ""))
        if isinstance(line, str) and at is not None:
            place = places.line_of((number,)) if places else number + 1
            yield Labelled(Entry(at, line), _labels(value), place)


def _labels(value: Mapping[str, object]) -> dict[str, str]:
    labels = value.get("labels") or value.get("fields")
    pairs = labels.items() if isinstance(labels, Mapping) else ()
    return {str(name): str(text) for name, text in pairs}


READER = LokiLinesReader()
