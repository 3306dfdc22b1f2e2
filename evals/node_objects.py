"""Nodes and their leases as the API server writes them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evals.model import Body, Host, write_iso
from evals.objects import write_condition, write_metadata

HEALTHY = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)
SOFTWARE: Body = {
    "kernelVersion": "5.15.0-134-generic",
    "osImage": "Ubuntu 22.04.5 LTS",
    "containerRuntimeVersion": "containerd://1.7.27",
    "kubeletVersion": "v1.32.4",
    "kubeProxyVersion": "v1.32.4",
    "operatingSystem": "linux",
    "architecture": "amd64",
}
AMOUNTS = {"cpu": "192", "memory": "2113411308Ki", "pods": "110"}
GPU = "nvidia.com/gpu"
AGE_S = 200 * 86400
"""How long before its boot a node was added to the cluster."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A node's Ready condition and since when."""

    status: str
    since: float
    reason: str = "KubeletReady"
    message: str = "kubelet is posting ready status"


def write_node(
    rng: random.Random,
    host: Host,
    *,
    at: float,
    ready: Ready,
    taints: Sequence[Body] = (),
    allocatable: int | None = None,
    unschedulable: bool = False,
    labels: Mapping[str, str] | None = None,
    extra_conditions: Sequence[Body] = (),
) -> Body:
    """Write a Node as it stood at `at`."""
    created = host.booted - AGE_S
    spec: Body = {"podCIDR": f"10.{rng.randrange(100, 250)}.{rng.randrange(250)}.0/24"}
    if taints:
        spec["taints"] = list(taints)
    if unschedulable:
        spec["unschedulable"] = True
    meta = write_metadata(rng, host.name, created)
    meta["labels"] = _labels(host, labels or {})
    info: Body = {"machineID": host.machine_id, "bootID": host.boot_id, **SOFTWARE}
    count = len(host.gpus)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta,
        "spec": spec,
        "status": {
            "capacity": _amounts(count, count),
            "allocatable": _amounts(count, count if allocatable is None else allocatable),
            "conditions": [*_conditions(created, ready, at), *extra_conditions],
            "addresses": [
                {"type": "InternalIP", "address": host.address},
                {"type": "Hostname", "address": host.name},
            ],
            "nodeInfo": info,
        },
    }


def _labels(host: Host, more: Mapping[str, str]) -> dict[str, str]:
    found = {"kubernetes.io/hostname": host.name, "kubernetes.io/os": "linux", **more}
    if host.gpus:
        found |= {f"{GPU}.product": "NVIDIA-H100-80GB-HBM3", f"{GPU}.count": str(len(host.gpus))}
    return found


def _amounts(gpus: int, offered: int) -> dict[str, str]:
    return {**AMOUNTS, GPU: str(offered)} if gpus else dict(AMOUNTS)


def _conditions(created: float, ready: Ready, at: float) -> list[Body]:
    found = [
        write_condition(kind, "False", (reason, message), created, at)
        for kind, reason, message in HEALTHY
    ]
    words = (ready.reason, ready.message)
    return [*found, write_condition("Ready", ready.status, words, ready.since, at)]


def write_lease(rng: random.Random, host: Host, renewed: float) -> Body:
    """Write a node's heartbeat lease."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": write_metadata(rng, host.name, host.booted, "kube-node-lease"),
        "spec": {
            "holderIdentity": host.name,
            "leaseDurationSeconds": 40,
            "renewTime": write_iso(renewed, digits=6),
        },
    }
