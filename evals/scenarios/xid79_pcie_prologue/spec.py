"""A PCIe link degrades for days, then goes; the GPU behind it falls off the bus.

The prologue is quiet: corrected replays at a rising rate. The end is one second: an uncorrectable
fatal error (surprise down) at the port, link down, then Xid 79 from the driver that lost its
device, Xid 154 that asks for a reboot, Xid 45 for the processes it cleans up. The peers of the
job only notice when their watchdogs give up.
"""

import random

from evals import background, fleet
from evals.alerts import write_alert
from evals.model import (
    Command,
    Frame,
    Gpu,
    Host,
    Metric,
    Recording,
    happens,
    open_stream,
    read_epoch,
    write_iso,
)
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import (
    WATCHDOG_S,
    draw_collective,
    draw_gang,
    write_child_failure,
    write_giving_up,
    write_steps,
    write_traceback,
)

ID = "xid79-pcie-prologue"
NODES = 6
DAYS = 3
NOISE = 6000
ANCHOR = read_epoch("2025-10-02T08:15:00Z")
FRAME = Frame(
    ID,
    "cygnus",
    "GPU lost on one node, training job stopped",
    before_s=DAYS * 86400,
    after_s=30 * 60,
    reported_s=30 * 60,
)


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.30", booted=fault - 4e6
    )
    recording.add_hosts(hosts)
    victim = rng.randrange(NODES)
    host = hosts[victim]
    gpu = rng.choice(host.gpus)
    cluster = GangCluster(recording, draw_gang(rng, "vl-pretrain", hosts, fault - 4e5), rng)
    replays = _prologue(recording, host.name, gpu, fault, rng)
    _end(recording, host.name, gpu, fault, rng)
    _logs(cluster, victim, gpu.index, fault, rng)
    _objects(cluster, victim, gpu, fault)
    _readings(recording, host.name, gpu, rng)
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda _host, at: at < fault)
    gang_cluster.hold_xid(recording, gpu.uuid, fault, 79.0)
    recording.metrics.append(_replays(host, gpu, replays, times))
    background.add_journals(recording, noise, max(30, round(NOISE * scale)))
    _report(recording, host, gpu, cluster.gang.name, fault)
    recording.facts |= {
        **gang_cluster.name_gpu(host, gpu),
        "port": f"{host.name}/{gpu.port}",
        "first_anomaly": write_iso(replays[0]),
        "failure": write_iso(fault),
    }
    return recording


def _replays(host: Host, gpu: Gpu, replays: list[float], times: list[float]) -> Metric:
    """Sample the counter that every corrected replay raised."""
    labels = {"gpu": str(gpu.index), "UUID": gpu.uuid, "Hostname": host.name}
    counts = [float(sum(1 for at in replays if at <= moment)) for moment in times]
    return background.pair_samples("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", labels, times, counts)


def _report(recording: Recording, host: Host, gpu: Gpu, job: str, fault: float) -> None:
    words = (f"Xid 79 on {host.name}", f"GPU {gpu.uuid} on {host.name} reports Xid 79")
    recording.alerts.append(
        write_alert("GPUXidError", fault + 45, "critical", words, Hostname=host.name, UUID=gpu.uuid)
    )
    recording.ask(
        en=f"GPU {gpu.index} of {host.name} vanished and {job} stopped. "
        "Is it the driver? We updated nothing.",
        zh=f"{host.name} 的 {gpu.index} 号 GPU 消失,任务 {job} 停止。"
        "是驱动问题吗?我们没有升级过任何东西。",
    )


def _prologue(
    recording: Recording, name: str, gpu: Gpu, fault: float, rng: random.Random
) -> list[float]:
    """Log corrected errors that come closer and closer; return when they came."""
    device, port = f"{gpu.bdf}.0", gpu.port
    old = happens(rng, 0.5)
    at, gap, times = recording.since + rng.uniform(2, 6) * 3600, 3 * 3600.0, []
    while at < fault - 60:
        times.append(at)
        severity, kind = (
            ("Corrected", "Timeout") if old else ("Correctable", "Replay Timer Timeout")
        )
        first = (
            f"pcieport {port}: AER: Corrected error received: {device}"
            if old
            else f"pcieport {port}: AER: Correctable error message received from {device}"
        )
        lines = (
            first,
            (
                f"nvidia {device}: PCIe Bus Error: severity={severity}, type=Data Link Layer, "
                "(Transmitter ID)"
            ),
            f"nvidia {device}:   device [10de:2330] error status/mask=00001000/0000a000",
            f"nvidia {device}:    [12] {kind}",
        )
        for offset, text in enumerate(lines):
            recording.log(name, at + offset * 1e-5, "kernel", text, priority=4)
        gap = max(240.0, gap * 0.86)
        at += gap * rng.uniform(0.7, 1.3)
    return times


def _end(recording: Recording, name: str, gpu: Gpu, fault: float, rng: random.Random) -> None:
    port = gpu.port
    pid = gang_cluster.draw_pid(rng)
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    down = rng.choice(("SDES                   (First)", "Surprise Down Error    (First)"))
    lines = (
        (0.0, f"pcieport {port}: AER: Uncorrected (Fatal) error received: {port}"),
        (
            1e-5,
            (
                f"pcieport {port}: PCIe Bus Error: severity=Uncorrected (Fatal), "
                "type=Transaction Layer, (Receiver ID)"
            ),
        ),
        (2e-5, f"pcieport {port}:   device [1000:c030] error status/mask=00000020/00000000"),
        (3e-5, f"pcieport {port}:    [ 5] {down}"),
        (0.02, f"pcieport {port}: pciehp: Slot(12): Link Down"),
        (0.35, f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}"),
        (0.351, f"NVRM: GPU Board Serial Number: {gpu.serial}"),
        (0.36, f"{head}79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
        (0.37, f"NVRM: GPU {gpu.bdf}.0: GPU has fallen off the bus."),
        (
            0.62,
            f"{head}154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
        ),
        (3.1, f"{head}45, pid={pid}, name=python3, Ch 00000008"),
        (3.11, f"{head}45, pid={pid}, name=python3, Ch 00000009"),
    )
    for offset, text in lines:
        recording.log(name, fault + offset, "kernel", text, priority=3)


def _logs(cluster: GangCluster, victim: int, local: int, fault: float, rng: random.Random) -> None:
    work = draw_collective(rng)
    since = fault - 50 * 60
    for index in range(len(cluster.gang.pods)):
        lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
        if index == 0:
            lines += write_steps((since + 10, fault - 3), 91000, rng)
        if index == victim:
            rank = victim * 8 + local
            at = fault + rng.uniform(0.6, 2.4)
            lines += write_traceback(
                rank, at, "RuntimeError: CUDA error: unspecified launch failure"
            )
            lines += write_child_failure(at + 2, local, 1, rng)
        else:
            ranks = cluster.gang.ranks(index)
            lines += write_giving_up(ranks, fault + WATCHDOG_S, work, rng, spread=8)
        cluster.log(index, lines)


def _objects(cluster: GangCluster, victim: int, gpu: Gpu, fault: float) -> None:
    name = cluster.gang.pods[victim].node
    cluster.nodes({name: 7})
    cluster.pods_failed(victim, fault + 6, fault + WATCHDOG_S)
    cluster.gpu_unhealthy(name, gpu, fault + 4, 79)
    cluster.list()


def _readings(recording: Recording, name: str, gpu: Gpu, rng: random.Random) -> None:
    at = recording.taken - 60
    gpu_health.add_readings(recording, rng, at)
    gpu_health.lose(recording, name, gpu.index)
    recording.commands.append(
        Command(
            name,
            ("nvidia-smi",),
            "nvidia-smi",
            at,
            f"Unable to determine the device handle for GPU{gpu.index}: {gpu.bdf.upper()}.0: "
            "GPU is lost.  Reboot the system to recover this GPU\n",
            outcome="failed",
        )
    )
    recording.commands.append(
        Command(
            name,
            ("lspci", "-vv", "-D"),
            "lspci",
            at + 2,
            "\n".join(_listed(g, lost=g is gpu) for g in recording.hosts[name].gpus),
        )
    )


def _listed(gpu: Gpu, *, lost: bool) -> str:
    """Write what lspci says of a card: of one that left the bus it reads only ones."""
    head = f"{gpu.bdf}.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB]"
    if lost:
        return f"{head} (rev ff) (prog-if ff)\n\t!!! Unknown header type 7f\n"
    link = "Speed 32GT/s, Width x16"
    return (
        f"{head} (rev a1)\n\tKernel driver in use: nvidia\n"
        f"\t\tLnkCap:\tPort #0, {link}, ASPM not supported\n\t\tLnkSta:\t{link}\n"
    )
