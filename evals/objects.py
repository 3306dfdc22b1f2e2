"""Kubernetes objects as the API server writes them: what all share, events and volumes."""

import random
from dataclasses import dataclass

from evals.fleet import draw_uuid
from evals.model import Body, write_iso


def write_metadata(rng: random.Random, name: str, created: float, namespace: str = "") -> Body:
    """Write an object's metadata."""
    meta: Body = {"name": name, "uid": draw_uuid(rng), "creationTimestamp": write_iso(created)}
    if namespace:
        meta["namespace"] = namespace
    return meta


def write_condition(
    kind: str, status: str, words: tuple[str, str], since: float, beat: float
) -> Body:
    """Write one condition of a status."""
    return {
        "type": kind,
        "status": status,
        "reason": words[0],
        "message": words[1],
        "lastTransitionTime": write_iso(since),
        "lastHeartbeatTime": write_iso(beat),
    }


def write_namespace(rng: random.Random, name: str, created: float) -> Body:
    """Write a Namespace."""
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": write_metadata(rng, name, created),
        "status": {"phase": "Active"},
    }


@dataclass(frozen=True, slots=True)
class Involved:
    """What an event speaks of."""

    kind: str
    name: str
    namespace: str = ""
    uid: str = ""


def write_event(
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
        "metadata": write_metadata(rng, f"{about.name}.{rng.getrandbits(60):015x}", first, where),
        "involvedObject": involved,
        "reason": reason,
        "message": message,
        "type": kind,
        "count": count,
        "firstTimestamp": write_iso(first),
        "lastTimestamp": write_iso(final),
        "source": source,
        "reportingComponent": component,
        "reportingInstance": host,
    }


def write_nfs_volume(
    rng: random.Random, name: str, *, server: str, path: str, created: float, claim: str, space: str
) -> list[Body]:
    """Write an NFS PersistentVolume and the claim bound to it."""
    volume: Body = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": write_metadata(rng, name, created),
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
        "metadata": write_metadata(rng, claim, created, space),
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "resources": {"requests": {"storage": "400Ti"}},
            "volumeName": name,
            "volumeMode": "Filesystem",
        },
        "status": {"phase": "Bound", "capacity": {"storage": "400Ti"}},
    }
    return [volume, bound]
