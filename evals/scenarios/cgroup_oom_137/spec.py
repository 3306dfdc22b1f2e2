"""A data loader grows until its container's memory limit; the kernel kills it.

Everything after is collateral: exit 137, Xid 45 when the driver cleans up the dead process's
channels, NCCL errors on the peers, the failed job. Nothing is wrong with any GPU.
"""

import random

from evals import background, fleet
from evals.alerts import write_alert
from evals.background import pair_samples
from evals.model import Frame, Recording, happens, open_stream, read_epoch, write_iso
from evals.pod_objects import PodSpec
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import Gang, draw_gang, write_child_failure, write_peer_closed, write_steps

ID = "cgroup-oom-137"
NODES = 4
NOISE = 5000
LIMIT_KB = 512 << 20
ANCHOR = read_epoch("2025-08-19T13:40:00Z")
FRAME = Frame(
    ID,
    "draco",
    "Training job failed with exit code 137 and Xid 45",
    before_s=3 * 3600,
    after_s=20 * 60,
    reported_s=40 * 60,
)
OOM_REPORT = (
    (0.0, 4, "{name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-997"),
    (1e-4, 4, "CPU: 41 PID: {pid} Comm: {name} Tainted: P           OE     5.15.0-134-generic"),
    (2e-4, 6, "memory: usage {limit}kB, limit {limit}kB, failcnt {failures}"),
    (3e-4, 6, "Memory cgroup stats for {slice}:"),
    (
        4e-4,
        6,
        (
            "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={scope},mems_allowed=0-1,"
            "oom_memcg={slice},task_memcg={slice}/{scope},task={name},pid={pid},uid=0"
        ),
    ),
    (
        5e-4,
        3,
        (
            "Memory cgroup out of memory: Killed process {pid} ({name}) total-vm:{total}kB, "
            "anon-rss:{anon}kB, file-rss:68120kB, shmem-rss:{shared}kB, UID:0 pgtables:{tables}kB "
            "oom_score_adj:-997"
        ),
    ),
    (
        0.9,
        6,
        (
            "oom_reaper: reaped process {pid} ({name}), now anon-rss:0kB, file-rss:67000kB, "
            "shmem-rss:4194304kB"
        ),
    ),
)
"""The kernel's report of a kill by a cgroup's limit: seconds after it, priority, text."""


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.40", booted=fault - 2e6
    )
    recording.add_hosts(hosts)
    job = draw_gang(rng, "sft-instruct", hosts, fault - 9000, memory="512Gi")
    cluster = GangCluster(recording, job, rng)
    victim = rng.randrange(NODES)
    spec = job.pods[victim]
    pid = gang_cluster.draw_pid(rng)
    _kill(recording, spec, pid, fault, rng)
    _cleanup(recording, spec, pid, fault, rng)
    _logs(cluster, victim, fault, rng)
    _objects(cluster, victim, fault, rng)
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda _host, at: at < fault)
    _memory(recording, cluster, victim, times, fault)
    background.add_journals(recording, noise, max(30, round(NOISE * scale)))
    _report(recording, job, spec.node, fault)
    recording.facts |= {
        "pod": f"{spec.namespace}/{spec.name}",
        "container": spec.container_id[:12],
        "uid": spec.uid,  # all that the kernel says of a pod
        "host": spec.node,
        "job": f"{job.namespace}/{job.name}",
        "first_anomaly": write_iso(fault),
    }
    return recording


def _report(recording: Recording, job: Gang, node: str, fault: float) -> None:
    words = ("Job failed", f"Job train/{job.name} failed to complete")
    recording.alerts.append(
        write_alert(
            "KubeJobFailed", fault + 90, "warning", words, namespace="train", job_name=job.name
        )
    )
    recording.ask(
        en=f"{job.name} crashed again, exit 137, and dmesg on {node} shows Xid 45. "
        "The GPU is broken, please RMA it.",
        zh=f"{job.name} 又崩了,退出码 137,{node} 的 dmesg 里有 Xid 45,GPU 坏了,请走 RMA。",
    )


def _kill(recording: Recording, spec: PodSpec, pid: int, fault: float, rng: random.Random) -> None:
    """Log the kernel's report of the kill; cgroups are named by either of two drivers."""
    systemd = happens(rng, 0.6)
    uid = spec.uid.replace("-", "_") if systemd else spec.uid
    anon = LIMIT_KB - rng.randrange(1 << 20, 4 << 20)
    words = {
        "pid": pid,
        "slice": f"/kubepods.slice/kubepods-pod{uid}.slice" if systemd else f"/kubepods/pod{uid}",
        "scope": f"cri-containerd-{spec.container_id}.scope" if systemd else spec.container_id,
        "name": rng.choice(("pt_data_worker", "python3", "pt_main_thread")),
        "limit": LIMIT_KB,
        "anon": anon,
        "total": anon + (40 << 20),
        "tables": anon >> 9,
        "shared": rng.randrange(1, 9) << 20,
        "failures": rng.randrange(900, 9000),
    }
    for offset, priority, text in OOM_REPORT:
        recording.log(spec.node, fault + offset, "kernel", text.format(**words), priority=priority)


def _cleanup(
    recording: Recording, spec: PodSpec, pid: int, fault: float, rng: random.Random
) -> None:
    """Log what the driver and the runtime say of the process that is gone: collateral."""
    for gpu in rng.sample(recording.hosts[spec.node].gpus, 3):
        at = gpu.index / 100
        channel = f"Ch 0000000{8 + gpu.index % 8:x}"
        found = f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}"
        xid = f"NVRM: Xid (PCI:{gpu.bdf}): 45, pid={pid + gpu.index}, name=python3, {channel}"
        recording.log(spec.node, fault + 1.1 + at, "kernel", found)
        recording.log(spec.node, fault + 1.2 + at, "kernel", xid, priority=3)
    event = f'level=info msg="TaskOOM event container_id:\\"{spec.container_id}\\""'
    recording.log(spec.node, fault + 1.4, "containerd", event)


def _logs(cluster: GangCluster, victim: int, fault: float, rng: random.Random) -> None:
    since = cluster.gang.pods[0].created + 60
    node = cluster.gang.pods[victim].node
    for index, spec in enumerate(cluster.gang.pods):
        lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += write_steps((since + 10, fault - 2), 2300, rng, spacing=33)
        if index == victim:
            lines += write_child_failure(fault + 1.5, rng.randrange(8), -9, rng)
        else:
            rank = index * 8 + rng.randrange(8)
            at = fault + rng.uniform(2, 6)
            lines += write_peer_closed(rank, at, node=spec.node, peer=node, rng=rng)
            lines += write_child_failure(at + 3, rank % 8, 1, rng)
        cluster.log(index, lines)


def _objects(cluster: GangCluster, victim: int, fault: float, rng: random.Random) -> None:
    cluster.nodes()
    for index, spec in enumerate(cluster.gang.pods):
        dead = index == victim
        until = fault + (2 if dead else rng.uniform(9, 14))
        cluster.pod_failed(
            index,
            spec.created + 40,
            until,
            code=137 if dead else 1,
            reason="OOMKilled" if dead else "Error",
        )
    cluster.job(cluster.gang.pods[0].created, fault + 30)
    cluster.list()


def _memory(
    recording: Recording, cluster: GangCluster, victim: int, times: list[float], fault: float
) -> None:
    """Sample the working set: it climbs to the limit in the victim, and is flat elsewhere."""
    begin = cluster.gang.pods[0].created
    for index, spec in enumerate(cluster.gang.pods):
        labels = {"namespace": spec.namespace, "pod": spec.name, "container": spec.container}
        limit = float(LIMIT_KB * 1024)
        grown = [
            limit * (0.3 + 0.69 * ((at - begin) / (fault - begin) if index == victim else 0.1))
            if at < fault
            else 0.0
            for at in times
        ]
        recording.metrics += [
            pair_samples("container_memory_working_set_bytes", labels, times, grown),
            pair_samples(
                "kube_pod_container_resource_limits",
                {**labels, "resource": "memory", "unit": "byte"},
                times,
                [limit] * len(times),
            ),
        ]
