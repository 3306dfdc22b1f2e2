"""Astra: a storage controller fails over, and a health check turns a wait into a collapse.

Where the source document cannot hold, the scenario is physically right instead:

- kubelet runs no health-check script. Here a systemd timer runs it, and a named controller
  (gpu-node-health-controller) taints the node NoExecute on its result: the amplifier.
- The way to NotReady is PLEG: a relist waits on a container that waits on the share, and after
  three minutes kubelet itself reports it. Some nodes flap, because their runtime missed its own
  status check before. The lease is renewed all the time: no heartbeat is lost.
- With most of a zone NotReady the node lifecycle controller stops evicting (fewer than 51 nodes);
  the mass eviction comes from the NoExecute taint of the health controller.
- `exit status 32` belongs to new mounts of rescheduled pods, two minutes after they began.
- The GPUs vanish from the scheduler since the taint evicts the device plugin, not since they fail.
- The service address stays 10.0.0.10 (see `nfs_outage`).
"""

import random

from evals import background
from evals.alerts import write_alert
from evals.background import pair_samples
from evals.model import Body, Recording, open_stream
from evals.scenarios import nfs_outage
from evals.scenarios.astra_storage_failover import cluster, nodes, plan, workload
from evals.scenarios.astra_storage_failover.plan import ID, Plan
from evals.scenarios.astra_storage_failover.pods import NAMESPACE, Pods
from evals.scenarios.storage_log import write_storage_log

NOISE_PER_NODE = 10_000


def record(seed: int, scale: float = 1.0, *, count: int = plan.NODES) -> Recording:
    """Play the outage; `scale` thins the background noise only, `count` is for the bench."""
    story = plan.make(seed, count)
    recording = plan.FRAME.open(seed, story.outage.failover)
    recording.add_hosts(node.host for node in story.nodes.values())
    words = open_stream(ID, seed, "words")
    nodes.write(recording, story, words)
    recording.files.append(write_storage_log(story.outage, words, recording))
    pods = cluster.write(recording, story, words)
    noise = open_stream(ID, seed, "noise")
    workload.write(recording, story, pods, noise, spacing=11.0 / min(1.0, max(scale, 0.1)))
    _metrics(recording, story, pods, noise)
    recording.alerts += _alerts(story)
    recording.alerts_taken = story.looked + 120
    _ask(recording, story)
    background.add_journals(recording, noise, max(20, round(NOISE_PER_NODE * scale)))
    recording.facts |= story.outage.facts(story.witness)
    return recording


def _metrics(recording: Recording, story: Plan, pods: Pods, rng: random.Random) -> None:
    times = background.list_ticks(story.since + 20 * 60, story.until, 30)
    over = story.outage.over()

    def busy(host: str, at: float) -> bool:
        return at < story.nodes[host].tainted + 20 or at > over + 120

    background.add_gpu_metrics(recording, rng, times, busy)
    background.add_host_metrics(recording, rng, times)
    recording.metrics += nfs_outage.sample_clients(story.outage, rng, times)
    for node in story.nodes.values():
        labels = {"node": node.host.name, "job": "kube-state-metrics"}
        ready = [cluster.read_ready(node, at - 5).status == "True" for at in times]
        for status, shown in (("true", ready), ("false", [not r for r in ready])):
            recording.metrics.append(
                pair_samples(
                    "kube_node_status_condition",
                    {**labels, "condition": "Ready", "status": status},
                    times,
                    map(float, shown),
                )
            )
        gpus = {**labels, "resource": "nvidia_com_gpu", "unit": "integer"}
        left = [0.0 if node.tainted + 4 <= at < node.untainted + 12 else 8.0 for at in times]
        recording.metrics += [
            pair_samples("kube_node_status_capacity", gpus, times, [8.0] * len(times)),
            pair_samples("kube_node_status_allocatable", gpus, times, left),
            pair_samples("kube_node_info", labels, times, [1.0] * len(times)),
        ]
    for job in story.jobs:
        ends = [s.deleted for s in pods.stories if s.job is job and s.deleted]
        counts = [float(sum(1 for end in ends if end <= at)) for at in times]
        labels = {"namespace": NAMESPACE, "job_name": job.name, "job": "kube-state-metrics"}
        recording.metrics.append(pair_samples("kube_job_status_failed", labels, times, counts))


def _alerts(story: Plan) -> list[Body]:
    outage, taints = story.outage, [node.tainted for node in story.nodes.values()]
    latency = (
        "NFS latency on /data is high",
        f"p99 NFS operation latency on {outage.server}:/data is above 30 s for 1 minute",
    )
    failing = (
        "Training pods are failing",
        f"{len(story.jobs)} training jobs lost pods in 5 minutes",
    )
    empty = (
        "No allocatable GPU left",
        "sum(kube_node_status_allocatable nvidia_com_gpu) is 0 of 240",
    )
    high, critical = "warning", "critical"
    return [
        write_alert(
            "StorageLatencyHigh", outage.failover + 95, high, latency, server=outage.server
        ),
        write_alert("TrainingJobFailed", min(taints) + 70, critical, failing, namespace=NAMESPACE),
        write_alert("GPUAllocatableZero", max(taints) + 60, critical, empty),
        *_not_ready(story),
    ]


def _not_ready(story: Plan) -> list[Body]:
    """Alert on each node that lost PLEG; the rule calls it a lost heartbeat."""
    lost = {n.host.name: n.pleg[0] for n in story.nodes.values() if n.pleg}
    return [
        write_alert(
            "NodeHeartbeatLost",
            since + 30,
            "critical",
            (f"Node {name} is not ready", f"Node {name} has been NotReady for more than 30 s"),
            node=name,
        )
        for name, since in lost.items()
    ]


def _ask(recording: Recording, story: Plan) -> None:
    local = nfs_outage.write_wall(story.outage.failover + 70)
    recording.ask(
        en=f"Since about {local[11:16]} (Beijing time) many Astra nodes flip between Ready "
        "and NotReady, schedulable GPUs fell from 240 to 0 and most training jobs failed. "
        f"ls and df hang on {story.witness}. Did a batch of GPUs burn out?",
        zh=f"北京时间 {local[11:16]} 左右起,Astra 大量节点在 Ready 与 NotReady 之间反复跳动,"
        "可调度 GPU 从 240 张降到 0,多数训练任务失败。"
        f"在 {story.witness} 上执行 ls 和 df 会卡住。是不是 GPU 批量烧毁了?",
    )
