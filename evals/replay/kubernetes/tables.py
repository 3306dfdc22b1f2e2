"""What `kubectl get` prints: the server's own tables."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from evals.replay.kubernetes.store import Json, Resource, read_meta, read_part, read_parts

MINUTE, HOUR, DAY = 60, 3600, 86400


@dataclass(frozen=True, slots=True)
class Columns:
    """Column names (those after a star show with -o wide only) and a row's cells."""

    names: Sequence[str]
    cells: Callable[[Json, datetime], list[object]]


def write_age(stamp: object, now: datetime) -> str:
    """Write a duration as Kubernetes does: 90s, 5m30s, 47m, 3h12m, 9d."""
    if not isinstance(stamp, str):
        return "<unknown>"
    seconds = int((now - datetime.fromisoformat(stamp)).total_seconds())
    for limit, unit, name, inner in (
        (2 * MINUTE, 1, "s", 0), (10 * MINUTE, MINUTE, "m", 1), (3 * HOUR, MINUTE, "m", 0),
        (8 * HOUR, HOUR, "h", MINUTE), (2 * DAY, HOUR, "h", 0), (8 * DAY, DAY, "d", HOUR),
    ):  # fmt: skip
        if seconds < limit:
            rest = seconds % unit // inner if inner else 0
            small = {1: "s", MINUTE: "m", HOUR: "h"}.get(inner, "")
            return f"{seconds // unit}{name}" + (f"{rest}{small}" if rest else "")
    return f"{seconds // DAY}d"


def _created(item: Json, now: datetime) -> str:
    return write_age(read_meta(item).get("creationTimestamp"), now)


def _node(item: Json, now: datetime) -> list[object]:
    status, spec = read_part(item, "status"), read_part(item, "spec")
    conditions = {c["type"]: c["status"] for c in read_parts(status, "conditions")}
    ready = "Ready" if conditions.get("Ready") == "True" else "NotReady"
    info = read_part(status, "nodeInfo")
    addresses = {a["type"]: a["address"] for a in read_parts(status, "addresses")}
    labels = read_part(read_meta(item), "labels")
    roles = sorted(k.split("/")[1] for k in labels if k.startswith("node-role.kubernetes.io/"))
    return [
        read_meta(item)["name"],
        ready + (",SchedulingDisabled" if spec.get("unschedulable") else ""),
        ",".join(roles) or "<none>",
        _created(item, now),
        info.get("kubeletVersion", ""),
        addresses.get("InternalIP", "<none>"),
        addresses.get("ExternalIP", "<none>"),
        info.get("osImage", ""),
        info.get("kernelVersion", ""),
        info.get("containerRuntimeVersion", ""),
    ]


def read_pod_state(item: Json) -> str:
    """Name a pod's state as the STATUS column does."""
    status = read_part(item, "status")
    state = str(status.get("reason") or status.get("phase", "Unknown"))
    for container in read_parts(status, "containerStatuses"):
        waiting, over = (
            read_part(read_part(container, "state"), s) for s in ("waiting", "terminated")
        )
        if waiting.get("reason"):
            state = str(waiting["reason"])
        elif over:
            state = str(over.get("reason") or f"ExitCode:{over.get('exitCode')}")
    return "Terminating" if read_meta(item).get("deletionTimestamp") else state


def _pod(item: Json, now: datetime) -> list[object]:
    status, spec = read_part(item, "status"), read_part(item, "spec")
    known = read_parts(status, "containerStatuses")
    ready = sum(1 for container in known if container.get("ready"))
    restarts = sum(n for c in known if isinstance(n := c.get("restartCount"), int))
    return [
        read_meta(item)["name"],
        f"{ready}/{len(read_parts(spec, 'containers'))}",
        read_pod_state(item),
        str(restarts),
        _created(item, now),
        status.get("podIP", "<none>"),
        spec.get("nodeName", "<none>"),
        "<none>",
        "<none>",
    ]


def _event(item: Json, now: datetime) -> list[object]:
    about, source = read_part(item, "involvedObject"), read_part(item, "source")
    return [
        write_age(item.get("lastTimestamp"), now),
        item.get("type"),
        item.get("reason"),
        f"{str(about.get('kind', '')).lower()}/{about.get('name')}",
        about.get("fieldPath", ""),
        ", ".join(str(source[key]) for key in ("component", "host") if source.get(key)),
        str(item.get("message", "")).strip(),
        write_age(item.get("firstTimestamp"), now),
        item.get("count", 1),
        read_meta(item)["name"],
    ]


def _job(item: Json, now: datetime) -> list[object]:
    status, spec = read_part(item, "status"), read_part(item, "spec")
    true = {c["type"] for c in read_parts(status, "conditions") if c["status"] == "True"}
    state = next((name for name in ("Complete", "Failed") if name in true), "Running")
    done = f"{status.get('succeeded', 0)}/{spec.get('completions', 1)}"
    return [
        read_meta(item)["name"],
        state,
        done,
        write_age(status.get("startTime"), now),
        _created(item, now),
    ]


def _claim(item: Json, now: datetime) -> list[object]:
    status, spec = read_part(item, "status"), read_part(item, "spec")
    size = read_part(status, "capacity").get("storage", "")
    name, phase = read_meta(item)["name"], status.get("phase", "")
    return [name, phase, spec.get("volumeName", ""), size, "RWX", "", "<unset>",
            _created(item, now), spec.get("volumeMode", "Filesystem")]  # fmt: skip


def _columns(names: str, cells: Callable[[Json, datetime], list[object]]) -> Columns:
    return Columns(names.split(), cells)


TABLES = {
    "nodes": _columns(
        "Name Status Roles Age Version *Internal-IP *External-IP *OS-Image *Kernel-Version "
        "*Container-Runtime",
        _node,
    ),
    "pods": _columns(
        "Name Ready Status Restarts Age *IP *Node *Nominated_Node *Readiness_Gates", _pod
    ),
    "events": _columns(
        "Last_Seen Type Reason Object *Subobject *Source Message *First_Seen *Count *Name", _event
    ),
    "jobs": _columns("Name Status Completions Duration Age", _job),
    "persistentvolumeclaims": _columns(
        "Name Status Volume Capacity Access_Modes StorageClass VolumeAttributesClass Age "
        "*VolumeMode",
        _claim,
    ),
}
PLAIN = Columns(["Name", "Age"], lambda item, now: [read_meta(item)["name"], _created(item, now)])


def write_table(resource: Resource, items: Sequence[Json], now: datetime, *, whole: bool) -> Json:
    """Write a Table; rows carry whole objects where kubectl asked for them, to sort by."""
    columns = TABLES.get(resource.plural, PLAIN)
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": "1"},
        "columnDefinitions": [
            {
                "name": name.strip("*").replace("_", " "),
                "type": "string",
                "format": "name" if name == "Name" else "",
                "description": "",
                "priority": int(name.startswith("*")),
            }
            for name in columns.names
        ],
        "rows": [
            {"cells": columns.cells(item, now), "object": item if whole else _partial(item)}
            for item in items
        ],
    }


def _partial(item: Json) -> Json:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": read_meta(item),
    }
