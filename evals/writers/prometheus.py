"""Query results as a real Prometheus answers them, stored so that a bundle needs no server."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from evals.model import Recording
from evals.replay.prometheus import create_blocks, serve
from evals.writers.openmetrics import render
from knowledge.catalog import Catalog

STEP_S = 30
Query = tuple[str, str]
"""Name and expression."""
EVERYDAY: tuple[Query, ...] = (
    ("gpu-temperature", "DCGM_FI_DEV_GPU_TEMP"),
    ("gpu-power", "DCGM_FI_DEV_POWER_USAGE"),
    ("xid-changes", "changes(DCGM_FI_DEV_XID_ERRORS[15m])"),
    ("clock-offset", "abs(node_timex_offset_seconds)"),
    ("node-ready", 'kube_node_status_condition{condition="Ready",status="true"}'),
    ("nfs-retransmissions", "rate(node_nfs_rpc_retransmissions_total[5m])"),
)
"""What a dashboard asks anyhow, beside what the handbook's pages name."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One stored query result."""

    name: str
    expr: str
    body: bytes


def list_queries(catalog: Catalog) -> tuple[Query, ...]:
    """Return the handbook's named queries, and the everyday ones that it does not ask."""
    named = [(name, expr) for name, expr in catalog.queries()]
    asked = {expr for _, expr in named}
    return (*named, *(query for query in EVERYDAY if query[1] not in asked))


def answer_queries(recording: Recording, wanted: Sequence[Query]) -> Iterator[Answer]:
    """Ask a real Prometheus over the recording's samples."""
    with tempfile.TemporaryDirectory(prefix="firstfault-prom-") as folder:
        scratch = Path(folder)
        text = scratch / "metrics.om"
        text.write_text(render(recording.metrics))
        create_blocks(text, scratch / "data")
        with (
            serve(scratch / "data", scratch) as url,
            httpx.Client(base_url=url, timeout=60.0) as client,
        ):
            for name, expr in wanted:
                response = client.get(
                    "/api/v1/query_range",
                    params={
                        "query": expr,
                        "start": f"{recording.since:.0f}",
                        "end": f"{recording.until:.0f}",
                        "step": str(STEP_S),
                    },
                )
                yield Answer(name, expr, _compact(response.content))


def _compact(body: bytes) -> bytes:
    return json.dumps(json.loads(body), separators=(",", ":")).encode()
