"""What is added to a cluster, through the real kubectl: from a server that serves some of it."""

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from evals.replay.kubernetes.serving import serve
from evals.replay.kubernetes.store import Store, fill_store
from tests.integrations.deploy.rbac import permits, rules
from tests.tools.api_server import ApiServer, Refusal, served
from tools.bundle import Bundle
from tools.context import ProbeContext
from tools.evidence import Gap, ObjectState
from tools.hangs import Hangs
from tools.probes.kubernetes_extensions import GROUPS, LATER, kubernetes_extensions
from tools.request import Request
from tools.shell import Shell
from tools.workspace import Workspace

pytestmark = pytest.mark.skipif(not shutil.which("kubectl"), reason="needs kubectl")
OLM = "/apis/operators.coreos.com/v1alpha1"
KUEUE = "/apis/kueue.x-k8s.io/v1beta1/workloads"


def thing(kind: str, name: str, **status: object) -> dict[str, object]:
    return {"kind": kind, "metadata": {"name": name, "namespace": "serve"}, "status": status}


@pytest.fixture(name="api")
def _api(tmp_path: Path) -> Iterator[tuple[ApiServer, ProbeContext]]:
    """A cluster with endpoints, autoscalers, the operators' subscriptions, and Kueue."""
    lists: dict[str, list[dict[str, object]]] = {
        "/api/v1/namespaces": [{"metadata": {"name": "kube-system", "uid": "0a1b"}}],
        "/api/v1/endpoints": [thing("Endpoints", "vllm")],
        "/apis/autoscaling/v2/horizontalpodautoscalers": [
            thing("HorizontalPodAutoscaler", f"vllm-{n}") for n in range(501)
        ],
        f"{OLM}/subscriptions": [thing("Subscription", "gpu-operator")],
        f"{OLM}/clusterserviceversions": [
            thing("ClusterServiceVersion", "gpu-operator-certified.v25.3.0", phase="Failed")
        ],
        KUEUE: [thing("Workload", "job-llm-3-8f1c2")],
    }
    server = ApiServer(lists=lists)
    role = rules()

    def refuse(method: str, path: str) -> Refusal | None:
        return None if permits(role, method, path) else (403, "Forbidden", f"{path} is forbidden")

    server.refuse = refuse
    with served(server, tmp_path) as config:
        workspace = Workspace(tmp_path / "bundle")
        yield server, ProbeContext(workspace, kubeconfig=config, shell=Shell(Hangs()))


def test_what_is_served_is_read_page_by_page(api: tuple[ApiServer, ProbeContext]) -> None:
    _, context = api
    list(kubernetes_extensions(Request(), context))
    items = list(Bundle.open([context.workspace.root]).read(Request()))
    states = [each for each in items if isinstance(each, ObjectState)]
    kinds = [each.kind for each in states if each.name != "kube-system"]

    assert {kind: kinds.count(kind) for kind in kinds} == {
        "Endpoints": 1, "HorizontalPodAutoscaler": 501, "Subscription": 1, "Workload": 1,
    }  # fmt: skip
    assert [each for each in items if isinstance(each, Gap)] == [], "what is not there is no gap"


def test_a_group_that_is_not_served_is_absent_and_asked_for_once(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    """No failure, nothing denied; of the group's other lists nothing is asked."""
    server, context = api
    captures = list(kubernetes_extensions(Request(), context))
    absent = {each.target for each in captures if each.outcome == "absent"}
    asked = {urlsplit(line.split()[1]).path for line in server.asked}

    assert {each.outcome for each in captures} == {"ok", "absent"}
    assert absent == {
        "/apis/gateway.networking.k8s.io/v1/gateways", f"{OLM}/installplans",
        "/apis/olm.operatorframework.io/v1/clusterextensions",
        "/apis/scheduling.volcano.sh/v1beta1/podgroups",
    }  # fmt: skip
    assert "/apis/gateway.networking.k8s.io/v1/gatewayclasses" not in asked


def test_copies_of_an_operators_version_are_not_read(api: tuple[ApiServer, ProbeContext]) -> None:
    """Each namespace has one, with icons and examples in it."""
    server, context = api
    server.lists |= {f"{OLM}/{name}": [] for name in ("installplans", "catalogsources")}
    list(kubernetes_extensions(Request(), context))
    (url,) = [urlsplit(line.split()[1]) for line in server.asked
              if "clusterserviceversions" in line]  # fmt: skip

    assert parse_qs(url.query)["labelSelector"] == ["!olm.copiedFrom"]


def test_where_an_older_version_is_gone_the_later_is_read(
    api: tuple[ApiServer, ProbeContext],
) -> None:
    server, context = api
    server.lists[LATER[KUEUE]] = server.lists.pop(KUEUE)
    captures = {each.target: each for each in kubernetes_extensions(Request(), context)}

    assert captures[LATER[KUEUE]].outcome == "ok"
    assert KUEUE not in captures


def test_a_cluster_without_any_of_it_shows_an_autoscaler_through_kubectl(tmp_path: Path) -> None:
    """The replayed cluster serves what every cluster has, and none of the others."""
    scaler = thing("HorizontalPodAutoscaler", "vllm") | {"apiVersion": "autoscaling/v2"}
    space = {"kind": "Namespace", "metadata": {"name": "kube-system", "uid": "0a1b"}}
    store: Store = fill_store([scaler, space], {})
    with serve(store, datetime(2025, 6, 20, 2, tzinfo=UTC)) as replay:
        config = replay.kubeconfig(tmp_path / "kubeconfig")
        context = ProbeContext(Workspace(tmp_path / "live"), kubeconfig=str(config))
        captures = list(kubernetes_extensions(Request(), context))
    outcomes = {each.target: each.outcome for each in captures}

    assert {path for path, outcome in outcomes.items() if outcome == "ok"} == {
        "/api/v1/endpoints", "/apis/autoscaling/v2/horizontalpodautoscalers",
    }  # fmt: skip
    assert set(outcomes.values()) == {"ok", "absent"}
    assert len(outcomes) == len(GROUPS)
