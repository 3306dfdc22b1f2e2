import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import isnan
from pathlib import Path  # noqa: TC003 - read when the fixture is made

import httpx
import pytest

from evals.replay import prometheus
from knowledge.errors import QueryUnsupportedError
from knowledge.promql import parse_promql

START = datetime(2026, 1, 5, 10, tzinfo=UTC)
END = START + timedelta(hours=2)
STEP = timedelta(seconds=47)
"""Not a multiple of the scrape interval, so that windows cut between samples."""

EXPRESSIONS = (
    "queue_depth",
    'queue_depth{node="n1"}',
    'queue_depth{node!="n1", kind=~"a|b"}',
    'queue_depth{node!~"n[12]"}',
    "queue_depth offset 10m",
    "requests_total",
    "rate(requests_total[5m])",
    "increase(requests_total[10m])",
    'increase(requests_total{node="n2"}[1m])',
    "rate(requests_total[5m] offset 7m)",
    "changes(queue_depth[15m])",
    "avg_over_time(queue_depth[5m])",
    "min_over_time(queue_depth[3m])",
    "max_over_time(queue_depth[1h30m])",
    "rate(requests_total[5m]) * 60",
    "abs(queue_depth) / 4",
    "(abs(avg_over_time(queue_depth[5m])) * 2)",
    "max by (node) (queue_depth)",
    "max by (node) (queue_depth) * (changes(max by (node) (queue_depth)[2m:30s]) > bool 0)",
    'max by (node) (queue_depth{node=~"n[12]"})',
)


@dataclass(frozen=True)
class Dot:
    at: datetime
    value: float


@dataclass(frozen=True)
class Loose:
    metric: str
    labels: Mapping[str, str]
    points: list[Dot]


def _walk(rng: random.Random, metric: str, labels: Mapping[str, str]) -> Loose:
    """A series with jitter, a counter reset, and a gap longer than the look-back."""
    points: list[Dot] = []
    value = float(rng.randrange(50))
    for tick in range(480):
        if 200 <= tick < 240:
            continue
        at = START + timedelta(seconds=15 * tick, milliseconds=rng.randrange(900))
        if metric == "requests_total":
            value = 0.0 if tick == 300 else value + rng.choice((0, 0, 1, 7))
        else:
            value = value if rng.random() < 0.7 else float(rng.randrange(-20, 20))
        points.append(Dot(at, value))
    return Loose(metric, labels, points)


@pytest.fixture(name="series", scope="module")
def _series() -> list[Loose]:
    rng = random.Random(7)  # noqa: S311 - seeded samples, no secret
    return [
        _walk(rng, metric, {"node": node, "kind": kind})
        for metric in ("queue_depth", "requests_total")
        for node, kind in (("n1", "a"), ("n2", "b"), ("n3", "c"))
    ]


@pytest.fixture(name="server", scope="module")
def _server(series: list[Loose], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if not prometheus.is_available():
        pytest.skip("prometheus and promtool are not installed")
    folder: Path = tmp_path_factory.mktemp("promql")
    lines = [
        f'{one.metric}{{node="{one.labels["node"]}",kind="{one.labels["kind"]}"}} '
        f"{point.value} {point.at.timestamp():.3f}"
        for one in series
        for point in one.points
    ]
    kinds = ["# TYPE queue_depth gauge", "# TYPE requests counter"]
    text = [kinds[0], *lines[: len(lines) // 2], kinds[1], *lines[len(lines) // 2 :], "# EOF\n"]
    (folder / "loose.om").write_text("\n".join(text))
    prometheus.create_blocks(folder / "loose.om", folder / "data")
    with prometheus.serve(folder / "data", folder) as url:
        yield url


def _theirs(url: str, query: str) -> dict[str, dict[float, float]]:
    answer = httpx.get(
        f"{url}/api/v1/query_range",
        params={
            "query": query,
            "start": START.timestamp(),
            "end": END.timestamp(),
            "step": STEP.total_seconds(),
        },
    )
    result = answer.raise_for_status().json()["data"]["result"]
    return {
        one["metric"]["node"]: {round(at, 3): float(value) for at, value in one["values"]}
        for one in result
    }


def _ours(series: list[Loose], query: str) -> dict[str, dict[float, float]]:
    expression = parse_promql(query)
    moments = [START + STEP * n for n in range(int((END - START) / STEP) + 1)]
    answers = {
        one.labels["node"]: {
            round(value.at.timestamp(), 3): value.value
            for value in expression.evaluate(one.points, moments)
        }
        for one in series
        if one.metric == expression.metric and expression.selects(one.labels)
    }
    return {node: values for node, values in answers.items() if values}


@pytest.mark.parametrize("query", EXPRESSIONS)
def test_results_are_those_of_prometheus(server: str, series: list[Loose], query: str) -> None:
    """Series by series, moment by moment, over resets, gaps and window edges."""
    theirs, ours = _theirs(server, query), _ours(series, query)
    assert ours.keys() == theirs.keys()
    for node, values in theirs.items():
        assert ours[node] == pytest.approx(values), node


@pytest.mark.parametrize(
    "query",
    [
        "sum by (node) (x)",
        "max by (node) (x) * (changes(max by (node) (y)[5m:1m]) > bool 0)",
        "max by (node) (x) * (changes(max by (node) (x)[5m:1m]) > 0)",
        "max by (node) (x[5m])",
        "histogram_quantile(0.99, rate(x[5m]))",
        "x > 5",
        "x / y",
        "rate(x)",
        "quantile_over_time(0.9, x[5m])",
        "x[5m]",
        '{__name__="x"}',
        "x{a=1}",
        "",
        "1 + 1",
    ],
)
def test_everything_else_is_refused_by_name(query: str) -> None:
    """So that it becomes a gap, never silence."""
    with pytest.raises(QueryUnsupportedError, match="without Prometheus"):
        parse_promql(query)


def test_quotes_and_escapes_are_read() -> None:
    """Both kinds of quotes; an empty matcher accepts an absent label."""
    expression = parse_promql("""x{a="say \\"hi\\"", b='', c!=""}""")
    assert [test.text for test in expression.tests] == ['say "hi"', "", ""]
    assert expression.selects({"a": 'say "hi"', "c": "1"})
    assert not expression.selects({"a": 'say "hi"'})


def test_a_division_by_zero_is_no_number() -> None:
    """It never satisfies a test."""
    (value,) = parse_promql("x / 0").evaluate([Dot(START, 3.0)], [START])
    assert isnan(value.value)
