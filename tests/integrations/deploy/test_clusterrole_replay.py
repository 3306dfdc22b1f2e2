# ruff: noqa: E501  (objects stand on one line)
"""The shipped ClusterRole in force before the replay API server, asked by the real kubectl."""

import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from evals.replay.kubernetes.audit import Fault
from evals.replay.kubernetes.serving import Served, serve
from evals.replay.kubernetes.store import fill_store
from tests.integrations.deploy.rbac import Rule, rules
from tests.integrations.deploy.test_clusterrole import FORBIDDEN
from tools.collecting import collect
from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.request import Request
from tools.shell import Shell
from tools.transport.local import Cluster
from tools.workspace import Workspace

NOW = datetime(2025, 6, 20, 4, tzinfo=UTC)
STAMP = "2025-06-20T03:00:00Z"
ALWAYS = (
    r"GET /api(?:/v1)?/?(?:\?.*)?$", r"GET /apis(?:/[^/?]+(?:/[^/?]+)?)?/?(?:\?.*)?$", r"GET /openapi/",
    r"POST /apis/auth[a-z]+\.k8s\.io/v1/selfsubject[a-z]+reviews",
)  # fmt: skip
"""What Kubernetes lets everyone do: discovery, and asking what one may do."""


def permitted(role: list[Rule]) -> str:
    """Write a role as one pattern over ``METHOD /path?query``."""
    patterns = list(ALWAYS)
    for rule in role:
        patterns += [f"GET {re.escape(url)}(?:\\?.*)?$" for url in rule.get("nonResourceURLs", [])]
        for group in rule.get("apiGroups", []):
            base = f"/apis/{re.escape(group)}/[^/?]+" if group else "/api/v1"
            for resource in rule["resources"]:
                patterns += _requests(base, resource, rule["verbs"])
    return "|".join(patterns)


def _requests(base: str, resource: str, verbs: list[str]) -> list[str]:
    name, _, sub = resource.partition("/")
    place, tail = f"GET {base}(?:/namespaces/[^/?]+)?/{name}", f"/{sub}" if sub else ""
    listed = [f"{place}(?:\\?.*)?$"] if "list" in verbs else []
    return [*listed, f"{place}/[^/?]+{tail}(?:\\?.*)?$"]


@pytest.fixture(name="replay", scope="module")
def _replay() -> Iterator[Served]:
    def meta(name: str, **more: object) -> dict[str, object]:
        return {"name": name, "uid": f"uid-{name}", "creationTimestamp": STAMP, **more}

    condition = {
        "type": "Ready",
        "status": "Unknown",
        "reason": "NodeStatusUnknown",
        "message": "gone",
        "lastHeartbeatTime": STAMP,
        "lastTransitionTime": STAMP,
    }
    status = {
        "name": "c",
        "restartCount": 1,
        "ready": False,
        "image": "x",
        "imageID": "x",
        "lastState": {
            "terminated": {
                "exitCode": 137,
                "reason": "OOMKilled",
                "startedAt": STAMP,
                "finishedAt": STAMP,
            }
        },
        "state": {},
    }
    items: list[dict[str, object]] = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": meta("kube-system"), "status": {"phase": "Active"}},
        {"apiVersion": "v1", "kind": "Node", "metadata": meta("n1"), "spec": {}, "status": {"conditions": [condition], "addresses": [], "nodeInfo": {"kubeletVersion": "v1"}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": meta("p", namespace="train"), "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "x"}]}, "status": {"phase": "Running", "containerStatuses": [status]}},
    ]  # fmt: skip
    logs = {"train/p/c": f"{STAMP} again\n", "train/p/c.previous": f"{STAMP} killed\n"}
    gate = Fault(match=f"^(?!{permitted(rules())})", code=403, reason="Forbidden")
    with serve(fill_store(items, logs), NOW, [gate]) as served:
        yield served


@pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")
def test_all_cluster_probes_work_under_it(replay: Served, tmp_path: Path) -> None:
    config = replay.kubeconfig(tmp_path / "config", context="astra")
    context = ProbeContext(
        Workspace(tmp_path / "bundle"), kubeconfig=str(config), shell=Shell(Hangs())
    )
    collect(Request(), context, transports=[Cluster()], deadline_s=60)
    captures = {capture.path: capture for capture in context.workspace.captures()}

    assert not [each.command for each in captures.values() if each.outcome == "denied"]
    assert context.cluster == "astra/uid-kube-system"
    assert {
        "k8s/events.json", "k8s/nodes.json", "k8s/pods.json", "k8s/leases.json", "k8s/logs/train/p/c.previous.log",
        "k8s/describe/node/n1.txt", "k8s/describe/pod/train/p.txt", "k8s/persistentvolumes.json",
    } <= set(captures)  # fmt: skip
    assert "Kubelet" in (context.workspace.root / "k8s/describe/node/n1.txt").read_text()
    assert "killed" in (context.workspace.root / "k8s/logs/train/p/c.previous.log").read_text()
    assert not [each.line for each in replay.requests if each.code == 403]
    assert {each.line.split()[0] for each in replay.requests} == {"GET"}


@pytest.mark.parametrize("line", FORBIDDEN)
def test_the_server_refuses_all_else(replay: Served, line: str) -> None:
    method, path = line.split()

    assert httpx.request(method, replay.url + path).status_code == 403
