"""The real kubectl reads a recorded cluster from the replay server."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest

from evals.model import Recording
from evals.replay.kubernetes.audit import Fault
from evals.replay.kubernetes.serving import Served, serve
from evals.replay.kubernetes.store import load_bundle

KUBECTL = shutil.which("kubectl")
NOW = datetime.fromisoformat("2025-06-20T02:27:20Z")
pytestmark = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")


@dataclass(frozen=True)
class Client:
    """kubectl with a configuration and a discovery cache of its own."""

    served: Served
    folder: Path

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        config = str(self.served.kubeconfig(self.folder / "config"))
        argv = [
            KUBECTL or "",
            "--kubeconfig",
            config,
            "--cache-dir",
            str(self.folder / "c"),
            *words,
        ]
        return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def client(
    astra: tuple[Path, Recording], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    with serve(load_bundle(astra[0]), NOW) as served:
        yield Client(served, tmp_path_factory.mktemp("kubectl"))


def test_nodes_show_as_the_server_prints_them(client: Client) -> None:
    """`get nodes -o wide` shows states, roles and addresses."""
    shown = client.run("get", "nodes", "-o", "wide").stdout
    assert shown.count("NotReady") >= 8
    assert "control-plane" in shown
    assert "containerd://1.7.27" in shown


def test_a_node_is_described_with_taint_and_events(client: Client) -> None:
    """`describe node` joins node, lease, pods and events."""
    shown = client.run("describe", "node", "astra-gpu-07").stdout
    assert "gpu-health.astra.io/unhealthy=true:NoExecute" in shown
    assert "NodeTainted" in shown


def test_selectors_and_single_names_work(client: Client) -> None:
    """A field selector narrows, a wrong one is refused, an unknown name is not found."""
    pods = client.run("get", "pods", "-n", "train", "--field-selector=status.phase=Pending")
    assert pods.stdout.count("Pending") >= 8
    assert "Running" not in pods.stdout
    assert "not supported" in client.run("get", "pods", "--field-selector=spec.x=1").stderr
    assert "NotFound" in client.run("get", "pod", "none", "-n", "train").stderr


def test_logs_are_cut_as_asked(client: Client) -> None:
    """`--tail` and `--timestamps` work; a container that never was has no previous log."""
    name = next(key for key in client.served.audit.app.routes[2].endpoint.__self__.store.logs  # type: ignore[attr-defined]  # a part of ours, looked into
                if key.startswith("train/"))  # fmt: skip
    pod = name.split("/")[1]
    shown = client.run("logs", "-n", "train", pod, "--tail=2", "--timestamps").stdout
    assert len(shown.splitlines()) == 2
    assert shown.startswith("2025-")
    assert "not found" in client.run("logs", "-n", "train", pod, "--previous").stderr


def test_nothing_can_be_changed_and_no_secret_read(client: Client) -> None:
    """A read-only user: cordon is forbidden, secrets are denied."""
    assert "forbidden" in client.run("cordon", "astra-gpu-01").stderr
    assert client.run("auth", "can-i", "get", "secrets").stdout.startswith("no")
    assert client.run("auth", "can-i", "list", "pods").stdout.strip() == "yes"


def test_pages_are_counted(client: Client) -> None:
    """A raw list with a limit carries on with a token; every request is in the audit."""
    before = len(client.served.requests)
    first = json.loads(client.run("get", "--raw", "/api/v1/pods?limit=5").stdout)
    token = first["metadata"]["continue"]
    second = json.loads(client.run("get", "--raw", f"/api/v1/pods?limit=5&continue={token}").stdout)
    names = [item["metadata"]["name"] for page in (first, second) for item in page["items"]]
    assert len(set(names)) == 10
    asked = [request.line for request in client.served.requests[before:]]
    assert "GET /api/v1/pods?limit=5" in asked
    assert all(request.size > 0 for request in client.served.requests)


def test_faults_are_injected(astra: tuple[Path, Recording], tmp_path: Path) -> None:
    """A refusal arrives as the server would send it, as often as was asked for."""
    faults = [Fault(match="GET /api/v1/nodes", code=503, reason="ServiceUnavailable", times=1)]
    with serve(load_bundle(astra[0]), NOW, faults) as served:
        kubectl = Client(served, tmp_path)
        assert kubectl.run("get", "--raw", "/api/v1/nodes").returncode != 0
        assert kubectl.run("get", "--raw", "/api/v1/nodes").returncode == 0
