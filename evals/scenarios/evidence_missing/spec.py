"""A worker of a job died, and the one log that would say why cannot be read.

Either its launcher saw SIGKILL, which the kernel, the kubelet or a person may send, and the node's
journal was rotated away or may not be read; or it ended by itself with status 1, and the log of
its container is gone. All else was read and says only what followed.
"""

import math
import random
from dataclasses import dataclass

from evals import background, fleet
from evals.alerts import write_alert
from evals.fleet import draw_suffix
from evals.model import Frame, Loss, PodLog, Recording, happens, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health, nfs_outage, old_news
from evals.scenarios.gang_cluster import GangCluster
from evals.training import draw_gang, write_child_failure, write_peer_closed, write_steps

ID = "evidence-missing"
NODES = 12
NOISE = 4000
ANCHOR = read_epoch("2025-05-14T21:05:00Z")
OLD_S = 33 * 86400.0
FRAME = Frame(
    ID,
    "fornax",
    "Training job died, one worker first",
    before_s=3 * 3600,
    after_s=25 * 60,
    reported_s=40 * 60,
)
NOT_ALLOWED = (
    "Hint: You are currently not seeing messages from other users and the system. Users in groups "
    "'adm', 'systemd-journal' can see all messages. No journal files were opened due to "
    "insufficient permissions."
)
FORBIDDEN = (
    'Error from server (Forbidden): pods "{pod}" is forbidden: User "oncall" cannot get resource '
    '"pods/log" in API group "" in the namespace "{namespace}"'
)
REMOVED = "unable to retrieve container logs for containerd://{container}"


@dataclass(frozen=True, slots=True)
class Death:
    """Who died, when, how, and what hides the reason."""

    victim: int
    at: float
    killed: bool
    """By SIGKILL, which only a kernel log explains; else by itself, which only its own log does."""
    refused: bool
    """The log is there and may not be read; else it is gone."""


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.70", booted=fault - OLD_S - 4e6
    )
    recording.add_hosts(hosts)
    death = Death(rng.randrange(NODES), fault, happens(rng, 0.5), happens(rng, 0.5))
    cluster = GangCluster(recording, draw_gang(rng, "reward-model", hosts, fault - 3e4), rng)
    _decoys(cluster, death, rng)
    _logs(cluster, death, rng)
    _objects(cluster, death, rng)
    if death.killed:
        _lose_journal(recording, cluster.gang.pods[death.victim].node, death, rng)
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    noise = open_stream(ID, seed, "noise")
    gang_cluster.add_metrics(recording, noise, lambda _host, at: at < fault)
    background.add_journals(recording, noise, max(30, round(NOISE * scale)))
    _report(cluster, death)
    recording.facts |= _name_facts(cluster, death)
    return recording


def _name_facts(cluster: GangCluster, death: Death) -> dict[str, str]:
    spec = cluster.gang.pods[death.victim]
    return {
        "place": spec.node if death.killed else spec.name,
        "look": r"journalctl (?:.* )?-k\b" if death.killed else r"kubectl logs\b",
        "undecided": "gpu-hardware-failure" if death.killed else "python-exception",
        "lost": "(?i)kernel log|journal" if death.killed else "(?i)log",
        "host": spec.node,
        "first_anomaly": write_iso(death.at),
    }


def _report(cluster: GangCluster, death: Death) -> None:
    recording, job = cluster.recording, cluster.gang.name
    node = cluster.gang.pods[death.victim].node
    words = ("Job failed", f"Job train/{job} failed to complete")
    recording.alerts.append(
        write_alert(
            "KubeJobFailed", death.at + 100, "warning", words, namespace="train", job_name=job
        )
    )
    recording.ask(
        en=f"{job} died again, this time the worker on {node} went first. "
        "Surely the GPU there is bad, please send it back to the vendor.",
        zh=f"{job} 又挂了,这次最先退出的是 {node} 上的 worker,肯定是那边的 GPU 坏了,请返厂。",
    )


def _lose_journal(recording: Recording, host: str, death: Death, rng: random.Random) -> None:
    """Take the journal away, or all of it that is older than some minutes after the death."""
    if death.refused:
        recording.losses[host] = Loss(until=math.inf, refusal=NOT_ALLOWED)
        return
    vacuumed = death.at + rng.uniform(4, 12) * 60
    recording.losses[host] = Loss(until=vacuumed)
    size, freed = rng.choice((("4.0G", "3.9G"), ("2.0G", "1.9G"), ("1.0G", "992.0M")))
    place = f"/var/log/journal/{recording.hosts[host].machine_id}"
    for offset, text in (
        (0.4, f"Vacuuming done, freed {freed} of archived journals from {place}."),
        (0.5, f"System Journal ({place}) is {size}, max {size}, 0B free."),
    ):
        recording.log(host, vacuumed + offset, "systemd-journald", text)


def _logs(cluster: GangCluster, death: Death, rng: random.Random) -> None:
    since = cluster.gang.pods[0].created + 60
    node = cluster.gang.pods[death.victim].node
    for index, spec in enumerate(cluster.gang.pods):
        lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += write_steps((since + 10, death.at - 2), 7100, rng, spacing=33)
        if index != death.victim:
            rank = index * 8 + rng.randrange(8)
            at = death.at + rng.uniform(2, 6)
            lines += write_peer_closed(rank, at, node=spec.node, peer=node, rng=rng)
            lines += write_child_failure(at + 3, rank % 8, 1, rng)
        elif death.killed:
            lines += write_child_failure(death.at + 1.5, rng.randrange(8), -9, rng)
        else:
            _lose_log(cluster, death)
            continue
        cluster.log(index, lines)


def _lose_log(cluster: GangCluster, death: Death) -> None:
    """Record what was answered instead of the container's log."""
    spec = cluster.gang.pods[death.victim]
    words = {"pod": spec.name, "namespace": spec.namespace, "container": spec.container_id}
    refusal = (FORBIDDEN if death.refused else REMOVED).format(**words)
    cluster.recording.pod_logs.append(
        PodLog(spec.namespace, spec.name, spec.container, spec.node, (), refusal=refusal)
    )


def _objects(cluster: GangCluster, death: Death, rng: random.Random) -> None:
    cluster.nodes()
    for index, spec in enumerate(cluster.gang.pods):
        first = index == death.victim
        until = death.at + (2.5 if first else rng.uniform(9, 14))
        cluster.pod_failed(index, spec.created + 40, until, code=1)
    cluster.job(cluster.gang.pods[0].created, death.at + 30)
    cluster.list()


def _decoys(cluster: GangCluster, death: Death, rng: random.Random) -> None:
    """Log what has nothing to do with it: an Xid of last month, a chronic error, a warning."""
    recording = cluster.recording
    names = [spec.node for spec in cluster.gang.pods]
    others = [name for place, name in enumerate(names) if place != death.victim]
    old, chronic, warned = (recording.hosts[name] for name in rng.sample(others, 3))
    process = f"pid={gang_cluster.draw_pid(rng)}, name=python3"
    contained = f"94, {process}, Contained: CE User Channel (0x9). RST: No, D-RST: No"
    old_news.log_xid(recording, old, rng.choice(old.gpus), death.at - OLD_S, contained)
    old_news.log_corrected(recording, chronic, rng)
    pod = f"monitoring/node-exporter-{draw_suffix(rng)}"
    late = death.at - rng.uniform(600, 3000)
    probe = f'"Probe failed" probeType="Readiness" pod="{pod}" probeResult="failure"'
    stamp = recording.stamped(warned.name, late)
    klog = background.write_klog("I", stamp, "prober.go:107", probe)
    recording.log(warned.name, late, "kubelet", klog)
    for name in names:
        host = recording.hosts[name]
        recording.commands.append(nfs_outage.record_tracking(host, recording.taken - 45))
