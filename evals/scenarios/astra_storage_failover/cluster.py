"""What the Astra control plane recorded: nodes, taints, jobs, events, and the health controller."""

import random

from evals import fleet, node_objects, objects, pod_objects
from evals.background import write_klog
from evals.model import Body, Host, PodLog, Recording, write_iso
from evals.node_objects import Ready
from evals.objects import Involved
from evals.scenarios.astra_storage_failover.nodes import write_pleg, write_taint
from evals.scenarios.astra_storage_failover.plan import NodeStory, Plan
from evals.scenarios.astra_storage_failover.pods import CLAIM, NAMESPACE, Pods
from evals.scenarios.nfs_outage import PROBE_FILE

CONTROLLER = "gpu-node-health-controller"
CONTROLLER_NAMESPACE = "gpu-system"


def write(recording: Recording, plan: Plan, rng: random.Random) -> Pods:
    """Write both listings of the cluster's objects and return the pods they hold."""
    pods = Pods(plan, rng)
    pods.play()
    events = [*pods.events]
    for story in plan.nodes.values():
        events += write_node_events(rng, story)
    _rename_uids(recording)
    for at in (plan.looked + 45, recording.taken):
        recording.snapshots[at] = _listing(recording, plan, pods, events, at)
    recording.pod_logs.append(_controller_log(plan, rng))
    return pods


def _rename_uids(recording: Recording) -> None:
    recording.facts["kube_system_uid"] = fleet.draw_uuid(
        random.Random(f"{recording.scenario}/{recording.seed}/cluster")
    )


def _listing(
    recording: Recording, plan: Plan, pods: Pods, events: list[Body], at: float
) -> list[Body]:
    """List the cluster at `at`; the same seed gives the same uids in every listing."""
    rng = random.Random(f"{recording.scenario}/{recording.seed}/objects")
    found = [_kube_system(rng, recording, plan)]
    found += [
        objects.write_namespace(rng, name, plan.since - 9e6) for name in (NAMESPACE, "gpu-system")
    ]
    found += _control_plane(rng, plan, at)
    for story in plan.nodes.values():
        found.append(_node(rng, story, at))
        found.append(node_objects.write_lease(rng, story.host, at - 4))
    found += objects.write_nfs_volume(
        rng,
        "pv-astra-data",
        server=plan.outage.server,
        path="/data",
        created=plan.since - 9e6,
        claim=CLAIM,
        space=NAMESPACE,
    )
    found += [_job(rng, plan, pods, index, at) for index in range(len(plan.jobs))]
    found += pods.listed(at)
    found.append(_daemonset(rng, plan, at))
    found += [item for item in events if str(item["lastTimestamp"]) <= write_iso(at)]
    return found


def _kube_system(rng: random.Random, recording: Recording, plan: Plan) -> Body:
    body = objects.write_namespace(rng, "kube-system", plan.since - 9e6)
    meta = body["metadata"]
    if isinstance(meta, dict):
        meta["uid"] = recording.facts["kube_system_uid"]
    return body


def _control_plane(rng: random.Random, plan: Plan, at: float) -> list[Body]:
    names = [f"astra-cp-{number:02d}" for number in (1, 2, 3)]
    hosts = fleet.draw_hosts(rng, names, subnet="10.1", booted=plan.since - 4e6, gpu_count=0)
    blocked: Body = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    labels = {"node-role.kubernetes.io/control-plane": ""}
    return [
        node_objects.write_node(
            rng,
            host,
            at=at,
            ready=Ready("True", plan.since - 4e6),
            taints=(blocked,),
            labels=labels,
        )
        for host in hosts
    ]


def read_ready(story: NodeStory, at: float) -> Ready:
    """Return the node's Ready condition at a moment."""
    for span, words in (
        (story.runtime_down, "container runtime is down"),
        (story.pleg, "[" + write_pleg(183.4) + "]"),
    ):
        if span and span[0] <= at < span[1]:
            return Ready("False", span[0], "KubeletNotReady", words)
    ends = [span[1] for span in (story.runtime_down, story.pleg) if span and span[1] <= at]
    return Ready("True", max(ends, default=story.host.booted))


def _node(rng: random.Random, story: NodeStory, at: float) -> Body:
    tainted = story.tainted <= at < story.untainted
    ready = read_ready(story, at)
    taints: list[Body] = [write_taint(story.tainted)] if tainted else []
    if ready.status == "False":
        taints += [
            {
                "key": "node.kubernetes.io/not-ready",
                "effect": effect,
                "timeAdded": write_iso(ready.since),
            }
            for effect in ("NoSchedule", "NoExecute")
        ]
    gone = story.tainted + 4 <= at < story.untainted + 12
    return node_objects.write_node(
        rng, story.host, at=at, ready=ready, taints=taints, allocatable=0 if gone else None
    )


def _job(rng: random.Random, plan: Plan, pods: Pods, index: int, at: float) -> Body:
    job = plan.jobs[index]
    failed = pods.failed_at(job)
    status: Body = {
        "active": len(job.nodes),
        "failed": sum(1 for s in pods.stories if s.job is job and s.deleted and s.deleted <= at),
    }
    if failed and failed <= at:
        status["active"] = 0
        status["conditions"] = [
            {
                "type": "Failed",
                "status": "True",
                "reason": "BackoffLimitExceeded",
                "message": "Job has reached the specified backoff limit",
                "lastTransitionTime": write_iso(failed),
                "lastProbeTime": write_iso(failed),
            }
        ]
    return pod_objects.write_job(
        rng,
        job.name,
        uid=job.uid,
        namespace=NAMESPACE,
        started=plan.since - 7200,
        width=len(job.nodes),
        status=status,
    )


def _daemonset(rng: random.Random, plan: Plan, at: float) -> Body:
    out = sum(1 for s in plan.nodes.values() if s.tainted <= at < s.untainted + 12)
    meta = objects.write_metadata(
        rng, "nvidia-device-plugin-daemonset", plan.since - 9e6, "gpu-operator"
    )
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": meta,
        "spec": {"selector": {"matchLabels": {"app": "nvidia-device-plugin-daemonset"}}},
        "status": {
            "desiredNumberScheduled": len(plan.nodes) - out,
            "currentNumberScheduled": len(plan.nodes) - out,
            "numberReady": len(plan.nodes) - out,
            "numberMisscheduled": 0,
        },
    }


def write_node_events(rng: random.Random, story: NodeStory) -> list[Body]:
    """Write the events about one node, each on its reporter's clock."""
    host = story.host
    about = Involved("Node", host.name, uid=host.name)
    found = [
        objects.write_event(
            rng,
            about,
            first=story.failed[0] + 0.8,
            last=story.failed[-1] + 0.8,
            count=len(story.failed),
            reason="GPUHealthCheckFailed",
            message=f"gpu-healthcheck.sh failed on node {host.name} (exit code 1): "
            "ERROR: cannot write temp file to /data/checkpoints/.healthcheck",
            component=CONTROLLER,
        ),
        objects.write_event(
            rng,
            about,
            first=story.tainted,
            reason="NodeTainted",
            message=f"Node {host.name} failed health check gpu-healthcheck.sh 2 times in a row, "
            "adding taint gpu-health.astra.io/unhealthy=true:NoExecute",
            component=CONTROLLER,
        ),
        objects.write_event(
            rng,
            about,
            first=story.untainted,
            reason="NodeUntainted",
            kind="Normal",
            message=f"Node {host.name} passed health check gpu-healthcheck.sh, "
            "removing taint gpu-health.astra.io/unhealthy",
            component=CONTROLLER,
        ),
    ]
    for span in (story.runtime_down, story.pleg):
        if span:
            found += _flap(rng, host, about, span)
    return found


def _flap(rng: random.Random, host: Host, about: Involved, span: tuple[float, float]) -> list[Body]:
    off = host.clock_offset_s
    return [
        objects.write_event(
            rng,
            about,
            first=at + off,
            reason=reason,
            kind="Normal",
            message=f"Node {host.name} status is now: {reason}",
            component="kubelet",
            host=host.name,
        )
        for at, reason in zip(span, ("NodeNotReady", "NodeReady"), strict=True)
    ]


def _controller_log(plan: Plan, rng: random.Random) -> PodLog:
    """Write the health controller's own log."""
    lines: list[tuple[float, str]] = []

    def say(at: float, level: str, text: str) -> None:
        where = f"controller.go:{rng.randrange(90, 400)}"
        lines.append((at, write_klog(level, at, where, text, pid=1)))

    say(plan.since + 5, "I", f'"Starting {CONTROLLER}" interval="every result" failureThreshold=2')
    for story in plan.nodes.values():
        name = story.host.name
        for at in story.failed:
            say(
                at + 0.8,
                "W",
                f'"Health check failed" node="{name}" check="gpu-healthcheck.sh" '
                f'exitCode=1 output="ERROR: cannot write temp file to {PROBE_FILE}"',
            )
        say(
            story.tainted,
            "W",
            f'"Adding taint" node="{name}" taint="gpu-health.astra.io/unhealthy=true:NoExecute"',
        )
        say(
            story.untainted,
            "I",
            f'"Removing taint" node="{name}" taint="gpu-health.astra.io/unhealthy=true:NoExecute"',
        )
    name = f"{CONTROLLER}-{fleet.draw_hexadecimal(rng, 9)}-{fleet.draw_suffix(rng)}"
    return PodLog(CONTROLLER_NAMESPACE, name, "controller", "", tuple(sorted(lines)))
