"""A nightly backup writes to the disk that etcd logs to; what people see is the API server.

Each control-plane host backs itself up within minutes of the others. etcd waits for its disk,
leaders change, the API servers time out, a controller loses its lease and restarts, kubelets miss
renewals and some nodes are called Unknown for moments. Every pod goes on running all the while.
"""

import random

from evals import background, fleet, node_objects, objects, pod_objects
from evals.alerts import write_alert
from evals.model import Body, Frame, Host, Metric, Recording, open_stream, read_epoch, write_iso
from evals.node_objects import Ready
from evals.objects import Involved
from evals.pod_objects import PodSpec
from evals.scenarios import gang_cluster, gpu_health, nfs_outage, old_news
from evals.scenarios.etcd_slow_disk import control_plane, metrics, plan
from evals.scenarios.etcd_slow_disk.plan import RENEW_S, Plan, Silence
from evals.scenarios.gang_cluster import GangCluster
from evals.training import draw_gang, write_steps

ID = "etcd-slow-disk"
NODES, CONTROL = 28, 3
NOISE = 3000
LEAST_NOISE = 80
"""So that each host's kernel says something, however thin the noise."""
OLD_S = 27 * 86400.0
ANCHOR = read_epoch("2025-06-04T18:30:00Z")
FRAME = Frame(
    ID,
    "hydra",
    "kubectl times out, nodes flap between Ready and NotReady",
    before_s=3 * 3600,
    after_s=26 * 60,
    reported_s=30 * 60,
)
LEASES = "https://10.81.0.5:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
NEIGHBOURS = (
    ("site-backup", "Nightly backup of this host", "tar: Removing leading `/' from member names"),
    ("restic-backup", "Restic backup of /etc, /srv and /var", "open repository"),
    ("borgmatic", "borgmatic backup", "root: Creating archive"),
)
"""Unit, description and a line of what keeps the disk busy."""


def draw_night(seed: int) -> tuple[Recording, Plan, random.Random]:
    """Draw the machines, what their disks did, and the stream that the story goes on with."""
    rng = open_stream(ID, seed, "story")
    start = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, start)
    booted = start - OLD_S - 2e6
    workers = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.80", booted=booted
    )
    style = rng.choice(("cp-{:d}", "master-{:02d}", "k8s-control-{:d}", "etcd-cp{:d}"))
    names = [style.format(number + 1) for number in range(CONTROL)]
    control = fleet.draw_hosts(rng, names, subnet="10.81", booted=booted, gpu_count=0)
    recording.add_hosts([*workers, *control])
    return recording, plan.make(rng, control, workers, start), rng


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    recording, night, rng = draw_night(seed)
    workers = [host for host in recording.hosts.values() if host.gpus]
    control = [host for host in recording.hosts.values() if not host.gpus]
    start = night.members[0].busy[0]
    _backups(recording, night, rng)
    _kubelets(recording, night, rng)
    cluster = GangCluster(recording, draw_gang(rng, "cpt-longctx", workers, start - 2e5), rng)
    _objects(cluster, night, control, rng)
    _decoys(recording, workers, rng)
    gpu_health.add_readings(
        recording, rng, recording.taken - 60, only=[h.name for h in rng.sample(workers, 8)]
    )
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda _host, _at: True, step=60)
    metrics.add(recording, night, times, noise)
    recording.metrics[:] = [_flap(metric, night) for metric in recording.metrics]
    background.add_journals(recording, noise, max(LEAST_NOISE, round(NOISE * scale)))
    _report(recording, night)
    recording.facts |= {
        "host": night.members[0].host.name,
        "first_anomaly": write_iso(night.first.begin),
    }
    return recording


def _report(recording: Recording, night: Plan) -> None:
    late = night.first.end + 300
    burning = "The API server is burning too much error budget."
    recording.alerts.append(
        write_alert("KubeAPIErrorBudgetBurn", late, "critical", (burning, burning), long="1h")
    )
    for silence in _marked(night):
        words = ("Node not ready", f"Node {silence.node} is not ready")
        alert = write_alert(
            "NodeNotReady", silence.marked + 20, "critical", words, node=silence.node
        )
        recording.alerts.append(alert)
    recording.ask(
        en="kubectl hangs or says the server was unable to return a response in time, and nodes "
        f"flap between Ready and NotReady. Is the network of {_marked(night)[0].node} and the "
        "others broken? Should we drain them?",
        zh="kubectl 卡住或报服务器未能及时响应,节点在 Ready 和 NotReady 之间反复。"
        f"是不是 {_marked(night)[0].node} 等节点的网络坏了?要不要先驱逐?",
    )


def _marked(night: Plan) -> list[Silence]:
    return [silence for silence in night.silences if silence.marked]


def _backups(recording: Recording, night: Plan, rng: random.Random) -> None:
    """Log the neighbour on the disk of each control-plane host."""
    unit, words, line = rng.choice(NEIGHBOURS)
    for member in night.members:
        since, until = member.busy
        host = member.host.name
        recording.log(host, since, "systemd", f"Starting {unit}.service - {words}...")
        recording.log(host, since + 2, unit, line)
        recording.log(host, until, "systemd", f"{unit}.service: Deactivated successfully.")
        recording.log(host, until + 0.01, "systemd", f"Finished {unit}.service - {words}.")


def _kubelets(recording: Recording, night: Plan, rng: random.Random) -> None:
    """Log each renewal that failed; the node's own view is that nothing else is wrong."""
    for silence in night.silences:
        at = silence.since
        put = f'Put \\"{LEASES}/{silence.node}?timeout=10s\\"'
        errors = (
            f"{put}: net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
            f"{put}: context deadline exceeded",
            control_plane.SEALED,
        )
        while at < silence.until:
            text = f'"Failed to update lease" err="{rng.choice(errors)}"'
            stamp = recording.stamped(silence.node, at)
            klog = background.write_klog("E", stamp, "controller.go:195", text)
            recording.log(silence.node, at, "kubelet", klog, priority=3)
            at += RENEW_S + rng.uniform(0, 1.5)


def _objects(cluster: GangCluster, night: Plan, control: list[Host], rng: random.Random) -> None:
    recording = cluster.recording
    silences = {silence.node: silence for silence in night.silences}
    for name in ("kube-system", "train", "gpu-operator"):
        cluster.items.append(objects.write_namespace(rng, name, recording.since - 9e6))
    for host in recording.hosts.values():
        cluster.items.append(_node(rng, host, silences.get(host.name), recording.taken))
        cluster.items.append(
            node_objects.write_lease(rng, host, recording.taken - rng.uniform(0, 9))
        )
    for silence in _marked(night):
        _tell_flap(cluster, silence)
    pods = control_plane.draw_pods(rng, night, control[0].booted + 90)
    control_plane.write_logs(recording, night, pods, rng)
    for (component, name), spec in pods.items():
        lost = component == "kube-controller-manager" and name == night.members[0].host.name
        cluster.items.append(_static_pod(spec, night.lost_lease if lost else 0.0))
    for index, spec in enumerate(cluster.gang.pods):
        cluster.pod_running(index, spec.created + 40)
        lines = [(recording.since + 3, "init_process_group(backend=nccl, timeout=600)")]
        span = (recording.since + 9, recording.until - 4)
        cluster.log(index, lines + (write_steps(span, 8800, rng, spacing=33) if not index else []))
    cluster.job(cluster.gang.pods[0].created, None)
    cluster.list()


def _node(rng: random.Random, host: Host, silence: Silence | None, at: float) -> Body:
    if silence is None:
        blocked: Body = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
        labels = {"node-role.kubernetes.io/control-plane": ""}
        ready = Ready("True", host.booted + 60)
        return node_objects.write_node(
            rng, host, at=at, ready=ready, taints=(blocked,), labels=labels
        )
    since = silence.until + 2 if silence.marked else host.booted + 60
    return node_objects.write_node(rng, host, at=at, ready=Ready("True", since))


def _static_pod(spec: PodSpec, lost: float) -> Body:
    if not lost:
        status = pod_objects.write_running(spec, spec.created)
        return pod_objects.write_pod(spec, phase="Running", status=status)
    ended = pod_objects.write_end(spec, spec.created, lost + 0.1, code=1, reason="Error")
    status = pod_objects.write_running(spec, lost + 2, 1, ended=ended)
    return pod_objects.write_pod(spec, phase="Running", status=status)


def _tell_flap(cluster: GangCluster, silence: Silence) -> None:
    """Record that the controller called the node not ready, and the kubelet ready again."""
    about = Involved("Node", silence.node, uid=silence.node)
    name = silence.node
    cluster.tell(
        about, silence.marked, "NodeNotReady", f"Node {name} status is now: NodeNotReady",
        component="node-controller", kind="Normal",
    )  # fmt: skip
    cluster.tell(
        about, silence.until + 2, "NodeReady", f"Node {name} status is now: NodeReady",
        component="kubelet", host=name, kind="Normal",
    )  # fmt: skip


def _flap(metric: Metric, night: Plan) -> Metric:
    """Let the node's Ready series show the moments in which it was Unknown."""
    if metric.name != "kube_node_status_condition":
        return metric
    spans = [(s.marked, s.until + 2) for s in _marked(night) if s.node == metric.labels["node"]]
    if not spans or metric.labels["status"] != "true":
        return metric
    since, until = spans[0]
    samples = tuple((at, 0.0 if since <= at < until else value) for at, value in metric.samples)
    return Metric(metric.name, metric.labels, samples)


def _decoys(recording: Recording, workers: list[Host], rng: random.Random) -> None:
    """Log an Xid of last month, a chronic corrected error and a link that blinked for a second."""
    old, chronic, blinked = rng.sample(workers, 3)
    text = "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    old_news.log_xid(recording, old, rng.choice(old.gpus), recording.since - OLD_S, text)
    old_news.log_corrected(recording, chronic, rng)
    old_news.log_blink(recording, blinked, recording.until - rng.uniform(70, 100) * 60)
    for host in recording.hosts.values():
        recording.commands.append(nfs_outage.record_tracking(host, recording.taken - 40))
