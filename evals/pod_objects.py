"""Pods and the jobs that own them, as the API server writes them."""

import random
from dataclasses import dataclass

from evals.model import Body, write_iso
from evals.objects import write_metadata


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


def write_pod(spec: PodSpec, *, phase: str, status: Body | None = None) -> Body:
    """Write a Pod; `status` adds to or replaces what the phase implies."""
    claim = {"name": "data-volume", "persistentVolumeClaim": {"claimName": spec.claim}}
    body: Body = {
        "containers": [_container(spec)],
        "restartPolicy": "Never" if spec.job else "Always",
        "schedulerName": "default-scheduler",
        "volumes": [claim] if spec.claim else [],
    }
    if spec.node:
        body["nodeName"] = spec.node
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _named(spec),
        "spec": body,
        "status": {"phase": phase, **(status or {})},
    }


def _named(spec: PodSpec) -> Body:
    """Write the metadata of a pod, with the job that owns it."""
    meta: Body = {
        "name": spec.name,
        "namespace": spec.namespace,
        "uid": spec.uid,
        "creationTimestamp": write_iso(spec.created),
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
    return meta


def _container(spec: PodSpec) -> Body:
    amounts = {"memory": spec.memory, **({"nvidia.com/gpu": str(spec.gpus)} if spec.gpus else {})}
    return {
        "name": spec.container,
        "image": spec.image,
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"name": "data-volume", "mountPath": "/data"}] if spec.claim else [],
    }


def write_running(
    spec: PodSpec, since: float, restarts: int = 0, *, ended: Body | None = None
) -> Body:
    """Write the status of a pod whose container runs; `ended` is how it last ended."""
    state: Body = {"running": {"startedAt": write_iso(since)}}
    return _status(spec, since, since, state, ready=True, restarts=restarts, ended=ended)


def write_ended(spec: PodSpec, since: float, until: float, *, code: int, reason: str) -> Body:
    """Write the status of a pod whose container has ended."""
    end = write_end(spec, since, until, code=code, reason=reason)
    return _status(spec, since, until, end, ready=False)


def write_end(spec: PodSpec, since: float, until: float, *, code: int, reason: str) -> Body:
    """Write the state of a container that has ended."""
    end = {
        "exitCode": code,
        "reason": reason,
        "startedAt": write_iso(since),
        "finishedAt": write_iso(until),
        "containerID": f"containerd://{spec.container_id}",
    }
    return {"terminated": end}


def _status(
    spec: PodSpec,
    since: float,
    changed: float,
    state: Body,
    *,
    ready: bool,
    restarts: int = 0,
    ended: Body | None = None,
) -> Body:
    condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": write_iso(changed)}
    container = {
        "name": spec.container,
        "image": spec.image,
        "ready": ready,
        "restartCount": restarts,
        "containerID": f"containerd://{spec.container_id}",
        "state": state,
        "lastState": ended or {},
    }
    return {
        "startTime": write_iso(since),
        "conditions": [condition],
        "containerStatuses": [container],
    }


def write_job(
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
    meta = write_metadata(rng, name, started, namespace)
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
        "status": {"startTime": write_iso(started), **status},
    }
