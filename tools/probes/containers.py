"""Containers: what runs, how it ended, and which process belongs to which pod and rank."""

import json
from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.processes import container_of, environment_of, processes
from tools.registry import probe
from tools.request import Request

_MOST_INSPECTED = 200
_MOST_LOGS = 20
_RANK_NAMES = frozenset(
    {
        "RANK",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "MASTER_ADDR",
        "MASTER_PORT",
        "POD_NAME",
        "POD_NAMESPACE",
        "SLURM_JOB_ID",
        "SLURM_PROCID",
    }
)


@probe(source="containers", reach="host", volatility=0)
def container_processes(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Relate host pids to containers, pods and ranks through their cgroup paths.

    Reads only the environment variables that name a rank. Needs root for processes of others.
    """
    found = []
    for process in processes(context.proc):
        container, pod = container_of(context.proc, process.pid)
        if container or pod:
            names = environment_of(context.proc, process.pid, _RANK_NAMES)
            found.append(
                {
                    "pid": process.pid,
                    "started": f"{process.started:%Y-%m-%dT%H:%M:%SZ}",
                    "name": process.name,
                    "state": process.state,
                    "container": container,
                    "pod_uid": pod,
                    "environment": names,
                }
            )
    if found:
        yield context.store(
            json.dumps({"host": context.host, "processes": found}).encode(),
            source="containers",
            path=f"containers/{context.host}/processes.json",
            command="cat /proc/[0-9]*/cgroup",
        )


@probe(source="containers", reach="host", volatility=1)
def container_events(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the container runtime's events of the window: starts, deaths, out-of-memory kills.

    Docker only (containerd's are not kept); docker keeps the last 256.
    """
    until = request.window.until or request.now or context.clock()
    since = request.window.since.timestamp() if request.window.since else until.timestamp() - 3600
    yield context.capture(
        [
            "docker",
            "events",
            f"--since={since:.0f}",
            f"--until={until.timestamp():.0f}",
            "--format={{json .}}",
        ],
        source="containers",
        path=f"containers/{context.host}/docker-events.json",
        resource="docker",
    )


@probe(source="containers", reach="host", volatility=4)
def containers_docker(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """List docker's containers and inspect them: exit codes, OOM flags, devices, mounts, logs."""
    folder = f"containers/{context.host}"
    listed = context.capture(
        ["docker", "ps", "--all", "--no-trunc", "--format={{json .}}"],
        source="containers",
        path=f"{folder}/docker-ps.json",
        resource="docker",
    )
    yield listed
    ids = _docker_ids(context, listed)
    if ids:
        yield context.capture(
            ["docker", "inspect", *ids[:_MOST_INSPECTED]],
            source="containers",
            path=f"{folder}/docker-inspect.json",
            resource="docker",
        )
    since = [f"--since={request.window.since:%Y-%m-%dT%H:%M:%SZ}"] if request.window.since else []
    for each in ids[:_MOST_LOGS]:
        yield context.capture(
            ["docker", "logs", "--timestamps", "--tail=20000", *since, each],
            source="containers",
            path=f"{folder}/logs/{each[:12]}.log",
            target=each[:12],
            resource="docker",
        )


@probe(source="containers", reach="host", volatility=4)
def containers_cri(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """List containers of a CRI runtime (containerd, CRI-O) and inspect them."""
    folder = f"containers/{context.host}"
    listed = context.capture(
        ["crictl", "ps", "-a", "-o", "json"],
        source="containers",
        path=f"{folder}/crictl-ps.json",
        resource="cri",
    )
    yield listed
    for each in _cri_ids(context, listed)[:_MOST_INSPECTED]:
        yield context.capture(
            ["crictl", "inspect", "-o", "json", each],
            source="containers",
            path=f"{folder}/crictl-{each[:12]}.json",
            target=each[:12],
            resource="cri",
        )


def _content(context: ProbeContext, capture: Capture) -> bytes:
    return (context.workspace.root / capture.path).read_bytes() if capture.path else b""


def _docker_ids(context: ProbeContext, listed: Capture) -> list[str]:
    lines = _content(context, listed).splitlines()
    return [str(json.loads(line).get("ID", "")) for line in lines if line.startswith(b"{")]


def _cri_ids(context: ProbeContext, listed: Capture) -> list[str]:
    content = _content(context, listed)
    items = json.loads(content).get("containers", []) if content else []
    return [str(item.get("id", "")) for item in items]
