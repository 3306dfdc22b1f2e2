"""Kubernetes objects as the API server writes them."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evals.fleet import uuid
from evals.model import Body, Host, iso

HEALTHY = (
    ("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
)


@dataclass(frozen=True, slots=True)
class Ready:
    """A node's Ready condition and since when."""

    status: str
    since: float
    reason: str = "KubeletReady"
    message: str = "kubelet is posting ready status"


def metadata(rng: random.Random, name: str, created: float, namespace: str = "") -> Body:
    """Write an object's metadata."""
    meta: Body = {"name": name, "uid": uuid(rng), "creationTimestamp": iso(created)}
    if namespace:
        meta["namespace"] = namespace
    return meta


def condition(kind: str, status: str, words: tuple[str, str], since: float, beat: float) -> Body:
    """Write one condition of a status."""
    return {
        "type": kind,
        "status": status,
        "reason": words[0],
        "message": words[1],
        "lastTransitionTime": iso(since),
        "lastHeartbeatTime": iso(beat),
    }


def namespace(rng: random.Random, name: str, created: float) -> Body:
    """Write a Namespace."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": metadata(rng, name, created),
        "status": {"phase": "Active"},
    }


def node(
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
    created = host.booted - 200 * 86400
    count = len(host.gpus)
    spec: Body = {"podCIDR": f"10.{rng.randrange(100, 250)}.{rng.randrange(250)}.0/24"}
    if taints:
        spec["taints"] = list(taints)
    if unschedulable:
        spec["unschedulable"] = True
    meta = metadata(rng, host.name, created)
    found = {"kubernetes.io/hostname": host.name, "kubernetes.io/os": "linux", **(labels or {})}
    if count:
        found |= {
            "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
            "nvidia.com/gpu.count": str(count),
        }
    meta["labels"] = found
    conditions = [
        condition(kind, "False", (reason, message), created, at)
        for kind, reason, message in HEALTHY
    ]
    conditions.append(
        condition("Ready", ready.status, (ready.reason, ready.message), ready.since, at)
    )
    capacity = {"cpu": "192", "memory": "2113411308Ki", "pods": "110"}
    offered = dict(capacity)
    if count:
        capacity["nvidia.com/gpu"] = str(count)
        offered["nvidia.com/gpu"] = str(count if allocatable is None else allocatable)
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta,
        "spec": spec,
        "status": {
            "capacity": capacity,
            "allocatable": offered,
            "conditions": [*conditions, *extra_conditions],
            "addresses": [
                {"type": "InternalIP", "address": host.address},
                {"type": "Hostname", "address": host.name},
            ],
            "nodeInfo": {
                "machineID": host.machine_id,
                "bootID": host.boot_id,
                "kernelVersion": "5.15.0-134-generic",
                "osImage": "Ubuntu 22.04.5 LTS",
                "containerRuntimeVersion": "containerd://1.7.27",
                "kubeletVersion": "v1.32.4",
                "kubeProxyVersion": "v1.32.4",
                "operatingSystem": "linux",
                "architecture": "amd64",
            },
        },
    }


def lease(rng: random.Random, host: Host, renewed: float) -> Body:
    """Write a node's heartbeat lease."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": metadata(rng, host.name, host.booted, "kube-node-lease"),
        "spec": {
            "holderIdentity": host.name,
            "leaseDurationSeconds": 40,
            "renewTime": iso(renewed, digits=6),
        },
    }


@dataclass(frozen=True, slots=True)
class PodSpec:
    """What a pod is made from."""

    namespace: str
    name: str
    uid: str
    node: str
    created: float
    job: str = ""
    job_uid: str = ""
    image: str = "registry.astra.local/train/megatron:25.04"
    container: str = "trainer"
    container_id: str = ""
    gpus: int = 8
    memory: str = "1500Gi"
    claim: str = ""
    """Name of the claim mounted at /data; empty: none."""
    labels: tuple[tuple[str, str], ...] = ()


def pod(spec: PodSpec, *, phase: str, status: Body | None = None) -> Body:
    """Write a Pod; `status` adds to or replaces what the phase implies."""
    meta: Body = {
        "name": spec.name,
        "namespace": spec.namespace,
        "uid": spec.uid,
        "creationTimestamp": iso(spec.created),
        "labels": {**({"job-name": spec.job} if spec.job else {}), **dict(spec.labels)},
    }
    if spec.job:
        meta["ownerReferences"] = [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": spec.job,
                "uid": spec.job_uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ]
    amounts = {"memory": spec.memory, **({"nvidia.com/gpu": str(spec.gpus)} if spec.gpus else {})}
    container: Body = {
        "name": spec.container,
        "image": spec.image,
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"name": "data-volume", "mountPath": "/data"}] if spec.claim else [],
    }
    claim = {"name": "data-volume", "persistentVolumeClaim": {"claimName": spec.claim}}
    body: Body = {
        "containers": [container],
        "restartPolicy": "Never" if spec.job else "Always",
        "schedulerName": "default-scheduler",
        "volumes": [claim] if spec.claim else [],
    }
    if spec.node:
        body["nodeName"] = spec.node
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta,
        "spec": body,
        "status": {"phase": phase, **(status or {})},
    }


def running(spec: PodSpec, since: float, restarts: int = 0) -> Body:
    """Write the status of a pod whose container runs."""
    return {
        "startTime": iso(since),
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": iso(since)}],
        "containerStatuses": [
            {
                "name": spec.container,
                "image": spec.image,
                "ready": True,
                "restartCount": restarts,
                "containerID": f"containerd://{spec.container_id}",
                "state": {"running": {"startedAt": iso(since)}},
                "lastState": {},
            }
        ],
    }


def ended(spec: PodSpec, since: float, until: float, *, code: int, reason: str) -> Body:
    """Write the status of a pod whose container has ended."""
    return {
        "startTime": iso(since),
        "conditions": [{"type": "Ready", "status": "False", "lastTransitionTime": iso(until)}],
        "containerStatuses": [
            {
                "name": spec.container,
                "image": spec.image,
                "ready": False,
                "restartCount": 0,
                "containerID": f"containerd://{spec.container_id}",
                "state": {
                    "terminated": {
                        "exitCode": code,
                        "reason": reason,
                        "startedAt": iso(since),
                        "finishedAt": iso(until),
                        "containerID": f"containerd://{spec.container_id}",
                    }
                },
                "lastState": {},
            }
        ],
    }


def job(
    rng: random.Random,
    name: str,
    *,
    uid: str,
    namespace: str,
    started: float,
    width: int,
    status: Body,
) -> Body:
    """Write an indexed Job of `width` pods."""
    meta = metadata(rng, name, started, namespace)
    meta["uid"] = uid
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": meta,
        "spec": {
            "completions": width,
            "parallelism": width,
            "completionMode": "Indexed",
            "backoffLimit": 3,
        },
        "status": {"startTime": iso(started), **status},
    }


@dataclass(frozen=True, slots=True)
class Involved:
    """What an event speaks of."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""


def event(
    rng: random.Random,
    about: Involved,
    *,
    first: float,
    reason: str,
    message: str,
    component: str,
    host: str = "",
    kind: str = "Warning",
    last: float | None = None,
    count: int = 1,
) -> Body:
    """Write an Event; its stamps are those of the reporter's clock."""
    final = first if last is None else last
    where = about.namespace or "default"
    involved: Body = {"kind": about.kind, "name": about.name, "apiVersion": "v1"}
    if about.namespace:
        involved["namespace"] = about.namespace
    involved["uid"] = about.uid or about.name
    source: Body = {"component": component}
    if host:
        source["host"] = host
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": metadata(rng, f"{about.name}.{rng.getrandbits(60):015x}", first, where),
        "involvedObject": involved,
        "reason": reason,
        "message": message,
        "type": kind,
        "count": count,
        "firstTimestamp": iso(first),
        "lastTimestamp": iso(final),
        "source": source,
        "reportingComponent": component,
        "reportingInstance": host,
    }


def nfs_volume(
    rng: random.Random, name: str, *, server: str, path: str, created: float, claim: str, space: str
) -> list[Body]:
    """Write an NFS PersistentVolume and the claim bound to it."""
    volume: Body = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": metadata(rng, name, created),
        "spec": {
            "capacity": {"storage": "400Ti"},
            "accessModes": ["ReadWriteMany"],
            "nfs": {"server": server, "path": path},
            "mountOptions": ["vers=4.1", "hard"],
            "claimRef": {"kind": "PersistentVolumeClaim", "namespace": space, "name": claim},
            "persistentVolumeReclaimPolicy": "Retain",
        },
        "status": {"phase": "Bound"},
    }
    bound: Body = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata(rng, claim, created, space),
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "400Ti"}},
            "volumeName": name,
            "volumeMode": "Filesystem",
        },
        "status": {"phase": "Bound", "capacity": {"storage": "400Ti"}},
    }
    return [volume, bound]
