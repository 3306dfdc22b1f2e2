"""The small part of PromQL that loose OpenMetrics files can be asked without a server.

A selector, alone or under `rate`, `increase`, `changes`, `avg_over_time`, `min_over_time` or
`max_over_time`, with `offset`; around it `abs` and multiplication or division by a number. The
results are those of Prometheus 2.42, against which the tests compare. Everything else raises, so
that a query that cannot be computed becomes a gap and never silence.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from math import nan
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

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Tell whether a series with these labels is meant."""
        return all(test.holds(labels) for test in self.tests)

    def evaluate(self, points: Sequence[Point], moments: Sequence[datetime]) -> list[Value]:
        """Compute the value of one series (in order of time) at each moment that has one."""
        times, values = columns(points)
        samples = Samples(list(times), list(values))
        shift = timedelta(seconds=self.offset_s)
        found: list[Value] = []
        for moment in moments:
            value = self._at(samples, (moment - shift).timestamp())
            if value is not None:
                found.append(Value(moment, self._finish(value)))
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

    def _term(self) -> Expression:
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
