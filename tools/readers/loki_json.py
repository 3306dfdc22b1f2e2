"""Log lines from Loki: the HTTP API's answer, or one JSON object per line from `logcli`."""

from collections.abc import Iterator, Mapping
from typing import cast

from tools.documents import json_data, json_values, lines_before, text_start
from tools.evidence import Gap, Item, Span
from tools.exported_logs import Entry, LineOf, exported_items, stream_of
from tools.json_places import Places
from tools.request import Request
from tools.source import Source

Content = Mapping[str, object]
THOUSAND = 1000


class LokiReader:
    """Yields the records of each stream."""

    name = "loki-json"
    source = "loki"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for streams in the API's envelope."""
        start = text_start(head)
        return 0.96 if start.startswith(b"{") and is_streams(start) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all streams of an answer."""
        whole = source.whole()
        data = json_data(source, whole)
        places = Places(data, lines_before(source.head))
        for number, value in enumerate(json_values(source, data)):
            if isinstance(value, Gap):
                yield value
                continue
            for place, stream in enumerate(_streams(value)):
                line_of = _lines(places if number == 0 else None, place)
                told = stream_of(_labels(stream))
                yield from exported_items(_entries(stream), told, source, request, line_of)
        yield Span(source.evidence, 0, len(whole), 0)


def _lines(places: Places | None, stream: int) -> LineOf:
    path = ("data", "result", stream, "values")
    return lambda entry: places.line_of((*path, entry)) if places else 0


def is_streams(start: bytes) -> bool:
    """Tell whether an answer holds lines, not samples."""
    return b'"resultType":"streams"' in start.replace(b" ", b"")


def _streams(answer: Content) -> list[Content]:
    data = answer.get("data")
    result = data.get("result") if isinstance(data, Mapping) else answer.get("items")
    listed = result if isinstance(result, list) else []
    return [cast("Content", one) for one in listed if isinstance(one, Mapping)]


def _labels(stream: Content) -> dict[str, str]:
    labels = stream.get("stream")
    pairs = labels.items() if isinstance(labels, Mapping) else ()
    return {str(name): str(value) for name, value in pairs}


def _entries(stream: Content) -> list[Entry]:
    values = stream.get("values")
    found = []
    for pair in values if isinstance(values, list) else []:
        if not isinstance(pair, list) or len(pair) < 2:  # noqa: PLR2004  # time and line
            continue
        found.append(Entry(int(str(pair[0])) // THOUSAND, str(pair[1])))
    return found


READER = LokiReader()
