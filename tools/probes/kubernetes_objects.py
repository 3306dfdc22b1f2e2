"""The state of nodes, pods, workloads, volumes and leases."""

from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.kube import UNREACHED, Kube
from tools.registry import probe
from tools.request import Request

VOLATILE = (
    ("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", "leases"),
    ("/api/v1/nodes", "nodes"),
    ("/api/v1/pods", "pods"),
    ("/apis/metrics.k8s.io/v1beta1/nodes", "top-nodes"),
    ("/apis/metrics.k8s.io/v1beta1/pods", "top-pods"),
    ("/apis/batch/v1/jobs", "jobs"),
)
STEADY = (
    ("/apis/apps/v1/deployments", "deployments"),
    ("/apis/apps/v1/daemonsets", "daemonsets"),
    ("/apis/apps/v1/statefulsets", "statefulsets"),
    ("/apis/apps/v1/replicasets", "replicasets"),
    ("/apis/apps/v1/controllerrevisions", "controllerrevisions"),
    ("/api/v1/persistentvolumeclaims", "persistentvolumeclaims"),
    ("/api/v1/persistentvolumes", "persistentvolumes"),
    ("/apis/storage.k8s.io/v1/storageclasses", "storageclasses"),
    ("/apis/storage.k8s.io/v1/volumeattachments", "volumeattachments"),
)


def _lists(context: ProbeContext, lists: tuple[tuple[str, str], ...]) -> Iterator[Capture]:
    kube = Kube(context)
    if kube.identify().outcome in UNREACHED:
        return
    for path, name in lists:
        yield from kube.pages(path, name)


@probe(source="kubernetes", reach="cluster", volatility=3)
def kubernetes_state(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read leases, nodes, pods, jobs and current usage: what changes from second to second.

    Lists come from the server's watch cache. Cannot see deleted objects.
    """
    yield from _lists(context, VOLATILE)


@probe(source="kubernetes", reach="cluster", volatility=7)
def kubernetes_workloads(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read workloads with their revisions, claims, volumes and storage classes.

    The revisions show roll-outs: what was changed and when.
    """
    yield from _lists(context, STEADY)
