"""Answers of the Prometheus HTTP API: instant and range queries."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from tools.documents import text_start
from tools.errors import WrongFormatError
from tools.evidence import Gap, Item, Record, Series
from tools.json_places import Finder
from tools.late_patterns import compile_late
from tools.readers.alertmanager import alert_record
from tools.readers.loki_json import is_streams
from tools.request import Request
from tools.samples import LATEST_S, Samples
from tools.source import Source
from tools.stamps import Dating

CLOCK = "scrape:prometheus"
_NAMED = compile_late(r"query(?:_range)?[ =/](?P<name>[\w.-]+): ")
_STEM = compile_late(r"([^/!]+?)(?:\.(?:json|om|gz|zst|txt))*$")
_NAME, _ALERTS, _STATE = "__name__", "ALERTS", "alertstate"
_HASH = compile_late(r"[0-9a-f]{12,}|\d+")


Pair = tuple[float, float]


class Result(msgspec.Struct):
    """One label set of an answer; the API writes its values as texts."""

    metric: dict[str, str] = {}
    values: list[Pair] = []
    value: Pair | None = None


class Spelled(msgspec.Struct):
    """The same with its values as they are written."""

    metric: dict[str, str] = {}
    values: list[tuple[float, str]] = []
    value: tuple[float, str] | None = None

    def read(self) -> Result:
        """Read the values."""
        value = (self.value[0], float(self.value[1])) if self.value else None
        return Result(self.metric, [(at, float(text)) for at, text in self.values], value)


class Data(msgspec.Struct):
    """The answer proper."""

    resultType: str = ""
    result: msgspec.Raw = msgspec.Raw(b"[]")


class Answer(msgspec.Struct):
    """What the API wraps it in."""

    status: str
    data: Data | None = None
    error: str = ""
    warnings: list[str] = []
    name: str = ""
    query: str | dict[str, str] = ""


class PrometheusJsonReader:
    """Yields a series for each label set."""

    name = "prometheus-json"
    source = "prometheus"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the API's envelope."""
        start = text_start(head)
        known = b'"resultType"' in start or b'"errorType"' in start
        if not known or is_streams(start):
            return 0.0
        return 0.97 if start.startswith(b"{") and b'"status"' in start else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read an answer; an error is a gap."""
        try:
            whole = source.whole()
            answer = msgspec.json.decode(whole, type=Answer)
        except (msgspec.DecodeError, UnicodeError) as error:
            raise WrongFormatError(f"{source.name}: a damaged query answer: {error}") from error
        name = query_name(answer, source, request)
        if answer.status != "success" or answer.data is None:
            yield _gap(source, f"query {name} failed: {answer.error or answer.status}")
            return
        for warning in answer.warnings:
            yield _gap(source, f"query {name} is partial: {warning}")
        results = _results(answer.data)
        yield from _series(results, name or _stem(source), source.evidence, named=bool(name))
        yield from _firing(results, source, request, whole)


def _gap(source: Source, why: str) -> Gap:
    return Gap(source="prometheus", target=source.capture.target, why=why, evidence=source.evidence)


def _results(data: Data) -> Sequence[Result]:
    if data.resultType in {"scalar", "string"}:
        return (Spelled(value=msgspec.json.decode(data.result, type=tuple[float, str])).read(),)
    with suppress(msgspec.ValidationError):
        return msgspec.json.decode(data.result, type=list[Result], strict=False)
    # What reads texts as numbers in one go knows no sign before an infinity.
    return [one.read() for one in msgspec.json.decode(data.result, type=list[Spelled])]


def _series(
    results: Iterable[Result], name: str, evidence: str, *, named: bool
) -> Iterator[Series]:
    """Yield the series, under the metric's own name where nothing but the file's tells a query."""
    for result in results:
        own = result.metric.get(_NAME, "")
        query = name if named else own or name
        yield Series(evidence, query, result.metric, _samples(_pairs(result)), CLOCK)


def _pairs(result: Result) -> Sequence[Pair]:
    return result.values or ([result.value] if result.value else [])


def _firing(
    results: Iterable[Result], source: Source, request: Request, whole: bytes
) -> Iterator[Record]:
    """Yield the alerts that Prometheus itself keeps as series, while they fire."""
    dating, finder = Dating(request), Finder(whole)
    for result in results:
        labels, pairs = result.metric, _pairs(result)
        if labels.get(_NAME) != _ALERTS or labels.get(_STATE) != "firing" or not pairs:
            continue
        told = {key: value for key, value in labels.items() if key not in {_NAME, _STATE}}
        since = datetime.fromtimestamp(pairs[0][0], UTC).isoformat()
        alert = {"labels": told, "startsAt": since, "state": "firing"}
        yield alert_record(alert, source, dating, finder)


def _samples(pairs: Sequence[Pair]) -> Samples:
    times, values = zip(*pairs, strict=True) if pairs else ((), ())
    if times and not 0 <= min(times) <= max(times) <= LATEST_S:
        raise WrongFormatError(f"a sample's time is no time: {min(times)} … {max(times)}")
    return Samples(times, values)


def query_name(answer: Answer, source: Source, request: Request) -> str:
    """Find the query's name: as asked, as the capture says, as a file of that query is called."""
    asked = answer.query if isinstance(answer.query, str) else answer.query.get("expr", "")
    told = answer.name or ("" if isinstance(answer.query, str) else answer.query.get("name", ""))
    if told:
        return told
    command = source.capture.command
    if match := _NAMED.search(command):
        return match["name"]
    known = {query.name for query in request.queries}
    for place in (source.capture.path, source.name):
        if (match := _STEM.search(place)) and match.group(1) in known:
            return match.group(1)
    for query in request.queries:
        if query.expr == asked or (command and query.expr in command):
            return query.name
    return ""


def _stem(source: Source) -> str:
    match = _STEM.search(source.capture.path or source.name)
    stem = match.group(1) if match else ""
    return "" if _HASH.fullmatch(stem) else stem


READER = PrometheusJsonReader()
