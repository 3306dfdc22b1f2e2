"""What is added to a cluster: scaling, entrances, operators, and queues of whole jobs."""

from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.kube import UNREACHED, Kube
from tools.registry import probe
from tools.request import Request

_GATEWAY = "/apis/gateway.networking.k8s.io/v1"
_OLM = "/apis/operators.coreos.com/v1alpha1"
_OLM_V1 = "/apis/olm.operatorframework.io/v1"
_KUEUE = "/apis/kueue.x-k8s.io"
_NO_COPIES = "labelSelector=!olm.copiedFrom"
"""Every namespace holds a copy of each operator's version, a hundred kilobytes of it."""
GROUPS: tuple[tuple[tuple[str, str], ...], ...] = (
    (("/api/v1/endpoints", "endpoints"),),
    (("/apis/autoscaling/v2/horizontalpodautoscalers", "horizontalpodautoscalers"),),
    (
        (f"{_GATEWAY}/gateways", "gateways"),
        (f"{_GATEWAY}/gatewayclasses", "gatewayclasses"),
        (f"{_GATEWAY}/httproutes", "httproutes"),
    ),
    (
        (f"{_OLM}/subscriptions", "subscriptions"),
        (f"{_OLM}/installplans", "installplans"),
        (f"{_OLM}/catalogsources", "catalogsources"),
        (f"{_OLM}/clusterserviceversions", "clusterserviceversions"),
    ),
    (
        (f"{_OLM_V1}/clusterextensions", "clusterextensions"),
        (f"{_OLM_V1}/clustercatalogs", "clustercatalogs"),
    ),
    (("/apis/scheduling.volcano.sh/v1beta1/podgroups", "podgroups"),),
    ((f"{_KUEUE}/v1beta1/workloads", "workloads"),),
)
"""Lists by the group that serves them: a cluster has all of a group or none."""
LATER = {f"{_KUEUE}/v1beta1/workloads": f"{_KUEUE}/v1beta2/workloads"}
"""Where a list is served once the older version of its group is not."""
_QUERIES = {f"{_OLM}/clusterserviceversions": _NO_COPIES}


@probe(source="kubernetes", reach="cluster", volatility=8)
def kubernetes_extensions(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read autoscalers, endpoints, gateways, routes, operators (OLM), gangs of Volcano and Kueue.

    Of a group that the cluster does not serve only the first list is asked for: it is absent.
    """
    kube = Kube(context)
    if kube.identify().outcome in UNREACHED:
        return
    for lists in GROUPS:
        for path, name in lists:
            captures = list(_pages(kube, path, name))
            yield from captures
            if captures[-1].outcome == "absent":
                break


def _pages(kube: Kube, path: str, name: str) -> Iterator[Capture]:
    """Capture a list under the version that is served."""
    captures = list(kube.pages(path, name, _QUERIES.get(path, "")))
    later = LATER.get(path)
    served = captures[-1].outcome != "absent" or later is None
    yield from captures if served else kube.pages(later or path, name)
