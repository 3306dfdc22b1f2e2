"""How cost grows with the cluster: seconds for a bundle, requests and bytes for a live look."""

import time
from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from evals.bench.measure import Figure, Figures
from evals.model import Recording
from evals.replay.kubernetes.serving import serve
from evals.replay.kubernetes.store import load_bundle
from evals.scenarios.astra_storage_failover.spec import record
from evals.writers import bundle
from knowledge.catalog import Catalog
from tools.context import ProbeContext
from tools.probes.kubernetes_objects import kubernetes_state, kubernetes_workloads
from tools.request import Request
from tools.workspace import Workspace

SIZES = (30, 300, 3000)
THIN = 0.002
SLACK = 1.15
"""Linear growth plus what caches and a busy machine take away."""


def measure(catalog: Catalog, scratch: Path) -> Figures:
    """Measure each size and compare the growth of cost with that of the cluster."""
    seconds: dict[int, float] = {}
    requests: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for count in SIZES:
        folder = scratch / f"nodes-{count}"
        recording = record(1, THIN, count=count)
        _slim(recording)
        bundle.write(recording, folder)
        begun = time.perf_counter()
        investigate([folder], Incident(), catalog)
        seconds[count] = time.perf_counter() - begun
        requests[count], sizes[count] = _ask(folder, scratch / f"live-{count}")
    first, last = SIZES[0], SIZES[-1]
    growth = last / first
    return {
        "nodes-seconds-growth": Figure(
            seconds[last] / seconds[first] / growth, "ratio", SLACK,
            f"{seconds[first]:.2f} s at {first} nodes, {seconds[last]:.2f} s at {last}",
        ),
        "nodes-requests-growth": Figure(
            requests[last] / requests[first] / growth, "ratio", SLACK,
            f"API requests: {requests}",
        ),
        "nodes-bytes-growth": Figure(
            sizes[last] / sizes[first] / growth, "ratio", SLACK, f"API bytes: {sizes}"
        ),
    }  # fmt: skip


def _slim(recording: Recording) -> None:
    """Leave out what is as large for each node and of no interest here."""
    recording.metrics.clear()
    recording.nvml.clear()
    recording.commands[:] = [c for c in recording.commands if c.name != "nvidia-smi-q"]


def _ask(folder: Path, workspace: Path) -> tuple[int, int]:
    """Let the live probes read the replayed cluster; return requests and bytes."""
    with serve(load_bundle(folder), datetime.now(UTC)) as served:
        workspace.mkdir()
        config = served.kubeconfig(workspace / "kubeconfig")
        context = ProbeContext(Workspace(workspace / "out"), kubeconfig=str(config))
        for probe in (kubernetes_state, kubernetes_workloads):
            list(probe(Request(), context))
        return len(served.requests), sum(request.size for request in served.requests)
