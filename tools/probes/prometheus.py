"""Prometheus: the ready queries over the window, alerts and rules."""

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import httpx

from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Outcome, Window
from tools.registry import probe
from tools.request import Query, Request

MOST_POINTS = 11_000
"""A server refuses more points a series."""
_WANTED_POINTS, _FINE_POINTS = 1_000, 3_300
"""A day and its margins at half a minute where the answer is small, at two minutes where not."""
_LOOKBACK_S = 300
"""How long a server carries a sample on: a longer step can miss a short series altogether."""
_STEPS = (15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
_TIMEOUT_S = 15.0
_MOST_BYTES = 32 << 20
_AROUND = timedelta(minutes=30)
_LAST = timedelta(hours=1)


@probe(source="prometheus", reach="metrics", volatility=5)
def prometheus_queries(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Ask each ready query over the window, with a step chosen so that points stay few.

    One request a query, bounded in time and size; where a fine step makes too much, a second with a
    coarse one. A metric that is not exported gives an empty
    answer: absent is not zero. Cannot see what is older than the server's retention.
    """
    if not context.prometheus:
        return
    with _client(context) as client:
        for query in request.queries:
            yield _ask(client, request, context, query)
            if context.workspace.full:
                return


@probe(source="prometheus", reach="metrics", volatility=1)
def prometheus_alerts(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the alerts that are pending or firing now."""
    yield from _plain(context, "alerts", "alerts/prometheus.json")


@probe(source="prometheus", reach="metrics", volatility=8)
def prometheus_rules(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the rules, with the health of their evaluation: what would have been noticed at all."""
    yield from _plain(context, "rules", "prometheus/rules.json")


def step_of(window: Window, wanted: float | None = None, *, points: int = _WANTED_POINTS) -> float:
    """Choose a step in seconds: round, few points, never more than a server gives."""
    if window.since is None or window.until is None:
        return wanted or _STEPS[0]
    span = max((window.until - window.since).total_seconds(), 1.0)
    least = span / (MOST_POINTS - 1)
    if wanted:
        return max(wanted, math.ceil(least))
    step = next((step for step in _STEPS if span / step <= points), math.ceil(least))
    return step if points == _WANTED_POINTS else max(min(step, _LOOKBACK_S), math.ceil(least))


def asked_window(request: Request, now: datetime) -> Window:
    """Give the window to ask for: the request's with half an hour around it, else the last hour.

    A window of one moment stays one. None reaches beyond the present: there a server would carry
    the last sample of each series on for minutes.
    """
    if request.window.since and request.window.since == request.window.until:
        return request.window
    until = request.window.until or request.now or now
    since = request.window.since or until - _LAST
    since -= _AROUND
    return Window(since=since, until=max(min(until + _AROUND, now), since))


def _client(context: ProbeContext) -> httpx.Client:
    headers = (
        {"Authorization": f"Bearer {context.prometheus_token}"} if context.prometheus_token else {}
    )
    return httpx.Client(base_url=context.prometheus, timeout=_TIMEOUT_S, headers=headers)


def _ask(client: httpx.Client, request: Request, context: ProbeContext, query: Query) -> Capture:
    window = asked_window(request, context.clock())
    parameters = _parameters(query, window, _FINE_POINTS)
    kind = "query" if "time" in parameters else "query_range"
    command = f"{kind} {query.name}: {query.expr}"
    if earlier := context.workspace.finished("prometheus", command, "prometheus"):
        return earlier
    url, started = f"/api/v1/{kind}", context.clock()
    answer = _fetch(client, url, parameters)
    if answer.cut:  # what comes in too many samples is asked again in fewer
        parameters = _parameters(query, window, _WANTED_POINTS)
        answer = _fetch(client, url, parameters)
    return _keep(
        context,
        answer,
        command=command,
        path=f"prometheus/{query.name}.json",
        shown=_shown(parameters),
        started=started,
    )


def _parameters(query: Query, window: Window, points: int) -> dict[str, str]:
    common = {"query": query.expr, "timeout": f"{_TIMEOUT_S:.0f}s"}
    if window.since is None or window.until is None:
        return common
    if window.since == window.until:
        # Without `time` the server would answer for its own now.
        return {**common, "time": f"{window.until.timestamp():.3f}"}
    return {
        **common,
        "start": f"{window.since.timestamp():.3f}",
        "end": f"{window.until.timestamp():.3f}",
        "step": f"{step_of(window, query.step_s, points=points):g}",
    }


def _plain(context: ProbeContext, name: str, path: str) -> Iterator[Capture]:
    if not context.prometheus:
        return
    with _client(context) as client:
        started = context.clock()
        yield _keep(
            context,
            _fetch(client, f"/api/v1/{name}", {}),
            command=f"{name} of {context.prometheus}",
            path=path,
            started=started,
        )


@dataclass(frozen=True)
class _Answer:
    """What the server said, or how it did not."""

    content: bytes = b""
    outcome: str = "failed"
    detail: str = ""
    cut: bool = False


def _fetch(client: httpx.Client, url: str, parameters: dict[str, str]) -> _Answer:
    begun = time.monotonic()
    try:
        with client.stream("GET", url, params=parameters) as response:
            content, cut = _body(response)
            outcome, why = _judged(response.status_code, content, cut=cut)
            return _Answer(content, outcome, why, cut)
    except httpx.TimeoutException:
        return _Answer(outcome="hung", detail=f"given up after {time.monotonic() - begun:.0f} s")
    except httpx.HTTPError as error:
        return _Answer(outcome="absent", detail=f"{client.base_url} does not answer: {error}")


def _keep(
    context: ProbeContext,
    answer: _Answer,
    *,
    command: str,
    path: str,
    started: datetime,
    shown: str = "",
) -> Capture:
    unanswered = answer.outcome in {"hung", "absent"}
    parts = (answer.detail, "" if unanswered else shown)
    return context.store(
        answer.content if answer.outcome in {"ok", "empty"} else b"",
        source="prometheus",
        path=path,
        command=command,
        target="prometheus",
        outcome=_outcome(answer.outcome),
        detail="; ".join(part for part in parts if part),
        started=started,
        truncated=answer.cut,
    )


def _shown(parameters: dict[str, str]) -> str:
    """Say what else it takes to repeat the query."""
    return " ".join(
        f"{name}={parameters[name]}"
        for name in ("time", "start", "end", "step")
        if name in parameters
    )


def _outcome(word: str) -> Outcome:
    outcomes: dict[str, Outcome] = {
        "ok": "ok",
        "empty": "empty",
        "hung": "hung",
        "denied": "denied",
        "absent": "absent",
    }
    return outcomes.get(word, "failed")


def _body(response: httpx.Response) -> tuple[bytes, bool]:
    pieces, size = [], 0
    for piece in response.iter_bytes():
        pieces.append(piece)
        size += len(piece)
        if size > _MOST_BYTES:
            return b"".join(pieces), True
    return b"".join(pieces), False


def _judged(status: int, content: bytes, *, cut: bool) -> tuple[str, str]:
    """Tell an empty answer from a refused one, and say when an answer is only partial."""
    if status in {401, 403}:
        return "denied", f"HTTP {status}: set a token that may read metrics"
    if cut:
        return "failed", f"more than {_MOST_BYTES >> 20} MiB: narrow the query or the window"
    try:
        answer = json.loads(content)
    except ValueError:
        return "failed", f"HTTP {status}: not an answer of Prometheus: {content[:80]!r}"
    if answer.get("status") != "success":
        return "failed", f"HTTP {status}: {answer.get('errorType')}: {answer.get('error')}"
    warnings = "; ".join(answer.get("warnings", []))
    partial = f"partial: {warnings}" if warnings else ""
    data = answer.get("data", {})
    empty = isinstance(data, dict) and not any(
        data.get(key) for key in ("result", "alerts", "groups")
    )
    return (
        ("empty", partial or "no such series in the window: absent, not zero")
        if empty
        else ("ok", partial)
    )
