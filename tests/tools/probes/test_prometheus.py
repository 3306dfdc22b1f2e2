"""Prometheus: the real one, over recorded samples."""

import json
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from evals.replay.prometheus import create_blocks, is_available, serve
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Window
from tools.probes.prometheus import (
    MOST_POINTS,
    asked_window,
    prometheus_alerts,
    prometheus_queries,
    prometheus_rules,
    step_of,
)
from tools.request import Query, Request

START = datetime(2025, 6, 20, 2, tzinfo=UTC)
WINDOW = Window(since=START, until=START + timedelta(hours=1))
needs_prometheus = pytest.mark.skipif(not is_available(), reason="needs prometheus and promtool")


@pytest.fixture(name="server", scope="module")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("prometheus")
    lines = ["# TYPE gpu_temp gauge"]
    for gpu in range(3):
        lines += [
            f'gpu_temp{{gpu="{gpu}"}} {40 + gpu + n % 5} {START.timestamp() + 15 * n:.0f}'
            for n in range(240)
        ]
    (folder / "metrics.om").write_text("\n".join([*lines, "# EOF\n"]))
    create_blocks(folder / "metrics.om", folder / "data")
    with serve(folder / "data", folder) as url:
        yield url


def body(
    context: ProbeContext, capture: Capture
) -> dict[str, dict[str, list[dict[str, list[object]]]]]:
    content: dict[str, dict[str, list[dict[str, list[object]]]]] = json.loads(
        (context.workspace.root / capture.path).read_text()
    )
    return content


@needs_prometheus
def test_a_query_is_asked_over_the_window_and_half_an_hour_around(
    server: str, context: ProbeContext
) -> None:
    context.prometheus = server
    (capture,) = prometheus_queries(
        Request(window=WINDOW, queries=(Query(name="temperature", expr="gpu_temp"),)), context
    )

    assert (capture.outcome, capture.path) == ("ok", "prometheus/temperature.json")
    assert capture.command == "query_range temperature: gpu_temp"
    assert "start=1750383000.000" in capture.detail
    assert len(body(context, capture)["data"]["result"]) == 3


@needs_prometheus
def test_one_moment_is_asked_with_its_time(server: str, context: ProbeContext) -> None:
    context.prometheus = server
    moment = START + timedelta(minutes=30)
    (capture,) = prometheus_queries(
        Request(
            window=Window(since=moment, until=moment), queries=(Query(name="t", expr="gpu_temp"),)
        ),
        context,
    )

    assert (capture.outcome, capture.command) == ("ok", "query t: gpu_temp")
    assert f"time={moment.timestamp():.3f}" in capture.detail
    assert len(body(context, capture)["data"]["result"]) == 3


@needs_prometheus
def test_an_absent_metric_is_empty_and_a_wrong_query_fails(
    server: str, context: ProbeContext
) -> None:
    context.prometheus = server
    queries = (Query(name="a", expr="no_such_metric"), Query(name="b", expr="sum("))
    absent, wrong = prometheus_queries(Request(window=WINDOW, queries=queries), context)

    assert absent.outcome == "empty"
    assert "absent, not zero" in absent.detail
    assert wrong.outcome == "failed"
    assert "bad_data" in wrong.detail


@needs_prometheus
def test_alerts_and_rules_are_read(server: str, context: ProbeContext) -> None:
    context.prometheus = server
    captures = [*prometheus_alerts(Request(), context), *prometheus_rules(Request(), context)]

    assert [capture.outcome for capture in captures] == ["empty", "empty"]


@needs_prometheus
@pytest.mark.parametrize("hours", [1, 24, 24 * 365])
def test_no_window_is_too_long_for_the_server(
    server: str, context: ProbeContext, hours: int
) -> None:
    context.prometheus = server
    window = Window(since=START - timedelta(hours=hours), until=START + timedelta(hours=1))
    for step in (None, 1.0):
        (capture,) = prometheus_queries(
            Request(window=window, queries=(Query(name=f"t{step}", expr="gpu_temp", step_s=step),)),
            context,
        )
        assert capture.outcome == "ok", capture.detail


def test_the_step_is_round_and_points_stay_few() -> None:
    assert step_of(WINDOW) == 15
    assert step_of(Window(since=START, until=START + timedelta(days=1))) == 120
    assert (
        step_of(Window(since=START, until=START + timedelta(days=400)), 1.0)
        >= 400 * 86400 / MOST_POINTS
    )
    assert step_of(Window()) == 15


def test_a_day_is_read_at_half_a_minute_and_no_step_outruns_the_lookback() -> None:
    day = Window(since=START, until=START + timedelta(days=1))
    month = Window(since=START, until=START + timedelta(days=30))
    assert step_of(day, points=3_300) == 30
    assert step_of(month, points=3_300) == 300


@needs_prometheus
def test_what_comes_in_too_many_samples_is_asked_again_in_fewer(
    server: str, context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window(since=START - timedelta(days=1), until=START + timedelta(hours=1))
    context.prometheus = server
    sizes = []
    for name, most in (("whole", 32 << 20), ("fewer", None)):
        # The limit of the second lies just below what the first one took.
        monkeypatch.setattr("tools.probes.prometheus._MOST_BYTES", most or sizes[0] - 1)
        (capture,) = prometheus_queries(
            Request(window=window, queries=(Query(name=name, expr="gpu_temp"),)), context
        )
        assert capture.outcome == "ok", capture.detail
        sizes.append((context.workspace.root / capture.path).stat().st_size)
        assert f"step={30 if name == 'whole' else 120}" in capture.detail

    assert sizes[1] < sizes[0]


def test_a_server_that_is_not_there_is_absent(context: ProbeContext) -> None:
    context.prometheus = "http://127.0.0.1:9"
    (capture,) = prometheus_alerts(Request(), context)

    assert capture.outcome == "absent"
    assert "does not answer" in capture.detail


def test_without_a_server_nothing_is_asked(context: ProbeContext) -> None:
    assert list(prometheus_queries(Request(queries=(Query(name="a", expr="b"),)), context)) == []
    assert list(prometheus_alerts(Request(), context)) == []


@pytest.mark.parametrize(
    ("status", "said", "outcome", "word"),
    [
        (
            200,
            '{"status":"success","warnings":["store 2 is down"],"data":{"result":[{}]}}',
            "ok",
            "partial: store 2",
        ),
        (403, "no", "denied", "token"),
        (200, "<html>proxy</html>", "failed", "not an answer"),
    ],
)
def test_partial_refused_and_foreign_answers_are_told_apart(
    context: ProbeContext, status: int, said: str, outcome: str, word: str
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(said.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.handle_request, daemon=True).start()
        context.prometheus = f"http://127.0.0.1:{server.server_port}"
        context.prometheus_token = "t" * 10
        (capture,) = prometheus_queries(
            Request(window=WINDOW, queries=(Query(name="a", expr="b"),)), context
        )

    assert capture.outcome == outcome
    assert word in capture.detail


def test_a_server_that_never_answers_is_hung(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tools.probes.prometheus._TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        context.prometheus = f"http://127.0.0.1:{silent.getsockname()[1]}"
        (capture,) = prometheus_alerts(Request(), context)

    assert tmp_path.exists()
    assert capture.outcome == "hung"


def test_nothing_is_asked_of_the_future() -> None:
    now = START + timedelta(minutes=10)
    later = Window(since=START, until=START + timedelta(hours=2))
    asked = asked_window(Request(window=later), now)

    assert asked == Window(since=START - timedelta(minutes=30), until=now)
