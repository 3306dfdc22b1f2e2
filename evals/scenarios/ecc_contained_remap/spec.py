"""A worn memory bank of one GPU: an error that was repaired, then one that cannot be.

The first uncorrectable error is contained: Xid 48, then 94, one process dies, and the row is marked
for remapping (63), with the last spare row of its bank. The other jobs on the node train on. The
device plugin is restarted, the job comes back to the same GPU, and hours later the same bank fails
again with no spare row left: Xid 64. What an engineer must do is told by that last line alone.
"""

import random
from dataclasses import dataclass, replace

from evals import background, fleet
from evals.alerts import write_alert
from evals.background import pair_samples
from evals.model import Frame, Gpu, Host, Recording, happens, open_stream, read_epoch, write_iso
from evals.objects import Involved
from evals.pod_objects import PodSpec, write_pod
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import Gang, draw_gang, write_child_failure, write_steps, write_traceback

ID = "ecc-contained-remap"
NODES = 8
GPUS_OF_JOB = 4
NOISE = 2600
ANCHOR = read_epoch("2025-07-08T11:25:00Z")
FRAME = Frame(
    ID,
    "lyra",
    "Fine-tuning job crashed twice today with CUDA errors",
    before_s=7 * 3600,
    after_s=25 * 60,
    reported_s=6.5 * 3600,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """When and where: the first error, its repeat, and the bank it comes from."""

    host: Host
    gpu: Gpu
    first: float
    back: float
    """When the device plugin was restarted and gave the GPU back."""
    again: float
    bank_rows: int
    """Rows remapped on this GPU before the day began."""


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    again = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, again)
    names = gang_cluster.draw_names(rng, NODES)
    hosts = fleet.draw_hosts(rng, names, subnet="10.50", booted=again - 3e6)
    recording.add_hosts(hosts)
    host = hosts[rng.randrange(NODES)]
    first = again - rng.uniform(2.0, 5.5) * 3600
    plan = Plan(
        host=host,
        gpu=host.gpus[rng.randrange(GPUS_OF_JOB)],
        first=first,
        back=first + rng.uniform(9, 25) * 60,
        again=again,
        bank_rows=rng.randrange(7, 19),
    )
    others = [h for h in hosts if h is not host]
    _errors(recording, plan, rng)
    _decoys(recording, others, rng)
    job = _jobs(recording, plan, others, rng)
    _readings(recording, plan, rng)
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda _host, _at: True, hours=7.0, step=60)
    gang_cluster.hold_xid(recording, plan.gpu.uuid, plan.first, 45.0)
    _remap_metrics(recording, plan, times)
    background.add_journals(recording, noise, max(30, round(NOISE * scale)))
    _report(recording, plan, job)
    recording.facts |= {
        **gang_cluster.name_gpu(host, plan.gpu),
        "first_anomaly": write_iso(plan.first),
        "again": write_iso(again),
        "job": f"{job.namespace}/{job.name}",
    }
    return recording


def _errors(recording: Recording, plan: Plan, rng: random.Random) -> None:
    """Log both errors as the driver prints them, and what the device plugin makes of them."""
    head = f"NVRM: Xid (PCI:{plan.gpu.bdf}): "
    named = happens(rng, 0.5)
    row = rng.getrandbits(33) & ~0xFFF
    for at, final in ((plan.first, False), (plan.again, True)):
        pid = gang_cluster.draw_pid(rng)
        owner = f"pid={pid}, name=python3, " if named else "pid='<unknown>', name=<unknown>, "
        place = (row + rng.randrange(0, 16) * 0x1000) if final else row
        lines = [
            (-0.02, f"NVRM: GPU at PCI:{plan.gpu.bdf}: {plan.gpu.uuid}"),
            (-0.019, f"NVRM: GPU Board Serial Number: {plan.gpu.serial}"),
            (
                0.0,
                (
                    f"{head}48, {owner}An uncorrectable double bit error (DBE) has been detected "
                    f"on GPU in the framebuffer at physAddr {place:#x} partition 3, "
                    "subpartition 0."
                ),
            ),
            *_containment(head, owner, place, rng, final=final),
            (rng.uniform(1.2, 2.0), f"{head}45, pid={pid}, name=python3, Ch 00000008"),
            (rng.uniform(2.0, 2.2), f"{head}45, pid={pid}, name=python3, Ch 00000009"),
        ]
        for offset, text in lines:
            recording.log(plan.host.name, at + offset, "kernel", text, priority=3)
        _plugin(recording, plan, at + rng.uniform(0.3, 2.0))


def _containment(
    head: str, owner: str, place: int, rng: random.Random, *, final: bool
) -> list[tuple[float, str]]:
    """Write how far the error reached and whether its row was repaired; in either order."""
    contained = (
        f"{head}94, {owner}Contained: FB DED (0x3, 0x1). physAddr: {place:#018x}. "
        "RST: No, D-RST: Yes"
    )
    repair = (
        f"{head}64, {owner}Row Remapper Error: ({place:#018x}) - "
        "All reserved rows for bank are remapped"
        if final
        else f"{head}63, {owner}Row Remapper: New row ({place:#018x}) marked for remapping, "
        "reset gpu to activate."
    )
    pair = [contained, repair] if happens(rng, 0.7) else [repair, contained]
    lines = [(0.008 + 0.012 * number, text) for number, text in enumerate(pair)]
    action = f"{head}154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"
    return lines if final else [*lines, (0.16, action)]


def _plugin(recording: Recording, plan: Plan, at: float) -> None:
    text = background.write_klog(
        "W",
        recording.stamped(plan.host.name, at),
        "manager.go:287",
        f'"Device marked unhealthy" resource="nvidia.com/gpu" device="{plan.gpu.uuid}"',
    )
    recording.log(plan.host.name, at, "kubelet", text, priority=4)


def _decoys(recording: Recording, others: list[Host], rng: random.Random) -> None:
    """An old application fault elsewhere, and a port that corrects errors all day."""
    far, noisy = rng.sample(others, 2)
    gpu = rng.choice(far.gpus)
    at = recording.since + rng.uniform(600, 3000)
    recording.log(far.name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    fault = (
        f"NVRM: Xid (PCI:{gpu.bdf}): 31, pid={gang_cluster.draw_pid(rng)}, name=python3, "
        "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ "
        "0x7f_a2c00000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
    )
    recording.log(far.name, at + 0.01, "kernel", fault, priority=3)
    port = rng.choice(noisy.gpus)
    at = recording.since + 40
    while at < recording.until:
        for offset, text in enumerate(
            (
                f"pcieport {port.port}: AER: Corrected error received: {port.bdf}.0",
                (
                    f"nvidia {port.bdf}.0: PCIe Bus Error: severity=Corrected, "
                    "type=Data Link Layer, (Transmitter ID)"
                ),
                f"nvidia {port.bdf}.0:    [12] Timeout",
            )
        ):
            recording.log(noisy.name, at + offset * 1e-5, "kernel", text, priority=4)
        at += rng.uniform(500, 800)


def _jobs(recording: Recording, plan: Plan, others: list[Host], rng: random.Random) -> Gang:
    """Run the job that dies, its neighbours on the node and the big job next door."""
    started = recording.since - 3e4
    job = _narrow(draw_gang(rng, "sft-reward", [plan.host], started), GPUS_OF_JOB)
    second = _narrow(draw_gang(rng, "unused", [plan.host], plan.back + 8), GPUS_OF_JOB).pods[0]
    again = replace(second, name=f"{job.name}-0-{fleet.draw_suffix(rng)}", job=job.name)
    again = replace(again, job_uid=job.uid)
    cluster = GangCluster(recording, replace(job, pods=(job.pods[0], again)), rng)
    cluster.nodes({plan.host.name: 7})
    _crashes(cluster, plan, rng)
    for name, hosts, width in (
        ("eval-longctx", [plan.host], 2),
        ("distill-small", [plan.host], 2),
        ("llm-pretrain", others, 8),
    ):
        gang = _narrow(draw_gang(rng, name, hosts, started), width)
        neighbour = GangCluster(recording, gang, rng)
        _train_on(neighbour, rng)
        cluster.items += neighbour.items
        cluster.events += neighbour.events
    cluster.list()
    return job


def _narrow(gang: Gang, gpus: int) -> Gang:
    return replace(gang, pods=tuple(replace(pod, gpus=gpus) for pod in gang.pods))


def _train_on(cluster: GangCluster, rng: random.Random) -> None:
    recording = cluster.recording
    for index, spec in enumerate(cluster.gang.pods):
        lines = [(recording.since + 2, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            span = (recording.since + 5, recording.until - 8)
            lines += write_steps(span, rng.randrange(9_000, 90_000), rng, spacing=44)
        cluster.log(index, lines)
        cluster.pod_running(index, spec.created + 40)
    cluster.job(cluster.gang.pods[0].created, None)


def _crashes(cluster: GangCluster, plan: Plan, rng: random.Random) -> None:
    """Let the job die twice and wait for a third place that is not there."""
    recording, job = cluster.recording, cluster.gang
    spans = ((recording.since - 2e4, plan.first), (plan.back + 50, plan.again))
    for index, (since, died) in enumerate(spans):
        local = plan.gpu.index
        at = died + rng.uniform(0.4, 2.2)
        begun = max(since, recording.since + 2)
        lines = [(begun, "init_process_group(backend=nccl, timeout=600)")]
        lines += write_steps((begun + 9, died - 2), 1200 + 1500 * index, rng, spacing=33)
        place = '  File "/workspace/sft/train.py", line 388, in training_step'
        error = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
        lines += write_traceback(local, at, place, error)
        lines += write_child_failure(at + 2.5, local, 1, rng)
        cluster.log(index, lines)
        cluster.pod_failed(index, since, died + 6, code=1)
    waiting = replace(job.pods[1], name=f"{job.name}-0-{fleet.draw_suffix(rng)}", node="")
    waiting = replace(waiting, uid=fleet.draw_uuid(rng), created=plan.again + 18)
    _wait(cluster, waiting)
    cluster.job(job.pods[0].created, None)
    name = plan.host.name
    cluster.gpu_unhealthy(name, plan.gpu, plan.again + 1.5, 48)


def _wait(cluster: GangCluster, spec: PodSpec) -> None:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": f"0/{NODES} nodes are available: {NODES} Insufficient nvidia.com/gpu.",
        "lastTransitionTime": write_iso(spec.created),
    }
    cluster.items.append(write_pod(spec, phase="Pending", status={"conditions": [condition]}))
    cluster.tell(
        Involved("Pod", spec.name, spec.namespace, spec.uid),
        spec.created + 1,
        "FailedScheduling",
        f"0/{NODES} nodes are available: {NODES} Insufficient nvidia.com/gpu. preemption: "
        f"0/{NODES} nodes are available: {NODES} No preemption victims found for incoming pod.",
        component="default-scheduler",
    )


def _readings(recording: Recording, plan: Plan, rng: random.Random) -> None:
    """Read the flag that decides; another GPU of the node has a repaired row of last year."""
    name = plan.host.name
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    spent = plan.bank_rows + 1
    gpu_health.wound(recording, name, plan.gpu.index, uncorrectable=2, action="Drain and Reset")
    old = rng.choice([g for g in plan.host.gpus if g is not plan.gpu])
    gpu_health.remap(recording, name, plan.gpu.index, rows=spent, failed=True)
    gpu_health.remap(recording, name, old.index, rows=1)


def _remap_metrics(recording: Recording, plan: Plan, times: list[float]) -> None:
    """Sample the remapping counters that the exporter shows by default."""
    for host in recording.hosts.values():
        for gpu in host.gpus:
            labels = {"gpu": str(gpu.index), "UUID": gpu.uuid, "Hostname": host.name}
            worn = gpu is plan.gpu
            rows = [plan.bank_rows + (at >= plan.first) if worn else 0.0 for at in times]
            failed = [float(worn and at >= plan.again) for at in times]
            recording.metrics += [
                pair_samples("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", labels, times, rows),
                pair_samples("DCGM_FI_DEV_ROW_REMAP_FAILURE", labels, times, failed),
            ]


def _report(recording: Recording, plan: Plan, job: Gang) -> None:
    words = ("Pod failed", f"A pod of job train/{job.name} failed and its successor is pending")
    recording.alerts.append(
        write_alert(
            "TrainingPodFailed",
            plan.again + 70,
            "warning",
            words,
            namespace="train",
            job_name=job.name,
        )
    )
    recording.ask(
        en=f"{job.name} crashed again on {plan.host.name}, the two other jobs there are fine. This "
        "morning we restarted the device plugin because Xid 94 needs no more than a restart, and "
        "it ran for hours. Is it Xid 13 from our new kernel?",
        zh=f"{job.name} 在 {plan.host.name} 上又崩了,同节点另外两个任务正常。"
        "早上因为 Xid 94 只需重启应用,我们重启了设备插件,之后跑了几个小时。"
        "是不是我们新写的 kernel 触发了 Xid 13?",
    )
