"""A live look at a replayed cluster and its bundle show the same."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from evals.model import Recording
from evals.replay.kubernetes.serving import serve
from evals.replay.kubernetes.store import load_bundle
from tools.bundle import Bundle
from tools.context import ProbeContext
from tools.evidence import ObjectState
from tools.probes.kubernetes_objects import kubernetes_state, kubernetes_workloads
from tools.request import Request
from tools.workspace import Workspace

NOW = datetime.fromisoformat("2025-06-20T02:27:20Z")
KINDS = {"Node", "Pod", "Job", "PersistentVolume", "PersistentVolumeClaim"}
pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")


def _states(folder: Path) -> dict[tuple[str, str, str], object]:
    """Return what was read of each object: its uid and its status."""
    bundle = Bundle.open([folder])
    items = [item for item in bundle.read(Request()) if isinstance(item, ObjectState)]
    bundle.close()
    return {
        (item.kind, item.namespace, item.name): (item.uid, item.content.get("status"))
        for item in items
        if item.kind in KINDS
    }


def test_live_probes_and_the_bundle_agree(astra: tuple[Path, Recording], tmp_path: Path) -> None:
    """Every object comes through kubectl and the replay with the same uid and status."""
    recorded = tmp_path / "recorded"
    recorded.mkdir()
    for path in (astra[0] / "k8s").glob("*.json"):
        shutil.copy(path, recorded / path.name)
    with serve(load_bundle(astra[0]), NOW) as served:
        config = served.kubeconfig(tmp_path / "kubeconfig")
        context = ProbeContext(Workspace(tmp_path / "live"), kubeconfig=str(config))
        for probe in (kubernetes_state, kubernetes_workloads):
            list(probe(Request(), context))
    live, known = _states(tmp_path / "live"), _states(recorded)
    assert len(known) > 60
    assert live == known
