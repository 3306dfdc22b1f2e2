# ruff: noqa: E501  (objects stand on one line)
"""A cluster through the real kubectl: paged, within a budget, with the shipped rights."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from tests.integrations.deploy.rbac import permits, rules
from tests.tools.api_server import ApiServer, Refusal, served
from tools.budget import Budget
from tools.collecting import collect
from tools.context import ProbeContext
from tools.evidence import Window
from tools.hangs import Hangs
from tools.kube import PAGE, Brief, Kube
from tools.probes.kubernetes_events import kubernetes_events
from tools.probes.kubernetes_logs import chosen_nodes, chosen_pods, kubernetes_logs, working_pods
from tools.probes.kubernetes_objects import kubernetes_state
from tools.request import Request
from tools.shell import Shell
from tools.transport.local import Cluster
from tools.workspace import Workspace

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")
CRASHED = {
    "name": "c",
    "restartCount": 2,
    "ready": False,
    "lastState": {"terminated": {"exitCode": 137}},
}
FINE = {"name": "c", "restartCount": 0, "ready": True, "state": {"running": {}}}


def pod(name: str, status: dict[str, object], **labels: str) -> dict[str, object]:
    return {
        "metadata": {"name": name, "namespace": "train", "uid": f"uid-{name}", "labels": labels},
        "spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "x"}]},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def asked(server: ApiServer) -> list[tuple[str, dict[str, list[str]]]]:
    """What was asked, without kubectl's own timeout and greeting."""
    urls = [urlsplit(line.split()[1]) for line in server.asked]
    queries = [(url.path, parse_qs(url.query)) for url in urls if url.path != "/version"]
    return [
        (path, {name: each for name, each in query.items() if name != "timeout"})
        for path, query in queries
    ]


@pytest.fixture(name="api")
def _api(tmp_path: Path) -> Iterator[tuple[ApiServer, ProbeContext]]:
    server = ApiServer(
        lists={
            "/api/v1/namespaces": [{"metadata": {"name": "kube-system", "uid": "0a1b"}}],
            "/api/v1/events": [{"metadata": {"name": f"e{n}", "namespace": "train"}, "message": f"token=abcdef{n}x"} for n in range(3)],
            "/api/v1/nodes": [{"metadata": {"name": "n1"}, "status": {}, "spec": {}}],
            "/api/v1/pods": [pod(f"p{n}", FINE) for n in range(2 * PAGE + 1)] + [pod("bad", CRASHED)],
        },
        logs={"train/bad/c": "2025-06-20T02:00:01Z up again\n", "train/bad/c/previous": "2025-06-20T02:00:00Z killed\n"},
    )  # fmt: skip
    with served(server, tmp_path) as config:
        yield (
            server,
            ProbeContext(Workspace(tmp_path / "bundle"), kubeconfig=config, shell=Shell(Hangs())),
        )


def test_the_cluster_is_named_by_context_and_uid(api: tuple[ApiServer, ProbeContext]) -> None:
    _, context = api
    captures = list(kubernetes_events(Request(), context))

    assert context.cluster == "astra/0a1b"
    assert captures[-1].cluster == "astra/0a1b"
    assert "--context=astra" in captures[-1].command


def test_lists_are_read_in_pages_from_the_watch_cache(api: tuple[ApiServer, ProbeContext]) -> None:
    server, context = api
    captures = list(Kube(context).pages("/api/v1/pods", "pods"))
    names = [
        item["metadata"]["name"]
        for capture in captures
        for item in json.loads((context.workspace.root / capture.path).read_text())["items"]
    ]

    assert [capture.path for capture in captures] == [
        "k8s/pods.json",
        "k8s/pods-0002.json",
        "k8s/pods-0003.json",
    ]
    assert len(set(names)) == 2 * PAGE + 2
    assert asked(server) == [
        ("/api/v1/pods", {"limit": ["500"], "resourceVersion": ["0"]}),
        ("/api/v1/pods", {"limit": ["500"], "continue": ["500"]}),
        ("/api/v1/pods", {"limit": ["500"], "continue": ["1000"]}),
    ]
    assert (context.budget.requests, context.budget.bytes > 100_000) == (3, True)


def test_logs_of_the_unwell_are_read_with_those_before_the_restart(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    _, context = api
    captures = list(
        kubernetes_logs(Request(window=Window(since=datetime(2025, 6, 20, 1, tzinfo=UTC))), context)
    )
    texts = {each.path: (context.workspace.root / each.path).read_text() for each in captures}

    assert texts == {
        "k8s/logs/train/bad/c.previous.log": "2025-06-20T02:00:00Z killed\n",
        "k8s/logs/train/bad/c.log": "2025-06-20T02:00:01Z up again\n",
    }
    assert {each.target for each in captures} == {"train/bad"}
    assert all("--since-time=2025-06-20T01:00:00Z" in each.command for each in captures)


def test_of_a_long_log_the_newest_lines_are_asked_and_that_is_said(
    api: tuple[ApiServer, ProbeContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, context = api
    monkeypatch.setattr("tools.probes.kubernetes_logs._LOG_LINES", 3)
    server.logs["train/bad/c"] = "2025-06-20T02:00:01Z a line\n" * 3
    before, after = kubernetes_logs(Request(), context)

    assert (before.truncated, after.truncated) == (False, True)
    assert "--tail=3" in after.command


def test_what_is_refused_is_denied_and_the_rest_goes_on(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    server, context = api

    def refuse(_method: str, path: str) -> Refusal | None:
        message = 'nodes is forbidden: User "x" cannot list resource "nodes" in API group "" at the cluster scope'
        return (403, "Forbidden", message) if path == "/api/v1/nodes" else None

    server.refuse = refuse
    outcomes = {capture.target: capture.outcome for capture in kubernetes_state(Request(), context)}

    assert outcomes["/api/v1/nodes"] == "denied"
    assert outcomes["/api/v1/pods"] == "ok"


def test_a_server_that_is_gone_is_asked_once(tmp_path: Path) -> None:
    (tmp_path / "config").write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "a",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:9"}}],
        "contexts": [{"name": "a", "context": {"cluster": "c", "user": ""}}],
    }))  # fmt: skip
    context = ProbeContext(
        Workspace(tmp_path / "out"), kubeconfig=str(tmp_path / "config"), shell=Shell(Hangs())
    )
    captures = list(kubernetes_events(Request(), context))

    assert [capture.outcome for capture in captures] == ["absent"]


def test_a_server_that_refuses_for_overload_is_left_alone_for_a_while(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    server, context = api
    slept: list[float] = []
    context.budget = Budget(sleep=slept.append)
    server.refuse = lambda _method, path: (
        (429, "TooManyRequests", "slow down") if path.endswith("leases") else None
    )
    outcomes = {capture.target: capture.outcome for capture in kubernetes_state(Request(), context)}

    assert outcomes["/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"] == "failed"
    assert outcomes["/api/v1/nodes"] == "ok"
    assert slept[0] >= 0.5
    assert context.budget.refused == 1


def test_the_budget_ends_the_asking_and_that_is_said(api: tuple[ApiServer, ProbeContext]) -> None:
    server, context = api
    context.budget = Budget(requests=2)
    captures = list(Kube(context).pages("/api/v1/pods", "pods"))

    assert [capture.outcome for capture in captures] == ["ok", "ok", "failed"]
    assert "budget is spent" in captures[-1].detail
    assert len(asked(server)) == 2


def test_with_the_shipped_role_all_of_it_works_and_nothing_more_is_asked(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    server, context = api
    role = rules()

    def refuse(method: str, path: str) -> Refusal | None:
        return None if permits(role, method, path) else (403, "Forbidden", f"{path} is forbidden")

    server.refuse = refuse
    collect(Request(), context, transports=[Cluster()], deadline_s=40)
    captures = list(context.workspace.captures())

    assert not [capture for capture in captures if capture.outcome == "denied"]
    assert {asked.split()[0] for asked in server.asked} == {"GET"}
    assert not [asked for asked in server.asked if "secret" in asked or "proxy" in asked]
    assert "token=<masked>" in (context.workspace.root / "k8s/events.json").read_text()


def brief(**fields: object) -> Brief:
    return msgspec.convert(fields, Brief)


def test_pods_asked_for_come_first_then_the_worst() -> None:
    pods = [
        brief(metadata={"name": "fine", "namespace": "a"}, status={"phase": "Running"}),
        brief(metadata={"name": "restarted", "namespace": "a"}, status={"phase": "Running", "containerStatuses": [{"name": "c", "restartCount": 1}]}),
        brief(metadata={"name": "failed", "namespace": "a"}, status={"phase": "Failed"}),
        brief(metadata={"name": "asked", "namespace": "a"}, status={"phase": "Running"}),
        brief(metadata={"name": "ranked", "namespace": "a", "labels": {"job-name": "j1"}}, status={"phase": "Running"}),
    ]  # fmt: skip
    chosen = chosen_pods(pods, Request(pods=("a/asked",), job="a/j1"))

    assert [each.metadata.name for each in chosen] == ["asked", "ranked", "failed", "restarted"]


def test_of_hundreds_that_failed_the_odd_one_and_the_first_are_read_before_the_others() -> None:
    def failed(name: str, code: int, at: str) -> Brief:
        ended = {"exitCode": code, "reason": "Error", "finishedAt": f"2025-06-20T{at}Z"}
        return brief(
            metadata={"name": name, "namespace": "a"},
            status={
                "phase": "Failed",
                "containerStatuses": [{"name": "c", "state": {"terminated": ended}}],
            },
        )

    pods = [failed(f"p{n:03d}", 1, f"02:41:{n % 60:02d}") for n in range(1, 300)]
    pods += [failed("first", 1, "02:40:00"), failed("odd", 134, "02:45:00")]

    chosen = [each.metadata.name for each in chosen_pods(pods, Request())]
    assert chosen[:2] == ["odd", "first"]


def test_a_pod_that_was_told_to_end_and_still_runs_is_unwell() -> None:
    pods = [
        brief(metadata={"name": "fine"}, status={"phase": "Running"}),
        brief(
            metadata={"name": "stuck", "deletionTimestamp": "2025-06-20T02:30:00Z"},
            status={"phase": "Running"},
        ),
    ]

    assert [each.metadata.name for each in chosen_pods(pods, Request())] == ["stuck"]


def test_of_what_runs_jobs_are_read_one_pod_of_each_first() -> None:
    def pod(name: str, kind: str, owner: str, phase: str = "Running") -> Brief:
        owners = [{"kind": kind, "name": owner}]
        return brief(
            metadata={"name": name, "namespace": "a", "ownerReferences": owners},
            status={"phase": phase},
        )

    pods = [
        pod("x-0", "Job", "x"), pod("x-1", "Job", "x"), pod("web", "ReplicaSet", "web"),
        pod("y-0", "PyTorchJob", "y"), pod("y-1", "PyTorchJob", "y", "Succeeded"),
    ]  # fmt: skip

    assert [each.metadata.name for each in working_pods(pods)] == ["x-0", "y-0", "x-1"]


def test_nodes_asked_for_tainted_cordoned_or_not_ready_are_chosen() -> None:
    nodes = [
        brief(
            metadata={"name": "fine"}, status={"conditions": [{"type": "Ready", "status": "True"}]}
        ),
        brief(
            metadata={"name": "down"},
            status={"conditions": [{"type": "Ready", "status": "Unknown"}]},
        ),
        brief(metadata={"name": "cordoned"}, spec={"unschedulable": True}),
        brief(metadata={"name": "tainted"}, spec={"taints": [{"key": "x"}]}),
        brief(metadata={"name": "asked"}),
    ]

    assert [each.metadata.name for each in chosen_nodes(nodes, Request(nodes=("asked",)))] == [
        "down", "cordoned", "tainted", "asked",
    ]  # fmt: skip
