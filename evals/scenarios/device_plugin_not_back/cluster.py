"""What the cluster recorded: nodes, the plugin's pods, the pods that were refused or wait."""

import random

from evals import fleet, node_objects, objects, pod_objects
from evals.background import write_klog
from evals.model import Body, Host, PodLog, Recording, happens, write_iso
from evals.node_objects import GPU, Ready
from evals.objects import Involved
from evals.pod_objects import PodSpec
from evals.scenarios.device_plugin_not_back.plan import Plan, Restart
from evals.scenarios.gang_cluster import GangCluster
from evals.training import Lines

PLUGIN_SPACE, SERVING = "gpu-operator", "serve"
PLUGIN = "nvidia-device-plugin-daemonset"
REFUSED = "Allocate failed due to {why} nvidia.com/gpu, which is unexpected"
EARLY = "no healthy devices present; cannot allocate unhealthy devices"
LATE = "cannot allocate unregistered device"
GRACE_S = 300.0
"""kubelet keeps the name of a resource for so long after it started; then it forgets it."""
EVENTS_S = 3600.0
"""How long the API server keeps an event."""
EACH = 2
"""GPUs of one serving pod."""


def write(cluster: GangCluster, plan: Plan, rng: random.Random) -> None:
    """List the cluster as it stands after the round."""
    recording = cluster.recording
    for name in ("kube-system", PLUGIN_SPACE, SERVING, cluster.gang.namespace):
        cluster.items.append(objects.write_namespace(rng, name, recording.since - 9e6))
    restarts = {restart.name: restart for restart in plan.restarts}
    for host in recording.hosts.values():
        restart = restarts.get(host.name)
        cluster.items.append(_node(rng, host, restart, plan, recording.taken))
        lease = node_objects.write_lease(rng, host, recording.taken - rng.uniform(0, 9))
        cluster.items.append(lease)
        _plugin(cluster, host, restart, plan, rng)
    for restart in plan.restarts:
        if restart.down > recording.taken - EVENTS_S:
            _tell_restart(cluster, restart)
    _serving(cluster, plan, rng)


def _node(rng: random.Random, host: Host, restart: Restart | None, plan: Plan, at: float) -> Body:
    """Write a node; what nobody registered since kubelet started counts as none at all."""
    ready = Ready("True", restart.kubelet + 12 if restart else host.booted + 60)
    earlier = host.before.booted if host.before else host.booted
    body = node_objects.write_node(rng, host, at=at, ready=ready)
    meta, status = body["metadata"], body["status"]
    if isinstance(meta, dict):
        meta["creationTimestamp"] = write_iso(earlier - node_objects.AGE_S)
    if restart is plan.victim and isinstance(status, dict):
        for amounts in ("capacity", "allocatable"):
            status[amounts] = {**status[amounts], GPU: "0"}
    return body


def _tell_restart(cluster: GangCluster, restart: Restart) -> None:
    about = Involved("Node", restart.name, uid=restart.name)
    boot = cluster.recording.hosts[restart.name].boot_id
    identity = "-".join((boot[:8], boot[8:12], boot[12:16], boot[16:20], boot[20:]))
    silent = restart.down + 50
    cluster.tell(
        about,
        silent,
        "NodeNotReady",
        f"Node {restart.name} status is now: NodeNotReady",
        component="node-controller",
        kind="Normal",
    )
    said = (
        ("Starting", "Starting kubelet.", 0.5),
        ("Rebooted", f"Node {restart.name} has been rebooted, boot id: {identity}", 1.5),
        ("NodeReady", f"Node {restart.name} status is now: NodeReady", 12.0),
    )
    for reason, text, late in said:
        kind = "Warning" if reason == "Rebooted" else "Normal"
        at = restart.kubelet + late
        cluster.tell(about, at, reason, text, host=restart.name, kind=kind)


def _plugin(
    cluster: GangCluster, host: Host, restart: Restart | None, plan: Plan, rng: random.Random
) -> None:
    """List a node's plugin pod, and keep the logs of some."""
    since = restart.kubelet + rng.uniform(8, 14) if restart else host.booted + 90
    created = (host.before.booted if host.before else host.booted) + 70
    spec = PodSpec(
        namespace=PLUGIN_SPACE,
        name=f"{PLUGIN}-{fleet.draw_suffix(rng)}",
        uid=fleet.draw_uuid(rng),
        node=host.name,
        created=created,
        image="nvcr.io/nvidia/k8s-device-plugin:v0.17.1",
        container="nvidia-device-plugin",
        container_id=fleet.draw_hexadecimal(rng, 64),
        gpus=0,
        memory="256Mi",
        labels=(("app", PLUGIN),),
    )
    if restart is plan.victim and not plan.runs:
        _stuck(cluster, spec, plan)
        return
    ended = None
    if restart:
        ended = pod_objects.write_end(spec, created, restart.down, code=255, reason="Unknown")
    status = pod_objects.write_running(spec, since, 1 if restart else 0, ended=ended)
    cluster.items.append(pod_objects.write_pod(spec, phase="Running", status=status))
    if restart or host.name in plan.others[:2]:
        found = restart is not plan.victim
        lines = _plugin_log(cluster.recording, host, since, found=found)
        cluster.recording.pod_logs.append(
            PodLog(spec.namespace, spec.name, spec.container, host.name, tuple(lines))
        )


def _stuck(cluster: GangCluster, spec: PodSpec, plan: Plan) -> None:
    """List a pod whose sandbox cannot be made for want of the runtime that it names."""
    status = _write_creating(spec, plan.victim.down + 52)
    cluster.items.append(pod_objects.write_pod(spec, phase="Pending", status=status))
    text = (
        "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox "
        'runtime: no runtime for "nvidia" is configured'
    )
    first, last = plan.victim.kubelet + 5, cluster.recording.taken - 9
    cluster.events.append(
        objects.write_event(
            cluster.rng,
            Involved("Pod", spec.name, spec.namespace, spec.uid),
            first=cluster.recording.stamped(spec.node, first),
            last=cluster.recording.stamped(spec.node, last),
            count=int((last - first) // 13),
            reason="FailedCreatePodSandBox",
            message=text,
            component="kubelet",
            host=spec.node,
        )
    )


def _write_creating(spec: PodSpec, since: float) -> Body:
    """Write the status of a pod that is not ready since then and whose container waits."""
    conditions = [
        {"type": kind, "status": status, "reason": reason, "lastTransitionTime": write_iso(at)}
        for kind, status, reason, at in (
            ("PodScheduled", "True", "", spec.created),
            ("Ready", "False", "ContainersNotReady", since),
            ("ContainersReady", "False", "ContainersNotReady", since),
        )
    ]
    container = {
        "name": spec.container,
        "image": spec.image,
        "ready": False,
        "started": False,
        "restartCount": 0,
        "state": {"waiting": {"reason": "ContainerCreating"}},
        "lastState": {},
    }
    return {
        "startTime": write_iso(spec.created),
        "conditions": conditions,
        "containerStatuses": [container],
    }


def _plugin_log(recording: Recording, host: Host, since: float, *, found: bool) -> Lines:
    def say(late: float, level: str, where: str, text: str) -> tuple[float, str]:
        at = since + late
        return at, write_klog(level, recording.stamped(host.name, at), where, text, pid=1)

    socket = "/var/lib/kubelet/device-plugins"
    lines = [
        say(0.0, "I", "main.go:235", '"Starting NVIDIA Device Plugin" version="3c378193"'),
        say(0.1, "I", "main.go:238", f"Starting FS watcher for {socket}"),
        say(0.2, "I", "main.go:245", "Starting OS watcher."),
        say(0.3, "I", "main.go:260", "Starting Plugins."),
        say(0.4, "I", "main.go:317", "Loading configuration."),
        say(0.5, "I", "main.go:367", "Retrieving plugins."),
    ]
    if found:
        name = "'nvidia.com/gpu'"
        return [
            *lines,
            say(1.9, "I", "server.go:195", f"Starting GRPC server for {name}"),
            say(2.0, "I", "server.go:139", f"Starting to serve {name} on {socket}/nvidia-gpu.sock"),
            say(2.4, "I", "server.go:146", f"Registered device plugin for {name} with Kubelet"),
        ]
    library = "libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
    return [
        *lines,
        say(0.6, "E", "factory.go:112", "Incompatible strategy detected auto"),
        say(0.61, "E", "factory.go:113", f"could not load NVML library: {library}"),
        say(
            0.62,
            "E",
            "factory.go:114",
            "If this is a GPU node, did you configure the NVIDIA Container Toolkit?",
        ),
        say(0.7, "I", "main.go:381", "No devices found. Waiting indefinitely."),
    ]


def _serving(cluster: GangCluster, plan: Plan, rng: random.Random) -> None:
    """List the pods of an inference service on the victim: refused at once, then waiting."""
    victim, nodes = plan.victim, len(cluster.recording.hosts)
    name = f"llm-serve-{fleet.draw_suffix(rng, 9)}"
    start = cluster.recording.stamped(victim.name, victim.kubelet)

    def make(at: float, node: str) -> PodSpec:
        return PodSpec(
            SERVING,
            f"{name}-{fleet.draw_suffix(rng)}",
            fleet.draw_uuid(rng),
            node,
            at,
            image="registry.hydra.local/serve/vllm:0.8.4",
            container="vllm",
            gpus=EACH,
            memory="240Gi",
            labels=(("app", "llm-serve"),),
        )

    width = len(cluster.recording.hosts[victim.name].gpus) // EACH
    for _ in range(width):
        _refuse(cluster, make(victim.down - rng.uniform(2, 9) * 86400, victim.name), start + 1.4)
    for _ in range(rng.randrange(1, 4)):
        at = start + rng.uniform(3, 12)
        _refuse(cluster, make(at, victim.name), at + 0.3)
    if happens(rng, 0.5):
        at = start + GRACE_S + rng.uniform(60, 600)
        _refuse(cluster, make(at, victim.name), at + 0.2, late=True)
    words = (
        f"0/{nodes} nodes are available: {nodes} Insufficient nvidia.com/gpu. preemption: "
        f"0/{nodes} nodes are available: {nodes} No preemption victims found for incoming pod."
    )
    for _ in range(width):
        _wait(cluster, make(start + rng.uniform(14, 30), ""), words)


def _refuse(cluster: GangCluster, spec: PodSpec, at: float, *, late: bool = False) -> None:
    message = REFUSED.format(why=LATE if late else EARLY)
    status: Body = {
        "reason": "UnexpectedAdmissionError",
        "message": f"Pod was rejected: {message}",
        "startTime": write_iso(at),
    }
    cluster.items.append(pod_objects.write_pod(spec, phase="Failed", status=status))
    about = Involved("Pod", spec.name, spec.namespace, spec.uid)
    real = at - cluster.recording.hosts[spec.node].clock_offset_s
    cluster.tell(about, real, "UnexpectedAdmissionError", message, host=spec.node)


def _wait(cluster: GangCluster, spec: PodSpec, words: str) -> None:
    condition: Body = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": words,
        "lastTransitionTime": write_iso(spec.created),
    }
    status: Body = {"conditions": [condition]}
    cluster.items.append(pod_objects.write_pod(spec, phase="Pending", status=status))
    about = Involved("Pod", spec.name, spec.namespace, spec.uid)
    cluster.events.append(
        objects.write_event(
            cluster.rng,
            about,
            first=spec.created,
            last=cluster.recording.taken - 60,
            count=9,
            reason="FailedScheduling",
            message=words,
            component="default-scheduler",
        )
    )
