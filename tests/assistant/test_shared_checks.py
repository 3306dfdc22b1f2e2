"""The doctor asks the real kubectl, and names each thing that would fail with the cluster."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.check import Check, Patient
from assistant.doctor import examine
from assistant.settings import Settings
from assistant.shared_checks import check_own_node, check_shared_mounts
from evals.replay.kubernetes.serving import Served, serve
from evals.replay.kubernetes.store import Json, fill_store
from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.shell import Shell
from tools.workspace import Workspace

pytestmark = pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not installed")
LOCAL = "/dev/vda / ext4 rw 0 0\n"
SHARED = "10.0.0.10:/data /data nfs4 rw 0 0\n10.9.9.9:/home /home nfs4 rw 0 0\n"


def thing(kind: str, name: str, **more: object) -> Json:
    return {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "uid": "0a1b"}, **more}


@pytest.fixture(scope="module", name="served")
def _served() -> Iterator[Served]:
    items = [
        thing("Namespace", "kube-system"),
        thing("Node", "astra-gpu-07.example"),
        thing("PersistentVolume", "data", spec={"nfs": {"server": "10.0.0.10", "path": "/data"}}),
        thing(
            "PersistentVolume", "csi", spec={"csi": {"volumeAttributes": {"server": "10.0.0.11"}}}
        ),
        thing("PersistentVolume", "local", spec={"hostPath": {"path": "/x"}}),
    ]
    with serve(fill_store(items, {}), datetime.now(UTC)) as served:
        yield served


def patient(
    served: Served, folder: Path, *, host: str = "desk", mounts: str = LOCAL, **settings: str
) -> Patient:
    table, resolver = folder / "mounts", folder / "resolv.conf"
    table.write_text(mounts)
    resolver.write_text("nameserver 192.0.2.1\n")
    config = served.kubeconfig(folder / "config", "astra")
    context = ProbeContext(
        Workspace(folder / "work"), host=host, kubeconfig=str(config), shell=Shell(Hangs())
    )
    asked = Settings.model_validate({"kubeconfig": str(config), **settings})
    return Patient(context, asked, folder / "data", {"HOME": "/root"}, resolver, table)


def by_name(checks: Iterator[Check]) -> dict[str, Check]:
    return {check.name: check for check in checks}


def test_a_place_outside_has_all_it_needs_and_shares_nothing(
    served: Served, tmp_path: Path
) -> None:
    """The server is named with its cluster; rights are enough and not too many."""
    before = len(served.requests)
    checks = by_name(examine(patient(served, tmp_path)))

    assert checks["kubernetes"].detail.startswith("v1.32.4, context astra, cluster 0a1b")
    assert checks["permissions"].state == "ok"
    assert "permissions: too much" not in checks
    own = [checks[name].state for name in ("own node", "shared mount", "place", "name resolution")]
    assert own == ["ok"] * 4
    changing = ("POST", "PUT", "PATCH", "DELETE")
    written = [each.line for each in served.requests[before:] if each.line.startswith(changing)]
    assert all("/selfsubject" in line for line in written)


def test_each_dependency_on_the_cluster_is_named_with_what_to_do(
    served: Served, tmp_path: Path
) -> None:
    """A node of the cluster, as a pod, with its DNS, storage, metrics and model inside."""
    sick = patient(
        served,
        tmp_path,
        host="astra-gpu-07",
        mounts=LOCAL + SHARED + f"10.0.0.10:/data {tmp_path} nfs4 rw 0 0\n",
        prometheus_url="http://prometheus.monitoring.svc:9090",
        model="llm",
        model_base_url="http://10.96.3.4/v1",
        database_url="postgresql://user@db.firstfault.svc.cluster.local/x",
    )
    sick.resolver.write_text("nameserver 10.96.0.10\n")
    inside = Patient(
        sick.context,
        sick.settings,
        sick.data_dir,
        {"HOME": "/home/me", "KUBERNETES_SERVICE_HOST": "10.96.0.1"},
        sick.resolver,
        sick.mounts,
    )
    found = [check for check in examine(inside) if check.state in {"warn", "fail"}]
    named = {check.name for check in found}

    assert named >= {
        "own node", "shared mount", "place", "name resolution", "data directory", "kubeconfig",
        "home folder", "prometheus depends on the cluster", "model depends on the cluster",
        "database depends on the cluster",
    }  # fmt: skip
    assert all(check.mend for check in found)
    (shared, other) = [check for check in found if check.name == "shared mount"]
    assert "/data lies on 10.0.0.10" in shared.detail
    assert str(tmp_path) in other.detail


def test_only_a_server_of_the_clusters_volumes_is_shared(served: Served, tmp_path: Path) -> None:
    """A home directory from elsewhere may hang too, but not with the cluster."""
    (check,) = check_shared_mounts(patient(served, tmp_path, mounts=LOCAL + SHARED))
    assert check.state == "warn"
    assert "10.9.9.9" not in check.detail


def test_a_server_that_does_not_answer_leaves_both_open(served: Served, tmp_path: Path) -> None:
    """What could not be asked is not called well."""
    lost = patient(served, tmp_path)
    lost.context.kubeconfig = str(tmp_path / "none")
    for examination in (check_own_node, check_shared_mounts):
        (check,) = examination(lost)
        assert check.state == "absent"
        assert "could not be listed" in check.detail
