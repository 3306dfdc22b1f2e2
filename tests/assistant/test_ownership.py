"""Which job a pod is of, and whose roll-out made it."""

import pytest

from assistant.ownership import job_of, learn_owners, rendezvous_of
from assistant.topology import Ties, Topology
from tests.assistant.items import thing
from tools.evidence import ObjectState


def _owned(kind: str, name: str, by: str, owner: str, **labels: str) -> ObjectState:
    meta = {"ownerReferences": [{"kind": by, "name": owner}], "labels": labels}
    return thing(kind, name, {"metadata": meta}, namespace="serving")


def _services(*states: ObjectState) -> frozenset[str]:
    ties = Ties()
    for state in states:
        learn_owners(ties, state)
    topology: Topology = ties.settle()
    return frozenset(a.id for a in topology.closure("pod", "serving/p") if a.kind == "service")


def test_a_pod_is_of_its_replica_sets_deployment() -> None:
    """The set's own owner tells it, or the hash that the deployment put into both names."""
    pod = _owned("Pod", "p", "ReplicaSet", "infer-7f")
    replicas = _owned("ReplicaSet", "infer-7f", "Deployment", "infer")
    assert _services(pod, replicas) == {"serving/infer"}
    hashed = _owned("Pod", "p", "ReplicaSet", "infer-7f", **{"pod-template-hash": "7f"})
    assert _services(hashed) == {"serving/infer"}
    assert _services(pod) == {"serving/infer-7f"}


def test_sets_without_a_deployment_are_services_themselves() -> None:
    """And what is no set makes no service of its pods."""
    assert _services(_owned("Pod", "p", "DaemonSet", "driver")) == {"serving/driver"}
    assert _services(_owned("Pod", "p", "Job", "train")) == frozenset()
    assert job_of(_owned("Pod", "p", "Job", "train")) == "serving/train"


@pytest.mark.parametrize(
    ("container", "job"),
    [
        ({"env": [{"name": "MASTER_ADDR", "value": "llm-0.llm.serving.svc"}]}, "serving/llm-0"),
        ({"env": [{"name": "PET_RDZV_ENDPOINT", "value": "10.0.0.7:29500"}]}, "serving/10.0.0.7"),
        ({"args": ["--nnodes=4", "--rdzv_endpoint=llm-0:29500", "t.py"]}, "serving/llm-0"),
        ({"command": ["bash", "-c", "torchrun --master-addr llm-0 t.py"]}, "serving/llm-0"),
        ({"args": ["--rdzv_endpoint=localhost:0", "t.py"]}, ""),
        ({"args": ["--master_addr=$(MASTER_ADDR)"], "env": [{"name": "MASTER_ADDR"}]}, ""),
    ],
    ids=["environment", "address", "option", "shell", "alone", "not told"],
)
def test_pods_that_meet_at_one_address_are_of_one_job(
    container: dict[str, object], job: str
) -> None:
    """Whatever made them; one that meets only itself is of none."""
    pod = thing("Pod", "llm-3", {"spec": {"containers": [container]}}, namespace="serving")
    assert rendezvous_of(pod) == job
