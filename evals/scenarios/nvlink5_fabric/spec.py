"""One NVLink switch chip of a rack stops; every GPU of the rack loses one link in one second.

In a rack of eighteen compute trays each of the 72 GPUs has a link to each of eighteen switch chips.
When a chip goes, nearly every GPU prints a fatal Xid 149 for the link that led there, many print
the errors of their peers (145, 144), the driver removes their channels (45) and asks for a drain
and reset (154). The job over the rack dies within seconds; another rack trains on.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from evals import background
from evals.alerts import write_alert
from evals.model import Body, Frame, Gpu, Host, Recording, happens, open_stream, read_epoch
from evals.model import write_iso as write_time
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.scenarios.nvlink5_fabric import rack
from evals.scenarios.nvlink5_fabric.rack import Change, Chip, GpuError
from evals.training import (
    Gang,
    Lines,
    draw_gang,
    write_child_failure,
    write_peer_closed,
    write_steps,
    write_traceback,
)

ID = "nvlink5-fabric"
OTHER_TRAYS = 6
NOISE = 2000
FATAL_SHARE = 0.88
"""Of the GPUs, those that print the fatal line; the others only tell of their peers."""
ANCHOR = read_epoch("2026-03-18T04:40:00Z")
FRAME = Frame(
    ID,
    "carina",
    "NVLink errors on all nodes of a rack, job stopped",
    before_s=80 * 60,
    after_s=20 * 60,
    reported_s=30 * 60,
)
WORDS = "0x00000000 0x00000000 0x00000000 0x00000000 0x00000000"


@dataclass(frozen=True, slots=True)
class Plan:
    """The rack, the chip that stops and when; the rack that goes on."""

    trays: list[Host]
    others: list[Host]
    chips: list[Chip]
    chip: Chip
    links: list[int]
    """By slot of a tray: the GPU's link to the chip."""
    fault: float
    cliques: tuple[str, str]

    def port_of(self, host: Host, gpu: Gpu) -> int:
        """Return the chip's port that leads to a GPU; the same on every chip."""
        return self.trays.index(host) * len(rack.GPU_ADDRESSES) + gpu.index + 1


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    plan = _plan(fault, rng)
    recording.add_hosts([*plan.trays, *plan.others])
    errors = _kernel(recording, plan, rng)
    _decoys(recording, plan, rng)
    _switch_logs(recording, plan, errors, rng)
    cluster = GangCluster(recording, draw_gang(rng, "moe-train", plan.trays, fault - 9e4), rng)
    _logs(cluster, plan, rng)
    items = _objects(cluster, plan, rng)
    _readings(recording, plan, rng)
    noise = open_stream(ID, seed, "noise")
    broken = {host.name for host in plan.trays}
    gang_cluster.add_metrics(
        recording, noise, lambda host, at: host not in broken or at < fault, step=60
    )
    for host in plan.trays:
        for gpu in host.gpus:
            gang_cluster.hold_xid(recording, gpu.uuid, fault, 154.0)
    rack.rename_model(recording, items)
    background.add_journals(recording, noise, max(40, round(NOISE * scale)))
    _report(recording, plan, cluster.gang.name)
    recording.facts |= {
        "switch": plan.chip.guid,
        "tray": plan.chip.tray,
        "clique": plan.cliques[0],
        "first_anomaly": write_time(fault),
    }
    return recording


def _plan(fault: float, rng: random.Random) -> Plan:
    number = rng.randrange(10, 90)
    style = rng.choice(("gb-nvl-{:03d}", "r{:03d}", "nvl72-{:02d}"))
    names = [style.format(number), style.format(number + 1)]
    trays = rack.draw_trays(rng, names[0], rack.TRAYS, subnet="10.70", booted=fault - 2e6)
    others = rack.draw_trays(rng, names[1], OTHER_TRAYS, subnet="10.71", booted=fault - 2e6)
    chips = rack.draw_chips(rng, names[0])
    chip = rng.choice(chips)
    links = [slot.index(chip.number) for slot in rack.draw_slots(rng)]
    cluster = "-".join(f"{rng.getrandbits(4 * n):0{n}x}" for n in (8, 4, 4, 4, 12))
    cliques = (f"{cluster}.{rng.randrange(1000, 32766)}", f"{cluster}.{rng.randrange(1, 999)}")
    return Plan(trays, others, chips, chip, links, fault, cliques)


def _kernel(recording: Recording, plan: Plan, rng: random.Random) -> list[GpuError]:
    """Log what each GPU reports; return what the fabric manager hears of it."""
    told = []
    for tray, host in enumerate(plan.trays):
        pid = gang_cluster.draw_pid(rng)
        sure = rng.randrange(len(host.gpus))
        for gpu in host.gpus:
            at = plan.fault + rng.uniform(0.02, 0.85)
            fatal = gpu.index == sure or happens(rng, FATAL_SHARE)
            link = plan.links[gpu.index]
            _gpu_lines(recording, host, gpu, (at, pid + gpu.index, link), rng, fatal=fatal)
            if fatal:
                guid = f"0x{rng.getrandbits(64):016X}"
                told.append(GpuError(at, tray, gpu.index, guid, link + 1))
    return told


def _gpu_lines(
    recording: Recording,
    host: Host,
    gpu: Gpu,
    when: tuple[float, int, int],
    rng: random.Random,
    *,
    fatal: bool,
) -> None:
    at, pid, link = when
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    action = "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)"
    removed = f"Ch 00000008 caused by previous Xid {149 if fatal else 145}"
    lines = [
        (-0.002, f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}"),
        (-0.001, f"NVRM: GPU Board Serial Number: {gpu.serial}"),
        *((offset, head + text) for offset, text in _link_errors(link, pid, rng, fatal=fatal)),
        (rng.uniform(0.5, 0.9), f"{head}154, {action}"),
        (rng.uniform(0.9, 2.2), f"{head}45, pid={pid}, name=python3, {removed}"),
    ]
    for offset, text in lines:
        recording.log(host.name, at + offset, "kernel", text, priority=3)


def _link_errors(
    link: int, pid: int, rng: random.Random, *, fatal: bool
) -> Iterator[tuple[float, str]]:
    """Say which links a GPU lost, with seconds after the chip stopped."""
    if fatal:
        yield 0.0, f"149, NETIR_LINK_DOWN Fatal XC0 i0 Link {link:02d} (0x021425c6 {WORDS})"
    if not fatal or happens(rng, 0.6):
        other = rng.choice([n for n in range(rack.CHIPS) if n != link])
        registers = "0x0409a0c2 0x00000008 0x00000001 0x00000000 0x00100000 0x00000004"
        told = f"RLW_RXPIPE Nonfatal XC0 i0 Link {other:02d} ({registers})"
        yield rng.uniform(0.01, 0.4), f"145, pid={pid}, name=python3, {told}"
    if fatal and happens(rng, 0.2):
        registers = "0x00000001 0x00000008 0x00000000 0x00000000 0x00000000 0x00000000"
        told = f"SAW_MVB Nonfatal XC0 i0 Link {link:02d} ({registers})"
        yield rng.uniform(0.01, 0.2), f"144, {told}"


def _decoys(recording: Recording, plan: Plan, rng: random.Random) -> None:
    """A cable that has been watched for weeks, and an application's fault of this morning."""
    host = rng.choice(plan.trays)
    gpu = rng.choice(host.gpus)
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    at = recording.since + 100
    while at < recording.until:
        text = f"{head}149, NETIR_BER_EVENT Nonfatal XC0 i0 Link 07 (0x01300486 {WORDS})"
        recording.log(host.name, at, "kernel", text, priority=4)
        at += rng.uniform(900, 1300)
    other = rng.choice(plan.others)
    gpu, pid = rng.choice(other.gpus), gang_cluster.draw_pid(rng)
    at = recording.since + rng.uniform(60, 1200)
    crash = (
        f"NVRM: Xid (PCI:{gpu.bdf}): 31, pid={pid}, name=pytest, Ch 00000008, intr 00000000. MMU "
        "Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_a2c00000. Fault is of type "
        "FAULT_PDE ACCESS_TYPE_VIRT_READ"
    )
    recording.log(other.name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    recording.log(other.name, at + 0.01, "kernel", crash, priority=3)


def _switch_logs(
    recording: Recording, plan: Plan, errors: list[GpuError], rng: random.Random
) -> None:
    """Write the rack's control logs: a tray that was rebooted in peace, then the lost chip."""
    rebooted = rng.randrange(rack.TRAYS)
    down = recording.since + rng.uniform(300, 1500)
    width = len(rack.GPU_ADDRESSES)
    ports = range(rebooted * width + 1, rebooted * width + width + 1)
    changes = [
        Change(at + rng.uniform(0, 0.8), chip, port, states)
        for at, states in ((down, ("ACTIVE", "DOWN")), (down + 400, ("INIT", "ACTIVE")))
        for chip in plan.chips
        for port in ports
    ]
    changes += [
        Change(plan.fault + rng.uniform(0, 0.9), plan.chip, port)
        for port in range(1, rack.PORTS + 1)
    ]
    controller = plan.chips[0].tray
    span = (recording.since, recording.until)
    text = rack.write_subnet_log(changes, span, recording.taken)
    rack.add_log(recording, controller, "nvlsm", text)
    rack.add_log(recording, controller, "fabricmanager", rack.write_manager_log(changes, errors))


def _logs(cluster: GangCluster, plan: Plan, rng: random.Random) -> None:
    """Let every pod die within seconds: most by the lost link, some by peers that went."""
    width = len(rack.GPU_ADDRESSES)
    for index, spec in enumerate(cluster.gang.pods):
        since = cluster.recording.since + 3
        lines: Lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += write_steps((since + 9, plan.fault - 2), 31000, rng, spacing=22)
        local = rng.randrange(width)
        at = plan.fault + rng.uniform(0.8, 4.0)
        if index % 6 == 0:
            peer = cluster.gang.pods[(index + 1) % rack.TRAYS].node
            lines += write_peer_closed(
                index * width + local, at + 3, node=spec.node, peer=peer, rng=rng
            )
        else:
            place = '  File "/workspace/moe/dispatch.py", line 141, in all_to_all'
            error = (
                "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"
            )
            lines += write_traceback(index * width + local, at, place, error)
        lines += write_child_failure(at + 5, local, -6, rng)
        cluster.log(index, lines)


def _objects(cluster: GangCluster, plan: Plan, rng: random.Random) -> list[Body]:
    """List nodes with their NVLink domain, the failed job and the one that runs on."""
    cluster.nodes({host.name: 0 for host in plan.trays})
    clique = {h.name: plan.cliques[0] for h in plan.trays}
    clique |= {h.name: plan.cliques[1] for h in plan.others}
    for item in cluster.items:
        meta = item["metadata"]
        if item["kind"] == "Node" and isinstance(meta, dict):
            meta["labels"] |= {"nvidia.com/gpu.clique": clique[meta["name"]]}
    fault = plan.fault
    for index, spec in enumerate(cluster.gang.pods):
        cluster.pod_failed(index, spec.created + 40, fault + rng.uniform(8, 14), code=1)
    cluster.job(cluster.gang.pods[0].created, fault + 40)
    for host in plan.trays:
        gpu = rng.choice(host.gpus)
        cluster.gpu_unhealthy(host.name, gpu, fault + rng.uniform(2, 5), 149)
    running = GangCluster(
        cluster.recording, _narrow(draw_gang(rng, "vl-pretrain", plan.others, fault - 3e5)), rng
    )
    _train_on(running, rng)
    cluster.items += running.items
    cluster.list()
    return cluster.items


def _narrow(gang: Gang) -> Gang:
    return replace(gang, pods=tuple(replace(pod, gpus=4) for pod in gang.pods))


def _train_on(cluster: GangCluster, rng: random.Random) -> None:
    recording = cluster.recording
    for index, spec in enumerate(cluster.gang.pods):
        lines: Lines = [(recording.since + 2, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            span = (recording.since + 5, recording.until - 8)
            lines += write_steps(span, 80_000, rng, spacing=33)
        cluster.log(index, lines)
        cluster.pod_running(index, spec.created + 40)
    cluster.job(cluster.gang.pods[0].created, None)


def _readings(recording: Recording, plan: Plan, rng: random.Random) -> None:
    """Read the GPUs afterwards: sound memory and bus, but the driver asks for a reset."""
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    for host in plan.trays:
        _, body = recording.nvml[host.name]
        gpus = body["gpus"]
        for gpu in gpus if isinstance(gpus, list) else ():
            gpu["recovery_action"] = "Drain and Reset"


def _report(recording: Recording, plan: Plan, job: str) -> None:
    words = ("Job failed", f"Job train/{job} failed to complete")
    recording.alerts.append(
        write_alert(
            "KubeJobFailed", plan.fault + 100, "warning", words, namespace="train", job_name=job
        )
    )
    first = plan.trays[len(plan.trays) // 2].name
    recording.ask(
        en=f"{job} crashed. {first} shows Xid 149 on its GPUs, please replace them. Other nodes "
        "of the rack print it as well: a bad batch of cards, or is it their memory, Xid 95?",
        zh=f"{job} 崩溃。{first} 的 GPU 报 Xid 149,请更换。"
        "同机柜其他节点也有,是整批显卡有问题,还是显存故障(Xid 95)?",
    )
