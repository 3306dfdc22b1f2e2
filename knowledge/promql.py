"""The small part of PromQL that loose OpenMetrics files can be asked without a server.

A selector, alone or under `rate`, `increase`, `changes`, `avg_over_time`, `min_over_time` or
`max_over_time`, with `offset`; around it `abs` and multiplication or division by a number. And one
form over several series: `max by (…) (metric)`, alone or where it changed of late, which is

    max by (L) (M) * (changes(max by (L) (M)[15m:30s]) > bool 0)

The results are those of Prometheus 2.42, against which the tests compare. Everything else raises,
so that a query that cannot be computed becomes a gap and never silence.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from math import ceil, inf, nan
from typing import NoReturn

from knowledge.errors import QueryUnsupportedError
from knowledge.pattern import compile_pattern, encode
from knowledge.rates import FUNCTIONS, Samples
from knowledge.runs import STALE_S, Point, columns

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"[a-zA-Z_:][\w:]*")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DURATION = re.compile(r"(?:[0-9]+(?:ms|[smhdwy]))+")
_PART = re.compile(r"([0-9]+)(ms|[smhdwy])")
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|' + r"'((?:[^'\\]|\\.)*)'")
_OFFSET = re.compile(r"offset\b")
_BY = re.compile(r"max\s+by\s*\(")
_LABELS = re.compile(r"[a-zA-Z_]\w*(?:\s*,\s*[a-zA-Z_]\w*)*\s*\)")
_GATE = re.compile(r"\*\s*\(\s*changes\s*\(\s*(?=max\b)")
_CHANGED = re.compile(r"\]\s*\)\s*>\s*bool\s+0\s*\)")
_MATCHER = re.compile(r"(?:=~|!~|!=|=)")
_SECONDS = {
    "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0, "y": 31536000.0,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A computed value at a moment."""

    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class LabelTest:
    """One label matcher; an absent label counts as empty."""

    label: str
    op: str
    text: str

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Tell whether the labels pass."""
        actual = labels.get(self.label, "")
        if self.op in {"=~", "!~"}:
            return compile_pattern(self.text).covers(encode(actual)) == (self.op == "=~")
        return (actual == self.text) == (self.op == "=")


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed query over one metric: series by series, no aggregation."""

    metric: str
    tests: tuple[LabelTest, ...] = ()
    function: str = ""
    range_s: float = 0.0
    offset_s: float = 0.0
    steps: tuple[Callable[[float], float], ...] = field(default=(), compare=False)
    by: tuple[str, ...] = ()
    """Labels that stay: the series that share them are one, the largest of their values."""
    step_s: float = 0.0
    """Where it counts only if it changed within `range_s`: the distance of the looks at it."""

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Tell whether a series with these labels is meant."""
        return all(test.holds(labels) for test in self.tests)

    def evaluate(self, points: Sequence[Point], moments: Sequence[datetime]) -> list[Value]:
        """Compute the value of one series (in order of time) at each moment that has one."""
        times, values = columns(points)
        samples = Samples(list(times), list(values))
        if self.step_s:
            return self._where_changed(samples, moments)
        shift = timedelta(seconds=self.offset_s)
        found: list[Value] = []
        for moment in moments:
            value = self._at(samples, (moment - shift).timestamp())
            if value is not None:
                found.append(Value(moment, self._finish(value)))
        return found

    def _where_changed(self, samples: Samples, moments: Sequence[datetime]) -> list[Value]:
        grid = Samples(*_grid(samples, self.step_s))
        found: list[Value] = []
        for moment in moments:
            at = moment.timestamp()
            value = self._at(samples, at)
            times = FUNCTIONS["changes"](grid.window(at - self.range_s, at))
            if value is not None and times is not None:
                found.append(Value(moment, value if times else 0.0))
        return found

    def _at(self, samples: Samples, at: float) -> float | None:
        if not self.function:
            last = bisect_right(samples.times, at) - 1
            fresh = last >= 0 and samples.times[last] >= at - STALE_S
            return samples.values[last] if fresh else None
        return FUNCTIONS[self.function](samples.window(at - self.range_s, at))

    def _finish(self, value: float) -> float:
        for step in self.steps:
            value = step(value)
        return value


@lru_cache(maxsize=1024)
def parse_promql(text: str) -> Expression:
    """Parse a query of the small set.

    Raises:
        QueryUnsupportedError: it is anything else; the message shows where it stops.
    """
    parser = _Parser(text)
    expression = parser.expression()
    parser.finish()
    return expression


class _Parser:
    """Reads left to right; every method takes what it names or refuses the query."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def expression(self) -> Expression:
        expression = self._term()
        while (op := self._peek()) in {"*", "/"}:
            self._at += 1
            number = float(self._take(_NUMBER))
            expression = _then(expression, _scale(op, number))
        return expression

    def finish(self) -> None:
        if self._peek():
            self._refuse()

    def _grouped(self) -> Expression:
        self._at += self._within(_BY)
        labels = tuple(label.strip() for label in self._take(_LABELS).rstrip(" )").split(","))
        self._expect("(")
        one = Expression(self._take(_NAME), self._tests(), by=labels)
        self._expect(")")
        return one

    def _gated(self) -> Expression:
        """Read ``max by (L) (M)`` and, if it follows, where that changed."""
        one = self._grouped()
        gate = self._within(_GATE)
        if not gate:
            return one
        self._at += gate
        if self._grouped() != one:
            self._refuse()
        self._expect("[")
        range_s = _seconds(self._take(_DURATION))
        self._expect(":")
        step_s = _seconds(self._take(_DURATION))
        self._at += self._within(_CHANGED) or self._refuse()
        return replace(one, range_s=range_s, step_s=step_s)

    def _within(self, pattern: re.Pattern[str]) -> int:
        found = pattern.match(self._text, self._skip())
        return len(found.group()) if found else 0

    def _term(self) -> Expression:
        if self._within(_BY):
            return self._gated()
        if self._peek() == "(":
            self._expect("(")
            inner = self.expression()
            self._expect(")")
            return inner
        name = self._take(_NAME)
        if self._peek() != "(":
            return self._offset(Expression(name, self._tests()))
        self._expect("(")
        inner = self.expression() if name == "abs" else self._ranged(name)
        self._expect(")")
        return _then(inner, abs) if name == "abs" else inner

    def _ranged(self, function: str) -> Expression:
        if function not in FUNCTIONS:
            self._refuse()
        metric, tests = self._take(_NAME), self._tests()
        self._expect("[")
        range_s = _seconds(self._take(_DURATION))
        self._expect("]")
        return self._offset(Expression(metric, tests, function, range_s))

    def _offset(self, expression: Expression) -> Expression:
        if not _OFFSET.match(self._text, self._skip()):
            return expression
        self._at += len("offset")
        offset_s = _seconds(self._take(_DURATION))
        return replace(expression, offset_s=offset_s)

    def _tests(self) -> tuple[LabelTest, ...]:
        if self._peek() != "{":
            return ()
        self._expect("{")
        tests: list[LabelTest] = []
        while self._peek() != "}":
            label, op = self._take(_NAME), self._take(_MATCHER)
            tests.append(LabelTest(label, op, _unquote(self._take(_STRING))))
            if self._peek() == ",":
                self._expect(",")
        self._expect("}")
        return tuple(tests)

    def _skip(self) -> int:
        space = _SPACE.match(self._text, self._at)
        self._at = space.end() if space else self._at
        return self._at

    def _peek(self) -> str:
        return self._text[self._skip() : self._at + 1]

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            self._refuse()
        self._at += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._skip())
        if found is None:
            self._refuse()
        self._at = found.end()
        return found.group()

    def _refuse(self) -> NoReturn:
        raise QueryUnsupportedError(self._text, self._at)


def _grid(samples: Samples, step_s: float) -> tuple[list[float], list[float]]:
    """Look at a series at whole multiples of a step, as a subquery does."""
    times: list[float] = []
    values: list[float] = []
    following = [*samples.times[1:], inf]
    for at, until, value in zip(samples.times, following, samples.values, strict=True):
        last = min(until, at + STALE_S)
        number = ceil(at / step_s)
        while number * step_s < last:
            times.append(number * step_s)
            values.append(value)
            number += 1
    return times, values


def largest(many: Sequence[Sequence[Point]]) -> tuple[list[float], list[float]]:
    """Make one series of several that were sampled together: the largest value at each time."""
    if len(many) == 1:
        times, values = columns(many[0])
        return list(times), list(values)
    found: dict[float, float] = {}
    for points in many:
        for at, value in zip(*columns(points), strict=True):
            found[at] = max(value, found.get(at, value))
    order = sorted(found)
    return order, [found[at] for at in order]


def _then(expression: Expression, step: Callable[[float], float]) -> Expression:
    return replace(expression, steps=(*expression.steps, step))


def _scale(op: str, number: float) -> Callable[[float], float]:
    if op == "*":
        return lambda value: value * number
    return lambda value: value / number if number else nan


def _seconds(duration: str) -> float:
    return sum(int(count) * _SECONDS[unit] for count, unit in _PART.findall(duration))


def _unquote(quoted: str) -> str:
    return re.sub(r"\\(.)", r"\1", quoted[1:-1])
