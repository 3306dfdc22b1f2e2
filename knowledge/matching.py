"""Signatures at work: text, object state, readings and samples in; pages and fields out.

Nothing here knows a type of `tools`: lines come as words, objects as mappings, samples as anything
with a time and a value.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import NamedTuple

import re2

from knowledge.catalog import Catalog
from knowledge.conditions import ROOT, as_text, compare_numbers, holds, lookup
from knowledge.errors import QueryUnsupportedError
from knowledge.page import (
    MetricSignature,
    Page,
    Signature,
    StateSignature,
    TextSignature,
)
from knowledge.pattern import Pattern, compile_pattern, encode
from knowledge.promql import Expression, parse_promql
from knowledge.reckoning import FieldValue, decode_fields, fields_of
from knowledge.runs import Interval, Point, columns, extremes_of, may_satisfy, satisfied
from knowledge.template import placeholders

SPEAKS_FOR: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "kernel": ("kernel",),
        "quoted": ("kernel",),
        "service": ("service", "app"),
        "app": ("app",),
        "text": ("app", "device"),
    }
)
"""Which sources' signatures a line may show, by the channel that carried it; any other channel
shows its own alone.

kernel: only the ring buffer's own transport · quoted: a person's copy of what the kernel printed,
which is a claim and weighs as one · service: whatever runs under systemd or syslog; a workload is
started there too, and its output is still its own · app: a workload's own file, which can speak for
nobody else · text: nobody knows who wrote it, so for what carries least: nothing that a program
prints can pass for the word of the kernel, of a host's service or of the API server."""

_RANKS = ("kernel", "service", "app", "device")
"""Where one channel shows two sources, the first of them knows more of the line."""
_UNITS_KEPT = 4096
_LINES_KEPT = 256
_LINE_KEPT_LENGTH = 512
_SCAN_MEMORY = 32 << 20


class Match(NamedTuple):
    """One signature that holds (a tuple, because a frozen dataclass costs as much as the match).

    `values` are what entity templates are filled from: named groups, labels, or resolved paths.
    `fields` are the declared ones, decoded. `ended` says that the recovery line was seen.
    `since` is the time the object itself states; `interval` is set for samples.
    """

    page: str
    signature: Signature
    values: Mapping[str, str]
    fields: Mapping[str, FieldValue] = MappingProxyType({})
    ended: bool = False
    since: str | None = None
    interval: Interval | None = None
    item: str = ""
    """Path of the list's item that was tested, where the signature walks one: ``a.b[2]``."""


class Matcher:
    """Every signature of a catalog, ready to match; expressions compile when first needed."""

    def __init__(self, catalog: Catalog) -> None:
        self._lines: dict[str, _Channel] = {}
        self._unread: dict[str, Match] = {}
        self._states: dict[tuple[str, str], list[tuple[str, StateSignature]]] = {}
        self._metrics: dict[str, list[_Query]] = {}
        self._loose: dict[str, list[_Query]] = {}
        lines: dict[str, list[_Line]] = {}
        for page, signature in catalog.signatures():
            match signature:
                case TextSignature() if page.role == "unread" and signature.fallback:
                    self._unread[signature.source] = Match(page.id, signature, {})
                case TextSignature():
                    for line in _lines(page, signature):
                        lines.setdefault(line.source, []).append(line)
                case MetricSignature():
                    self._keep_query(_Query(page.id, signature))
                case StateSignature():
                    key = signature.source, signature.kind
                    self._states.setdefault(key, []).append((page.id, signature))
        shown: dict[str, tuple[str, ...]] = {name: (name,) for name in lines}
        shown.update(SPEAKS_FOR)
        self._lines = {
            channel: _Channel([line for source in sources for line in lines.get(source, ())])
            for channel, sources in shown.items()
        }

    def match_text(self, channel: str, unit: str, text: str, *, reason: str = "") -> list[Match]:
        """Match a logical line against the signatures that its channel may show."""
        found = self._lines.get(channel)
        return [] if found is None else list(found.match(unit, text, reason))

    def match_unread(self, channel: str) -> list[Match]:
        """Return what stands for a line that its writer calls an error and `match_text` leaves."""
        for source in SPEAKS_FOR.get(channel, (channel,)):
            if source in self._unread:
                return [self._unread[source]]
        return []

    def match_state(self, source: str, kind: str, content: Mapping[str, object]) -> list[Match]:
        """Match an object (`source` ``object``) or a reading's values against its kind's tests."""
        return [
            found
            for page, signature in self._states.get((source, kind), ())
            for found in judge_state(page, signature, content)
        ]

    def match_series(
        self, query: str, labels: Mapping[str, str], samples: Sequence[Point]
    ) -> list[Match]:
        """Match one series: one match for each stretch of time that satisfies the test.

        `query` is a query's name, and the samples its result; or a plain metric's name, then the
        queries over it that need no server are computed first. A query may be called like the
        metric that it merely selects: either reading gives the same.
        """
        loose = self._loose.get(query, [])
        named = [known for known in self._metrics.get(query, ()) if known not in loose]
        # Many pages ask one query for different values, and most series come near none of them.
        extremes = extremes_of(samples)
        found = [known.match(labels, samples) for known in named if known.may_match(extremes)]
        alone = [known for known in loose if known.expression and not known.expression.by]
        found += [known.match(labels, known.computed(labels, samples)) for known in alone]
        return [match for matches in found for match in matches]

    def groupings(self, metric: str) -> frozenset[tuple[str, ...]]:
        """Return the labels by which queries over a metric make one series of several."""
        known = self._loose.get(metric, ())
        return frozenset(each.expression.by for each in known if each.expression) - {()}

    def match_group(
        self, metric: str, labels: Mapping[str, str], samples: Sequence[Point]
    ) -> list[Match]:
        """Match the largest of those series of a metric that share `labels`, one of its groupings.

        Many pages ask the same query for different values: it is computed once.
        """
        by = tuple(labels)
        computed: dict[str, Sequence[Point]] = {}
        found: list[Match] = []
        values = columns(samples)[1]
        still = not values or min(values) == max(values)
        for known in self._loose.get(metric, ()):
            if known.expression and known.expression.by == by:
                expr = known.signature.expr
                if still and known.expression.step_s and not known.holds(0.0):
                    continue  # Where nothing changed all is zero: not worth to be computed.
                if expr not in computed:
                    computed[expr] = known.computed(labels, samples)
                found += known.match(labels, computed[expr])
        return found

    def _keep_query(self, query: "_Query") -> None:
        self._metrics.setdefault(query.signature.query, []).append(query)
        if query.expression is not None:
            self._loose.setdefault(query.expression.metric, []).append(query)

    def state_kinds(self, source: str) -> frozenset[str]:
        """Return the kinds of object or reading that any signature tests."""
        return frozenset(kind for known, kind in self._states if known == source)

    def query_names(self) -> frozenset[str]:
        """Return the queries that any signature judges."""
        return frozenset(self._metrics)

    def computable(self) -> Mapping[str, str]:
        """Return the queries that loose files can answer without a server, with their metric."""
        return {
            query.signature.query: metric
            for metric, queries in self._loose.items()
            for query in queries
        }


@lru_cache(maxsize=4)
def matcher_of(catalog: Catalog) -> Matcher:
    """Return a catalog's matcher, the same each time: compiling costs more than most lookups."""
    return Matcher(catalog)


class _Query:
    """A metric signature, with its expression where that needs no server."""

    def __init__(self, page: str, signature: MetricSignature) -> None:
        self.page = page
        self.signature = signature
        try:
            self.expression: Expression | None = parse_promql(signature.expr)
        except QueryUnsupportedError:
            self.expression = None

    def computed(self, labels: Mapping[str, str], samples: Sequence[Point]) -> Sequence[Point]:
        """Evaluate a plain metric's series at its own times; nothing if it is not selected."""
        if self.expression is None or not self.expression.selects(labels):
            return ()
        return self.expression.evaluate(samples, [sample.at for sample in samples])

    def holds(self, value: float) -> bool:
        """Tell whether one value satisfies the test."""
        return compare_numbers(value, self.signature.op, self.signature.value)

    def may_match(self, extremes: tuple[float, float]) -> bool:
        """Tell whether any value between the least and the greatest may satisfy the test."""
        return may_satisfy(extremes, self.signature.op, self.signature.value)

    def match(self, labels: Mapping[str, str], samples: Sequence[Point]) -> list[Match]:
        test = self.signature
        return [
            Match(self.page, test, labels, fields={"value": run.peak}, interval=run)
            for run in satisfied(samples, test.op, test.value, for_s=test.for_s)
        ]


class _Line:
    """One expression over lines: a signature's own, or its recovery's."""

    def __init__(self, page: str, signature: TextSignature, *, ended: bool) -> None:
        ending = signature.ends if ended else None
        self.page = page
        self.signature = signature
        self.ended = ended
        self.source: str = (ending.source if ending else "") or signature.source
        self.literal = ending.literal if ending else signature.literal
        self.reason = "" if ending else signature.reason
        self._expression = ending.regex if ending else signature.regex
        self.rank = _RANKS.index(self.source) if self.source in _RANKS else 0
        self._unit = signature.unit if self.source == signature.source else ""
        self._units: dict[str, bool] = {}

    @cached_property
    def _pattern(self) -> Pattern:
        return compile_pattern(self._expression)

    def match(self, unit: str, text: bytes, reason: str) -> Match | None:
        if self.reason and self.reason != reason:
            return None
        if self._unit and not self._admits(unit):
            return None
        values = self._pattern.search(text)
        if values is None:
            return None
        test = self.signature
        fields = decode_fields(values, test.fields) if self.ended else fields_of(test, values)
        if fields is None:
            return None
        return Match(self.page, test, values, fields, self.ended)

    def _admits(self, unit: str) -> bool:
        known = self._units.get(unit)
        if known is None:
            if len(self._units) >= _UNITS_KEPT:
                self._units.clear()
            known = self._units[unit] = compile_pattern(self._unit).covers(encode(unit))
        return known


class _Channel:
    """The lines of one channel behind one scan for all their literals."""

    def __init__(self, lines: Iterable[_Line]) -> None:
        self._by_literal: dict[str, list[_Line]] = {}
        self._by_reason: dict[str, list[_Line]] = {}
        self._always: list[_Line] = []
        self._fallbacks: list[_Line] = []
        for line in lines:
            if line.signature.fallback:
                self._fallbacks.append(line)
            elif line.literal:
                self._by_literal.setdefault(line.literal, []).append(line)
            elif line.reason:
                self._by_reason.setdefault(line.reason, []).append(line)
            else:
                self._always.append(line)
        self._groups = list(self._by_literal.values())
        # Bursts repeat one line a thousand times.
        self._recall = lru_cache(maxsize=_LINES_KEPT)(self._search)

    @cached_property
    def _literals(self) -> "re2.Set":
        options = re2.Options()
        options.max_mem = _SCAN_MEMORY
        literals = re2.Set.SearchSet(options)
        for literal in self._by_literal:
            literals.Add(re2.escape(literal))
        literals.Compile()
        return literals

    def match(self, unit: str, text: str, reason: str) -> tuple[Match, ...]:
        search = self._recall if len(text) <= _LINE_KEPT_LENGTH else self._search
        return search(unit, text, reason)

    def _search(self, unit: str, line_text: str, reason: str) -> tuple[Match, ...]:
        text = encode(line_text)
        lines = [line for hit in self._hits(text) for line in self._groups[hit]]
        if reason:
            lines += self._by_reason.get(reason, ())
        lines += self._always
        found = _matches(lines, unit, text, reason)
        if found or not self._fallbacks:
            return found
        spare = [line for line in self._fallbacks if line.literal in line_text]
        return _matches(spare, unit, text, reason)

    def _hits(self, text: bytes) -> Sequence[int]:
        return (self._groups and self._literals.Match(text)) or ()


def _matches(lines: Iterable[_Line], unit: str, text: bytes, reason: str) -> tuple[Match, ...]:
    found = [(line, match) for line in lines if (match := line.match(unit, text, reason))]
    if len({line.source for line, _ in found}) < 2:  # noqa: PLR2004  # one speaks for itself
        return tuple(match for _, match in found)
    return tuple(match for line, match in found if not any(_outranks(o, line) for o, _ in found))


def _outranks(one: _Line, other: _Line) -> bool:
    """A line is one witness: what a page's signatures of two sources know of it is one fact."""
    if one.rank >= other.rank or one.page != other.page:
        return False
    return (one.ended, one.signature.yields) == (other.ended, other.signature.yields)


def _lines(page: Page, signature: TextSignature) -> list[_Line]:
    lines = [_Line(page.id, signature, ended=False)]
    if signature.ends is not None:
        lines.append(_Line(page.id, signature, ended=True))
    return lines


def judge_state(
    page: str, signature: StateSignature, content: Mapping[str, object]
) -> Iterator[Match]:
    """Yield a match for the thing, or for each item of its list, of which all tests are true."""
    for place, item in _items(signature.each, content):
        if all(holds(condition, item, top=content) for condition in signature.where):
            since = lookup(item, signature.since, top=content) if signature.since else None
            yield Match(
                page,
                signature,
                _resolve(signature.entity.values(), item, content),
                fields=_pick(signature.fields, item, content),
                since=None if since is None else as_text(since),
                item=place,
            )


def _items(each: str, content: Mapping[str, object]) -> Iterable[tuple[str, object]]:
    """Yield the items of a list with their paths; ``a[].b`` is the list b of each item of a."""
    if not each:
        return (("", content),)
    outer, nested, inner = each.partition("[].")
    items = lookup(content, outer)
    if not isinstance(items, list | tuple):
        return ()
    places = [(f"{outer}[{number}]", item) for number, item in enumerate(items)]
    if not nested:
        return places
    return [(f"{place}.{path}", thing) for place, item in places if isinstance(item, Mapping)
            for path, thing in _items(inner, item)]  # fmt: skip


def _resolve(templates: Iterable[str], item: object, top: object) -> dict[str, str]:
    """Look up every path of the templates: in the item first, then in the whole object."""
    found: dict[str, str] = {}
    for path in (name for template in templates for name in placeholders(template)):
        value = _either(path, item, top)
        if value is not None and not isinstance(value, Mapping | list | tuple):
            found[path] = as_text(value)
    return found


def _pick(paths: Mapping[str, str], item: object, top: object) -> dict[str, FieldValue]:
    values = {name: _either(path, item, top) for name, path in paths.items()}
    return {n: v for n, v in values.items() if isinstance(v, str | int | float | bool)}


def _either(path: str, item: object, top: object) -> object | None:
    value = lookup(item, path, top=top)
    if value is None and not path.startswith(ROOT):
        return lookup(top, path)
    return value
