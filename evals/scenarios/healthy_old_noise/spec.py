"""Nothing is wrong now: old Xids, chronic corrected errors, a short blip, and a worried ticket.

Training goes on through the whole window, and every source covers it.
"""

import random

from evals import background, fleet
from evals.model import Frame, Gpu, Recording, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health, nfs_outage
from evals.scenarios.gang_cluster import GangCluster
from evals.training import draw_gang, write_steps

ID = "healthy-old-noise"
NODES = 8
NOISE = 4000
LEAST_NOISE = 600
"""A day on which every journal can be seen to cover the window, however thin the noise."""
OLD_S = 31 * 86400.0
ANCHOR = read_epoch("2025-07-07T06:00:00Z")
FRAME = Frame(
    ID,
    "eridanus",
    "Please check: is the training cluster healthy?",
    before_s=90 * 60,
    after_s=0,
    reported_s=60 * 60,
    collecting_s=2,
)


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play a quiet day; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    asked = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, asked)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.50", booted=asked - OLD_S - 9e6
    )
    recording.add_hosts(hosts)
    cluster = GangCluster(recording, draw_gang(rng, "llm-pretrain", hosts, asked - 5e5), rng)
    worried, port_host = rng.sample(range(NODES), 2)
    gpu = rng.choice(hosts[worried].gpus)
    _old_xid(recording, hosts[worried].name, gpu, asked - OLD_S, rng)
    _chronic(recording, hosts[port_host].name, rng)
    _blip(recording, asked - rng.uniform(30, 45) * 60, rng)
    _job(cluster, rng)
    gpu_health.add_readings(recording, rng, recording.taken - 30)
    noise = open_stream(ID, seed, "noise")
    gang_cluster.add_metrics(recording, noise, lambda _host, _at: True, hours=1.4)
    background.add_journals(recording, noise, max(LEAST_NOISE, round(NOISE * scale)))
    for host in hosts:
        recording.commands.append(nfs_outage.record_tracking(host, recording.taken - 40))
    recording.ask(
        en=f"I saw an Xid on {hosts[worried].name} in an old log and the loss looks "
        "noisy today. Is a GPU dying? Please check the cluster.",
        zh=f"我在旧日志里看到 {hosts[worried].name} 报过 Xid,今天 loss 有点抖,"
        "是不是有 GPU 要坏了?请检查一下集群。",
    )
    recording.facts |= {"host": hosts[worried].name, "gpu": gpu.uuid, "asked": write_iso(asked)}
    return recording


def _job(cluster: GangCluster, rng: random.Random) -> None:
    """Let the job train through the whole window."""
    recording = cluster.recording
    for index, spec in enumerate(cluster.gang.pods):
        lines = [(recording.since + 2, "init_process_group(backend=nccl, timeout=600)")]
        lines += write_steps((recording.since + 5, recording.until - 3), 150_000, rng, spacing=22)
        cluster.log(index, lines)
        cluster.pod_running(index, spec.created + 40)
    cluster.nodes()
    cluster.job(cluster.gang.pods[0].created, None)
    cluster.list()


def _old_xid(recording: Recording, name: str, gpu: Gpu, at: float, rng: random.Random) -> None:
    """Log a fault of last month, long repaired."""
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    pid = gang_cluster.draw_pid(rng)
    fault = (
        f"31, pid={pid}, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS "
        "GPCCLIENT_T1_0 faulted @ 0x7f_a2c00000. Fault is of type FAULT_PDE "
        "ACCESS_TYPE_VIRT_READ"
    )
    gone = "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    contained = f"94, pid={pid}, name=python3, Contained: CE User Channel (0x9). RST: No, D-RST: No"
    code = rng.choice((fault, gone, contained))
    recording.log(name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    recording.log(name, at + 0.01, "kernel", head + code, priority=3)


def _chronic(recording: Recording, name: str, rng: random.Random) -> None:
    """Log a corrected error every few minutes, before the window as in it."""
    gpu = rng.choice(recording.hosts[name].gpus)
    device = f"{gpu.bdf}.0"
    at = recording.since + 30
    while at < recording.until:
        lines = (
            f"pcieport {gpu.port}: AER: Corrected error received: {device}",
            (
                f"nvidia {device}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, "
                "(Transmitter ID)"
            ),
            f"nvidia {device}:    [12] Timeout",
        )
        for offset, text in enumerate(lines):
            recording.log(name, at + offset * 1e-5, "kernel", text, priority=4)
        at += rng.uniform(280, 420)


def _blip(recording: Recording, at: float, rng: random.Random) -> None:
    """Log a link that was down for less than any tolerance, and is back."""
    name = rng.choice(list(recording.hosts))
    device = "mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link"
    recording.log(name, at, "kernel", f"{device} DOWN", priority=4)
    recording.log(name, at + rng.uniform(0.6, 1.4), "kernel", f"{device} ACTIVE", priority=5)
    for host in recording.hosts:
        recording.log(
            host,
            at + rng.uniform(-900, 900),
            "chronyd",
            "Source 10.0.0.2 replaced with 10.0.0.3 (ntp2)",
        )
