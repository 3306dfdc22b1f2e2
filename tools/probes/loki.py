"""Loki: the lines of the window that the handbook knows, from wherever a collector sent them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from urllib.parse import quote

import httpx

from tools.capture import Capture
from tools.context import ProbeContext
from tools.error_levels import IN_MESSAGES, KLOG
from tools.evidence import Outcome, Window
from tools.loki_client import Found, Loki, Said
from tools.probes.journal import escaped
from tools.probes.prometheus import asked_window
from tools.registry import probe
from tools.request import Request

_LONGEST_PATTERN = 3_000
"""Of one query in a URL, quoted: proxies refuse lines longer than 8 KiB."""
_MOST_PAGES = 8
_MOST_BYTES = 32 << 20
"""Of one query."""
_COMMON = (
    "service_name", "job", "namespace", "host", "hostname", "node_name", "node", "nodename", "app",
    "container", "unit", "systemd_unit", "filename",
)  # fmt: skip
"""Labels that most streams have, the commonest first."""
_HOSTS = ("host", "hostname", "node_name", "node", "nodename", "instance")
_ALARMING = "(?i)(error|fail|fatal|panic|critical)"


@probe(source="loki", reach="logs", volatility=5)
def loki(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the lines of the window that hold what the handbook knows, newest first.

    The literals are pushed down as patterns, a few hundred a query; a host that is asked for is
    asked first, then all others. Pages of 5,000 lines, at most eight a query; slower when the
    server says that it is busy. Cannot see lines without a literal, so that it rules nothing out,
    nor streams without the label asked by (the query shows it; FIRSTFAULT_LOKI_SELECTOR sets it),
    nor what is older than the server's retention or newer than the collector's delay.
    """
    if not context.loki:
        return
    window = asked_window(request, context.clock())
    with _client(context) as client:
        server = Loki(client, context.loki_token, context.left_s)
        started = context.clock()
        said, labels = server.labels(*_bounds(window))
        if not labels:
            yield _nothing(context, said, started)
            return
        for number, query in enumerate(queries(request, labels, context.loki_selector), 1):
            capture = _ask(server, context, query, window, f"loki/lines-{number}.json")
            yield capture
            if capture.outcome not in {"ok", "empty"} or context.workspace.full:
                return


def queries(request: Request, labels: Sequence[str], selector: str = "") -> list[str]:
    """Write the queries: each selector with each pattern that fits into a URL."""
    filters = [f"|~ {_quoted(pattern)}" for pattern in _patterns(request)]
    return [f"{each} {part}" for each in selectors(request, labels, selector) for part in filters]


def selectors(request: Request, labels: Sequence[str], selector: str = "") -> list[str]:
    """Choose streams by the labels that there are: of the hosts asked for, then all others."""
    if selector:
        return [selector]
    common = next((label for label in _COMMON if label in labels), "")
    common = common or next(iter(sorted(labels)), "")
    host = next((label for label in _HOSTS if label in labels), "")
    if not common:
        return []
    if not (host and request.nodes):
        return [f'{{{common}=~".+"}}']
    named = _quoted(f"({'|'.join(map(escaped, request.nodes))})([.:].*)?")
    return [f"{{{host}=~{named}}}", f'{{{common}=~".+",{host}!~{named}}}']


def _patterns(request: Request) -> list[str]:
    """Join what the lines must hold to alternations that fit into a URL."""
    literals = (*request.literals, *(IN_MESSAGES if request.errors else ()))
    wanted = sorted({escaped(each) for each in literals if each and "\n" not in each})
    wanted += [KLOG] if request.errors else []
    parts: list[str] = []
    length = 0
    for each in wanted:
        size = len(quote(_quoted(each))) + 3
        if not parts or length + size > _LONGEST_PATTERN:
            parts.append(each)
            length = size
        else:
            parts[-1] += f"|{each}"
            length += size
    return parts or [_ALARMING]


def _quoted(text: str) -> str:
    """Write a string as LogQL reads it."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'


def _client(context: ProbeContext) -> httpx.Client:
    headers = {}
    if context.loki_token:
        headers["Authorization"] = f"Bearer {context.loki_token}"
    if context.loki_tenant:
        headers["X-Scope-OrgID"] = context.loki_tenant
    return httpx.Client(base_url=context.loki, headers=headers)


def _bounds(window: Window) -> tuple[int, int]:
    """Give the window in nanoseconds; `asked_window` leaves no end open."""
    since, until = (edge.timestamp() if edge else 0.0 for edge in (window.since, window.until))
    return int(since) * 10**9, (int(until) + 1) * 10**9


def _nothing(context: ProbeContext, said: Said, started: datetime) -> Capture:
    """Say that there was nobody to ask, or nothing to ask for."""
    empty = said.outcome == "ok"
    return context.store(
        b"",
        source="loki",
        path="",
        command="labels",
        target="loki",
        outcome="empty" if empty else said.outcome,
        detail="no stream in the window: past its retention?" if empty else said.detail,
        started=started,
    )


def _ask(server: Loki, context: ProbeContext, query: str, window: Window, path: str) -> Capture:
    command = f"query_range {query}"
    if earlier := context.workspace.finished("loki", command, "loki"):
        return earlier
    started = context.clock()
    start, end = _bounds(window)
    found = server.lines(query, start, end, pages=_MOST_PAGES, most_bytes=_MOST_BYTES)
    return context.store(
        found.document(),
        source="loki",
        path=path,
        command=command,
        target="loki",
        outcome=_outcome(found),
        detail="; ".join(part for part in (found.detail, _shown(start, end, server.limit)) if part),
        started=started,
        truncated=found.cut,
    )


def _outcome(found: Found) -> Outcome:
    """Keep what came before an error as what it is: evidence, cut short."""
    if found.outcome != "ok":
        return "ok" if found.streams else found.outcome
    return "ok" if found.size else "empty"


def _shown(start: int, end: int, limit: int) -> str:
    """Say what else it takes to repeat the query."""
    return f"start={start} end={end} limit={limit} direction=backward"
