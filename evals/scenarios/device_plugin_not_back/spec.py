"""After a reboot one node offers no GPU: its device plugin did not come back.

The round of kernel updates went well on every node before. The driver of this one sees all of its
GPUs and they are well; the pods that were bound to it are refused, their successors wait.
"""

import random

from evals import background, fleet
from evals.alerts import write_alert
from evals.model import Frame, Metric, Recording, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health, nfs_outage, old_news
from evals.scenarios.device_plugin_not_back import cluster as listing
from evals.scenarios.device_plugin_not_back import plan
from evals.scenarios.device_plugin_not_back.plan import Plan, Restart
from evals.scenarios.gang_cluster import GangCluster
from evals.training import draw_gang, write_steps

ID = "device-plugin-not-back"
NODES = 24
NOISE = 3000
LEAST_NOISE = 80
"""So that each host's kernel says something, however thin the noise."""
OLD_S = 25 * 86400.0
ANCHOR = read_epoch("2025-04-22T05:10:00Z")
FRAME = Frame(
    ID,
    "lupus",
    "A node lost all its GPUs after a reboot, serving pods are Pending",
    before_s=4 * 3600,
    after_s=52 * 60,
    reported_s=20 * 60,
)
RUNTIME = ("nvidia-runtime-missing", "system")
KERNEL = (
    "Linux version 5.15.0-139-generic (buildd@lcy02-amd64-067) (gcc (Ubuntu 11.4.0-1ubuntu1~22.04) "
    "11.4.0, GNU ld (GNU Binutils for Ubuntu) 2.38) #149-Ubuntu SMP Fri Apr 11 22:06:13 UTC 2025"
)
AGENT = "kubelet: The Kubernetes Node Agent"
DRIVER = f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {gpu_health.DRIVER}"


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.90", booted=fault - OLD_S - 3e6
    )
    round_ = plan.make(rng, hosts, fault)
    anew = {restart.name: restart for restart in round_.restarts}
    recording.add_hosts(
        plan.start_anew(rng, host, anew[host.name]) if host.name in anew else host for host in hosts
    )
    still = [host for host in hosts if host.name not in anew]
    cluster = GangCluster(recording, draw_gang(rng, "code-pretrain", still, fault - 3e5), rng)
    for restart in round_.restarts:
        _restart(recording, restart)
    _work(cluster, rng)
    listing.write(cluster, round_, rng)
    cluster.list()
    _decoys(recording, [host.name for host in still], rng)
    gpu_health.add_readings(
        recording, rng, recording.taken - 50, only=[*anew, *(host.name for host in still[:4])]
    )
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda host, _at: host not in anew, step=60)
    _offers(recording, anew, times)
    recording.metrics[:] = [_interrupt(metric, recording, round_) for metric in recording.metrics]
    background.add_journals(recording, noise, max(LEAST_NOISE, round(NOISE * scale)))
    _silence(recording, anew)
    _report(recording, round_.victim)
    recording.facts |= _name_facts(round_, fault)
    return recording


def _name_facts(round_: Plan, fault: float) -> dict[str, str]:
    """Name what is true; where the plugin cannot be started the message itself names the reason."""
    named = ("device-plugin-not-registered", "orchestration") if round_.runs else RUNTIME
    return {
        "host": round_.victim.name,
        "reason": named[0],
        "layer": named[1],
        "first_anomaly": write_iso(fault),
    }


def _report(recording: Recording, victim: Restart) -> None:
    late = victim.kubelet + 330
    words = ("Too few GPUs", f"{victim.name} offers 0 of 8 GPUs")
    recording.alerts.append(
        write_alert("NodeGPUAllocatableLow", late, "critical", words, node=victim.name)
    )
    text = "Deployment serve/llm-serve has not matched the expected number of replicas."
    recording.alerts.append(
        write_alert(
            "KubeDeploymentReplicasMismatch", late + 600, "warning",
            ("Deployment has not matched the expected number of replicas.", text),
            namespace="serve", deployment="llm-serve",
        )
    )  # fmt: skip
    recording.ask(
        en=f"{victim.name} lost all 8 GPUs after tonight's reboot and llm-serve is Pending "
        "(Insufficient nvidia.com/gpu). Did the reboot kill the board? Please open an RMA.",
        zh=f"{victim.name} 今晚重启后 8 张 GPU 全没了,llm-serve 一直 Pending"
        "(Insufficient nvidia.com/gpu)。是不是重启把主板搞坏了?请走 RMA。",
    )


def _restart(recording: Recording, restart: Restart) -> None:
    """Log an orderly way down and up again; the driver finds every GPU."""
    name, up, kubelet = restart.name, restart.up, restart.kubelet

    def klog(at: float, where: str, text: str) -> str:
        return background.write_klog("I", recording.stamped(name, at), where, text)

    version = klog(kubelet, "server.go:467", '"Kubelet version" kubeletVersion="v1.32.4"')
    said = [
        (restart.down, "systemd-logind", "System is rebooting."),
        (restart.down + 4, "systemd", f"Stopping kubelet.service - {AGENT}..."),
        (restart.down + 21, "systemd", "Reached target reboot.target - System Reboot."),
        (up, "kernel", KERNEL),
        (up + 9, "kernel", f"{DRIVER}  Thu Oct 31 03:11:07 UTC 2024"),
        (up + 14, "nvidia-persistenced", "Started (1411)"),
        (up + 17, "systemd", "Started containerd.service - containerd container runtime."),
        (kubelet - 0.4, "systemd", f"Started kubelet.service - {AGENT}."),
        (kubelet, "kubelet", version),
    ]
    if restart.registered:
        text = (
            '"Got registration request from device plugin with resource" '
            'resourceName="nvidia.com/gpu"'
        )
        line = klog(restart.registered, "server.go:144", text)
        said.append((restart.registered, "kubelet", line))
    for at, unit, text in said:
        recording.log(name, at, unit, text)


def _work(cluster: GangCluster, rng: random.Random) -> None:
    """Let the training on the other nodes go on."""
    recording = cluster.recording
    for index, spec in enumerate(cluster.gang.pods):
        cluster.pod_running(index, spec.created + 40)
        lines = [(recording.since + 3, "init_process_group(backend=nccl, timeout=600)")]
        span = (recording.since + 9, recording.until - 4)
        cluster.log(index, lines + (write_steps(span, 5100, rng, spacing=33) if not index else []))
    cluster.job(cluster.gang.pods[0].created, None)


def _offers(recording: Recording, anew: dict[str, Restart], times: list[float]) -> None:
    """Sample what each node offers: after its kubelet started, only what was registered since."""
    for host in recording.hosts.values():
        restart = anew.get(host.name)
        values = [_offered(restart, at) for at in times]
        for name in ("kube_node_status_capacity", "kube_node_status_allocatable"):
            labels = {
                "node": host.name,
                "resource": "nvidia_com_gpu",
                "unit": "integer",
                "job": "kube-state-metrics",
            }
            recording.metrics.append(background.pair_samples(name, labels, times, values))


def _offered(restart: Restart | None, at: float) -> float:
    if restart is None or at < restart.kubelet:
        return 8.0
    return 8.0 if restart.registered and at >= restart.registered else 0.0


def _interrupt(metric: Metric, recording: Recording, round_: Plan) -> Metric:
    """Take away what nobody could scrape while a node was down; boots show in their own series."""
    name = metric.labels.get("Hostname") or metric.labels.get("instance", "").split(":")[0]
    restart = next((r for r in round_.restarts if r.name == name), None)
    if restart is None:
        return _unready(metric, round_)
    back = restart.registered or restart.kubelet
    blind = metric.name.startswith("DCGM") and restart is round_.victim
    before = recording.hosts[name].before
    earlier = float(int(before.booted)) if before else 0.0
    samples = tuple(
        (at, earlier if metric.name == "node_boot_time_seconds" and at < restart.up else value)
        for at, value in metric.samples
        if at < restart.down or (at > back and not blind)
    )
    return Metric(metric.name, metric.labels, samples)


def _unready(metric: Metric, round_: Plan) -> Metric:
    if metric.name != "kube_node_status_condition" or metric.labels["status"] != "true":
        return metric
    spans = {r.name: (r.down + 50, r.kubelet + 12) for r in round_.restarts}
    since, until = spans.get(metric.labels["node"], (0.0, 0.0))
    samples = tuple((at, 0.0 if since <= at < until else value) for at, value in metric.samples)
    return Metric(metric.name, metric.labels, samples)


def _silence(recording: Recording, anew: dict[str, Restart]) -> None:
    """Let no host write while it is down."""
    for name, restart in anew.items():
        recording.journal[name] = [
            entry
            for entry in recording.journal[name]
            if not restart.down + 21 < entry.at < restart.up
        ]


def _decoys(recording: Recording, names: list[str], rng: random.Random) -> None:
    """Log an application's fault of last month and a corrected error all day, on other nodes."""
    old, chronic = (recording.hosts[name] for name in rng.sample(names, 2))
    mmu = "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_a2c00000"
    fault = f"31, pid={gang_cluster.draw_pid(rng)}, name=python3, Ch 00000008, intr 00000000. {mmu}"
    old_news.log_xid(recording, old, rng.choice(old.gpus), recording.since - OLD_S, fault)
    old_news.log_corrected(recording, chronic, rng)
    for host in recording.hosts.values():
        recording.commands.append(nfs_outage.record_tracking(host, recording.taken - 40))
