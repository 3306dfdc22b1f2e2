"""Kubernetes events: gone after an hour, so taken first."""

from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.kube import UNREACHED, Kube
from tools.registry import probe
from tools.request import Request


@probe(source="kubernetes", reach="cluster", volatility=1)
def kubernetes_events(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read all events of the cluster: what controllers and kubelets reported in the last hour.

    One page of 500 a request. Cannot see what is older than the server keeps (usually one hour).
    """
    kube = Kube(context)
    who = kube.identify()
    yield who
    if who.outcome in UNREACHED:
        return
    yield from kube.pages("/api/v1/events", "events")
