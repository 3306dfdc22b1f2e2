"""One GPU has an uncontained ECC error; hundreds of nodes say nothing but "timeout".

The victim's process dies at once with CUDA error 214. Its peers wait in a collective over RDMA
and hear of nothing until their own watchdogs give up 600 s later, on every rank of every node.
"""

import random

from evals import background, fleet
from evals.alerts import write_alert
from evals.model import Frame, Gpu, Recording, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import (
    WATCHDOG_S,
    Lines,
    draw_collective,
    draw_gang,
    write_child_failure,
    write_giving_up,
    write_steps,
    write_traceback,
)

ID = "one-dead-rank"
NODES = 160
NOISE_VICTIM, NOISE_PEER = 6000, 400
ANCHOR = read_epoch("2025-09-11T17:20:00Z")
FRAME = Frame(
    ID,
    "borealis",
    "Training job stopped: NCCL watchdog timeouts on all nodes",
    before_s=40 * 60,
    after_s=25 * 60,
    reported_s=20 * 60,
)


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.20", booted=fault - 3e6
    )
    recording.add_hosts(hosts)
    victim = rng.randrange(1, NODES)
    host = hosts[victim]
    gpu = rng.choice(host.gpus)
    cluster = GangCluster(recording, draw_gang(rng, "moe-pretrain", hosts, fault - 2e5), rng)
    _kernel(recording, host.name, gpu, fault, rng)
    _logs(cluster, victim, gpu.index, fault, rng)
    _objects(cluster, victim, gpu, fault)
    _readings(recording, host.name, gpu.index, rng)
    noise = open_stream(ID, seed, "noise")
    gang_cluster.add_metrics(recording, noise, lambda _host, at: at < fault + 610, step=60)
    gang_cluster.hold_xid(recording, gpu.uuid, fault, 95.0)
    _noise(recording, host.name, noise, scale)
    _report(recording, cluster.gang.name, fault + WATCHDOG_S)
    recording.facts |= {**gang_cluster.name_gpu(host, gpu), "first_anomaly": write_iso(fault)}
    return recording


def _noise(recording: Recording, victim: str, rng: random.Random, scale: float) -> None:
    """Add the everyday entries; hundreds of peers are kept short."""
    span = (recording.since, recording.until)
    for host in recording.hosts.values():
        count = NOISE_VICTIM if host.name == victim else NOISE_PEER
        recording.journal[host.name] += background.draw_entries(
            rng, host, span, max(12, round(count * scale))
        )


def _report(recording: Recording, job: str, late: float) -> None:
    words = ("Training made no progress", f"Job {job} printed no step for 10 minutes")
    recording.alerts.append(
        write_alert(
            "TrainingJobStalled", late + 60, "critical", words, namespace="train", job_name=job
        )
    )
    recording.ask(
        en=f"Job {job} died with NCCL timeouts on all {NODES} nodes at once. "
        "Looks like the InfiniBand fabric went down. Please check the network.",
        zh=f"任务 {job} 在全部 {NODES} 个节点上同时报 NCCL 超时退出,"
        "看起来像是 InfiniBand 网络断了,请检查网络。",
    )


def _kernel(recording: Recording, name: str, gpu: Gpu, fault: float, rng: random.Random) -> None:
    pid = gang_cluster.draw_pid(rng)
    owner = rng.choice((f"pid={pid}, name=python3, ", "pid='<unknown>', name=<unknown>, "))
    where = rng.choice(("LTC TAG (0x2, 0x1)", "FBHUB", "LTC DATA (0x4, 0x0)"))
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    lines = (
        (-0.05, f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}"),
        (-0.049, f"NVRM: GPU Board Serial Number: {gpu.serial}"),
        (
            0.0,
            (
                f"{head}48, {owner}An uncorrectable double bit error (DBE) has been detected "
                "on GPU in the framebuffer at partition 4, subpartition 1."
            ),
        ),
        (0.08, f"{head}95, {owner}Uncontained: {where}. RST: Yes, D-RST: No"),
        (
            0.31,
            f"{head}154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)",
        ),
        (1.7, f"{head}45, pid={pid}, name=python3, Ch 00000008"),
        (1.71, f"{head}45, pid={pid}, name=python3, Ch 00000009"),
    )
    for offset, text in lines:
        recording.log(name, fault + offset, "kernel", text, priority=3)


def _logs(cluster: GangCluster, victim: int, local: int, fault: float, rng: random.Random) -> None:
    recording = cluster.recording
    work = draw_collective(rng)
    for index in range(len(cluster.gang.pods)):
        lines = [(recording.since + 5, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += write_steps((recording.since + 10, fault - 2), 48000, rng)
        if index == victim:
            lines += _death(victim, local, fault, rng)
        else:
            ranks = cluster.gang.ranks(index)
            lines += write_giving_up(ranks, fault + WATCHDOG_S, work, rng, spread=9)
        cluster.log(index, lines)


def _death(victim: int, local: int, fault: float, rng: random.Random) -> Lines:
    rank = victim * 8 + local
    at = fault + rng.uniform(0.4, 2.5)
    place = '  File "/workspace/pretrain_gpt.py", line 214, in <module>'
    error = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
    return [*write_traceback(rank, at, place, error), *write_child_failure(at + 2.5, local, 1, rng)]


def _objects(cluster: GangCluster, victim: int, gpu: Gpu, fault: float) -> None:
    recording, name = cluster.recording, cluster.gang.pods[victim].node
    cluster.nodes({name: 7})
    cluster.pods_failed(victim, fault + 7, fault + WATCHDOG_S)
    cluster.gpu_unhealthy(name, gpu, fault + 3, 95)
    text = background.write_klog(
        "W",
        recording.stamped(name, fault + 3),
        "manager.go:287",
        f'"Device marked unhealthy" resource="nvidia.com/gpu" device="{gpu.uuid}"',
    )
    recording.log(name, fault + 3, "kubelet", text, priority=4)
    cluster.list()


def _readings(recording: Recording, name: str, index: int, rng: random.Random) -> None:
    gpu_health.add_readings(
        recording, rng, recording.taken - 60, only=_sample(recording, name, rng)
    )
    gpu_health.wound(recording, name, index, uncorrectable=1, action="GPU Reset Required")


def _sample(recording: Recording, name: str, rng: random.Random) -> list[str]:
    others = [host for host in recording.hosts if host != name]
    return [name, *rng.sample(others, 12)]
