"""Logs and descriptions of the pods and nodes that matter."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, islice, zip_longest

from tools.capture import Capture
from tools.context import ProbeContext
from tools.kube import UNREACHED, Brief, ContainerStatus, Kube
from tools.registry import probe
from tools.request import Request

MOST_LOGS = 60
MOST_DESCRIBED = 12
_LOG_LINES = 50_000
_LOG_BYTES = 32 << 20
_HEALTHY = frozenset({"Running", "Succeeded"})
_NEVER = "~"
"""Sorts after every time."""
_SERVING = frozenset({"DaemonSet", "ReplicaSet", "StatefulSet", "Node"})
"""Owners of pods that serve and never finish; all others run jobs."""


@probe(source="kubernetes", reach="cluster", volatility=2)
def kubernetes_logs(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read container logs, also of the instance before a restart, of the pods asked for or unwell.

    What is left of 60 requests goes to running jobs, one pod of each first: their progress is what
    shows health. Cannot see logs that the kubelet has rotated away, nor those of a node that does
    not answer.
    """
    kube = Kube(context)
    if kube.identify().outcome in UNREACHED:
        return
    pods = kube.briefs("/api/v1/pods", "pods")
    chosen = chosen_pods(pods, request)
    known = {(pod.metadata.namespace, pod.metadata.name) for pod in chosen}
    working = (
        pod
        for pod in working_pods(pods)
        if (pod.metadata.namespace, pod.metadata.name) not in known
    )
    logs = (
        (pod, status, previous)
        for pod in chain(chosen, working)
        for status in pod.status.containerStatuses
        for previous in ((True, False) if status.restartCount else (False,))
    )
    for pod, status, previous in islice(logs, MOST_LOGS):
        yield _log(kube, request, pod, status, previous=previous)


@probe(source="kubernetes", reach="cluster", volatility=6)
def kubernetes_descriptions(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Describe the nodes and pods asked for or unwell, as a person would.

    About five requests each; at most 12 of a kind.
    """
    kube = Kube(context)
    if kube.identify().outcome in UNREACHED:
        return
    nodes = kube.briefs("/api/v1/nodes", "nodes")
    for node in chosen_nodes(nodes, request)[:MOST_DESCRIBED]:
        name = node.metadata.name
        yield kube.text(
            "describe", "node", name, path=f"k8s/describe/node/{name}.txt", target=name, requests=5
        )
    for pod in chosen_pods(kube.briefs("/api/v1/pods", "pods"), request)[:MOST_DESCRIBED]:
        name, namespace = pod.metadata.name, pod.metadata.namespace
        yield kube.text(
            "describe",
            "pod",
            name,
            "-n",
            namespace,
            path=f"k8s/describe/pod/{namespace}/{name}.txt",
            target=f"{namespace}/{name}",
            requests=3,
        )


def chosen_pods(pods: list[Brief], request: Request) -> list[Brief]:
    """Choose the pods asked for, those of the job asked for, and the unwell; the worst first.

    When hundreds of a job fail alike, the one that ended otherwise, or first, is the one to read.
    """
    asked = [pod for pod in pods if _asked(pod, request)]
    unwell = [pod for pod in pods if trouble(pod) and not _asked(pod, request)]
    return [*_telling(asked), *sorted(_telling(unwell), key=trouble, reverse=True)]


def _telling(pods: list[Brief]) -> list[Brief]:
    """Order pods: a rare end before a common one, an early before a late."""
    ends = {id(pod): _end(pod) for pod in pods}
    common = Counter(how for how, _ in ends.values())
    return sorted(pods, key=lambda pod: (common[ends[id(pod)][0]], ends[id(pod)][1]))


def _end(pod: Brief) -> tuple[str, str]:
    """Tell how and when the first container of a pod ended badly; empty and last where none did."""
    ends = [
        (str(ended.get("finishedAt", _NEVER)), f"{ended.get('exitCode')} {ended.get('reason')}")
        for status in pod.status.containerStatuses
        for ended in (status.state.terminated, status.lastState.terminated)
        if ended and ended.get("exitCode")
    ]
    when, how = min(ends, default=(_NEVER, pod.status.phase))
    return how, when


def working_pods(pods: list[Brief]) -> list[Brief]:
    """Choose the running pods of jobs: the first of each job, then the second, and so on."""
    jobs: dict[tuple[str, str], list[Brief]] = defaultdict(list)
    for pod in pods:
        for owner in pod.metadata.ownerReferences:
            if owner.kind not in _SERVING and pod.status.phase == "Running":
                jobs[pod.metadata.namespace, owner.name].append(pod)
    turns = zip_longest(*jobs.values())
    return [pod for turn in turns for pod in turn if pod is not None]


def chosen_nodes(nodes: list[Brief], request: Request) -> list[Brief]:
    """Choose the nodes asked for and those that are not Ready, tainted or cordoned."""
    return [
        node
        for node in nodes
        if node.metadata.name in request.nodes
        or node.spec.unschedulable
        or node.spec.taints
        or any(each.type == "Ready" and each.status != "True" for each in node.status.conditions)
    ]


def trouble(pod: Brief) -> int:
    """Rank how unwell a pod is; 0 for a healthy one."""
    statuses = [*pod.status.containerStatuses, *pod.status.initContainerStatuses]
    rank = 4 if pod.status.phase not in _HEALTHY or pod.metadata.deletionTimestamp else 0
    return (
        rank
        + sum(2 for status in statuses if _died(status))
        + any(s.restartCount for s in statuses)
    )


def _died(status: ContainerStatus) -> bool:
    ended = status.state.terminated or status.lastState.terminated
    waiting = status.state.waiting or {}
    return bool(ended and ended.get("exitCode")) or "BackOff" in str(waiting.get("reason", ""))


def _asked(pod: Brief, request: Request) -> bool:
    meta = pod.metadata
    if f"{meta.namespace}/{meta.name}" in request.pods:
        return True
    job = request.job.rpartition("/")[2]
    return bool(job) and job in {*meta.labels.values()}


def _log(
    kube: Kube, request: Request, pod: Brief, status: ContainerStatus, *, previous: bool
) -> Capture:
    namespace, name = pod.metadata.namespace, pod.metadata.name
    words = [
        "logs",
        name,
        "-n",
        namespace,
        "-c",
        status.name,
        "--timestamps",
        f"--tail={_LOG_LINES}",
        f"--limit-bytes={_LOG_BYTES}",
    ]
    if previous:
        words.append("--previous")
    if request.window.since:
        words.append(f"--since-time={request.window.since:%Y-%m-%dT%H:%M:%SZ}")
    suffix = ".previous" if previous else ""
    return kube.text(
        *words,
        path=f"k8s/logs/{namespace}/{name}/{status.name}{suffix}.log",
        target=f"{namespace}/{name}",
        most_lines=_LOG_LINES,
    )
