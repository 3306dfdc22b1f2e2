"""A data loader grows until its container's memory limit; the kernel kills it.

Everything after is collateral: exit 137, Xid 45 when the driver cleans up the dead process's
channels, NCCL errors on the peers, the failed job. Nothing is wrong with any GPU.
"""

import random

from evals import background, fleet
from evals.alerts import alert
from evals.background import sampled
from evals.model import Recording, Ticket, epoch, happens, iso, stream
from evals.pod_objects import PodSpec
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import child_failed, gang, peer_closed, steps

ID = "cgroup-oom-137"
NODES = 4
NOISE = 5000
LIMIT_KB = 512 << 20
ANCHOR = epoch("2025-08-19T13:40:00Z")


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = stream(ID, seed, "story")
    fault = gang_cluster.moment(rng, ANCHOR)
    recording = Recording(
        scenario=ID,
        seed=seed,
        cluster="draco",
        title="Training job failed with exit code 137 and Xid 45",
        since=fault - 3 * 3600,
        until=fault + 20 * 60,
        taken=fault + 20 * 60 - 5,
        reported=(fault - 40 * 60, fault + 20 * 60),
    )
    hosts = fleet.hosts(rng, gang_cluster.names(rng, NODES), subnet="10.40", booted=fault - 2e6)
    recording.add_hosts(hosts)
    job = gang(rng, "sft-instruct", hosts, fault - 9000, memory="512Gi")
    cluster = GangCluster(recording, job, rng)
    victim = rng.randrange(NODES)
    spec = job.pods[victim]
    pid = gang_cluster.pid(rng)
    _kernel(recording, spec, pid, fault, rng)
    _logs(cluster, victim, fault, rng)
    _objects(cluster, victim, fault, rng)
    gpu_health.readings(recording, rng, recording.taken - 60)
    noise = stream(ID, seed, "noise")
    times = gang_cluster.metrics(recording, noise, lambda _host, at: at < fault)
    _memory(recording, cluster, victim, times, fault)
    background.journals(recording, noise, max(30, round(NOISE * scale)))
    recording.alerts.append(
        alert(
            "KubeJobFailed",
            fault + 90,
            "warning",
            ("Job failed", f"Job train/{job.name} failed to complete"),
            namespace="train",
            job_name=job.name,
        )
    )
    recording.tickets += [
        Ticket(
            "en",
            f"{job.name} crashed again, exit 137, and dmesg on {spec.node} shows Xid 45. "
            "The GPU is broken, please RMA it.",
        ),
        Ticket(
            "zh",
            f"{job.name} 又崩了,退出码 137,{spec.node} 的 dmesg 里有 Xid 45,GPU 坏了,请走 RMA。",
        ),
    ]
    recording.facts |= {
        "pod": f"{spec.namespace}/{spec.name}",
        "container": spec.container_id[:12],
        "host": spec.node,
        "job": f"{job.namespace}/{job.name}",
        "first_anomaly": iso(fault),
    }
    return recording


def _kernel(
    recording: Recording, spec: PodSpec, pid: int, fault: float, rng: random.Random
) -> None:
    systemd = happens(rng, 0.6)
    uid = spec.uid.replace("-", "_") if systemd else spec.uid
    slice_ = f"/kubepods.slice/kubepods-pod{uid}.slice" if systemd else f"/kubepods/pod{uid}"
    scope = f"cri-containerd-{spec.container_id}.scope" if systemd else spec.container_id
    anon = LIMIT_KB - rng.randrange(1 << 20, 4 << 20)
    name = rng.choice(("pt_data_worker", "python3", "pt_main_thread"))
    total = anon + (40 << 20)
    constraint = (
        "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),"
        f"cpuset={scope},mems_allowed=0-1,oom_memcg={slice_},task_memcg={slice_}/{scope},"
        f"task={name},pid={pid},uid=0"
    )
    killed = (
        f"Memory cgroup out of memory: Killed process {pid} ({name}) total-vm:{total}kB, "
        f"anon-rss:{anon}kB, file-rss:68120kB, shmem-rss:{rng.randrange(1, 9) << 20}kB, UID:0 "
        f"pgtables:{anon >> 9}kB oom_score_adj:-997"
    )
    invoked = f"{name} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=-997"
    lines = (
        (0.0, invoked, 4),
        (
            1e-4,
            f"CPU: 41 PID: {pid} Comm: {name} Tainted: P           OE     5.15.0-134-generic",
            4,
        ),
        (
            2e-4,
            f"memory: usage {LIMIT_KB}kB, limit {LIMIT_KB}kB, failcnt {rng.randrange(900, 9000)}",
            6,
        ),
        (3e-4, f"Memory cgroup stats for {slice_}:", 6),
        (4e-4, constraint, 6),
        (5e-4, killed, 3),
        (
            0.9,
            (
                f"oom_reaper: reaped process {pid} ({name}), now anon-rss:0kB, file-rss:67000kB, "
                "shmem-rss:4194304kB"
            ),
            6,
        ),
    )
    for offset, text, priority in lines:
        recording.log(spec.node, fault + offset, "kernel", text, priority=priority)
    for gpu in rng.sample(recording.hosts[spec.node].gpus, 3):
        recording.log(
            spec.node,
            fault + 1.1 + gpu.index / 100,
            "kernel",
            f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}",
            priority=6,
        )
        recording.log(
            spec.node,
            fault + 1.2 + gpu.index / 100,
            "kernel",
            f"NVRM: Xid (PCI:{gpu.bdf}): 45, pid={pid + gpu.index}, name=python3, "
            f"Ch 0000000{8 + gpu.index % 8:x}",
            priority=3,
        )
    recording.log(
        spec.node,
        fault + 1.4,
        "containerd",
        f'level=info msg="TaskOOM event container_id:\\"{spec.container_id}\\""',
    )


def _logs(cluster: GangCluster, victim: int, fault: float, rng: random.Random) -> None:
    since = cluster.gang.pods[0].created + 60
    node = cluster.gang.pods[victim].node
    for index, spec in enumerate(cluster.gang.pods):
        lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += steps((since + 10, fault - 2), 2300, rng, spacing=33)
        if index == victim:
            lines += child_failed(fault + 1.5, rng.randrange(8), -9, rng)
        else:
            rank = index * 8 + rng.randrange(8)
            at = fault + rng.uniform(2, 6)
            lines += peer_closed(rank, at, node=spec.node, peer=node, rng=rng)
            lines += child_failed(at + 3, rank % 8, 1, rng)
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
            sampled("container_memory_working_set_bytes", labels, times, grown),
            sampled(
                "kube_pod_container_resource_limits",
                {**labels, "resource": "memory", "unit": "byte"},
                times,
                [limit] * len(times),
            ),
        ]
