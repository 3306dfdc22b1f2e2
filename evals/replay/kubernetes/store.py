"""Recorded objects, by the resource that serves them."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Json = dict[str, object]
READ = ("get", "list", "watch")
_TABLE = """
v1 nodes Node - no
v1 namespaces Namespace - ns
v1 pods Pod + po
v1 events Event + ev
v1 services Service + svc
v1 configmaps ConfigMap + cm
v1 persistentvolumeclaims PersistentVolumeClaim + pvc
v1 persistentvolumes PersistentVolume - pv
v1 resourcequotas ResourceQuota + quota
v1 serviceaccounts ServiceAccount + sa
v1 endpoints Endpoints + ep
apps/v1 deployments Deployment + deploy
apps/v1 replicasets ReplicaSet + rs
apps/v1 daemonsets DaemonSet + ds
apps/v1 statefulsets StatefulSet + sts
apps/v1 controllerrevisions ControllerRevision + -
batch/v1 jobs Job + -
batch/v1 cronjobs CronJob + cj
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler + hpa
storage.k8s.io/v1 storageclasses StorageClass - sc
storage.k8s.io/v1 volumeattachments VolumeAttachment - -
coordination.k8s.io/v1 leases Lease + -
events.k8s.io/v1 events Event + ev
metrics.k8s.io/v1beta1 nodes NodeMetrics - -
metrics.k8s.io/v1beta1 pods PodMetrics + -
"""


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind as a group serves it."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    short: str = ""

    @property
    def group_version(self) -> str:
        """Write group and version as `apiVersion` does."""
        return f"{self.group}/{self.version}" if self.group else self.version


def _parse(line: str) -> Resource:
    group_version, plural, kind, scope, short = line.split()
    group, _, version = group_version.rpartition("/")
    return Resource(group, version, plural, kind, scope == "+", "" if short == "-" else short)


RESOURCES: tuple[Resource, ...] = tuple(_parse(line) for line in _TABLE.strip().splitlines())


def find(group: str, version: str, plural: str) -> Resource | None:
    """Return a resource by its place in the API, if it is served."""
    wanted = (group, version, plural)
    return next((r for r in RESOURCES if (r.group, r.version, r.plural) == wanted), None)


@dataclass
class Store:
    """All objects of a recorded cluster, and its pods' logs."""

    objects: Mapping[str, list[Json]] = field(default_factory=dict)
    """By kind; sorted by namespace and name, as the server lists them."""
    logs: Mapping[str, str] = field(default_factory=dict)
    """``NAMESPACE/POD/CONTAINER[.previous]`` → stamped lines."""

    def of(self, resource: Resource, namespace: str = "") -> list[Json]:
        """List a resource's objects, of one namespace if one is given."""
        rows = self.objects.get(resource.kind, [])
        return [
            row for row in rows if not namespace or read_meta(row).get("namespace") == namespace
        ]

    def one(self, resource: Resource, namespace: str, name: str) -> Json | None:
        """Return one object by name."""
        rows = self.of(resource, namespace)
        return next((row for row in rows if read_meta(row).get("name") == name), None)


def read_meta(item: Json) -> Json:
    """Return an object's metadata."""
    found = item.get("metadata")
    return found if isinstance(found, dict) else {}


def read_part(item: Mapping[str, object], name: str) -> Json:
    """Return a nested object, empty where there is none."""
    found = item.get(name)
    return found if isinstance(found, dict) else {}


def read_parts(item: Mapping[str, object], name: str) -> list[Json]:
    """Return a nested list of objects, empty where there is none."""
    found = item.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def fill_store(items: Iterable[Json], logs: Mapping[str, str]) -> Store:
    """Index objects by kind."""
    kinds: dict[str, list[Json]] = defaultdict(list)
    for item in items:
        read_meta(item).setdefault("resourceVersion", "1")
        kinds[str(item["kind"])].append(item)
    for rows in kinds.values():
        rows.sort(
            key=lambda row: (str(read_meta(row).get("namespace", "")), str(read_meta(row)["name"]))
        )
    return Store(dict(kinds), dict(logs))


def load_bundle(bundle: Path, listing: str = "") -> Store:
    """Read the objects and pod logs of a bundle; `listing` names a later listing's folder."""
    folder = bundle / "k8s" / listing if listing else bundle / "k8s"
    items: list[Json] = []
    for path in sorted(folder.glob("*.json")):
        items += json.loads(path.read_text())["items"]
    root = bundle / "k8s" / "logs"
    logs = {
        str(path.relative_to(root).with_suffix("")): path.read_text()
        for path in sorted(root.rglob("*.log"))
    }
    return fill_store(items, logs)
