"""Some nodes upgrade the driver's libraries by themselves; nothing fails until something starts.

The old module stays loaded, and containers that run keep the libraries that they opened. Hours
later a new job comes: its pods on those nodes cannot be started, on all others they can. No GPU
says anything, because no GPU has anything.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from evals import background, fleet
from evals.alerts import write_alert
from evals.model import (
    Command,
    Frame,
    Host,
    Recording,
    happens,
    open_stream,
    read_epoch,
    write_iso,
)
from evals.objects import Involved
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.driver_library_mismatch import packages
from evals.scenarios.driver_library_mismatch.packages import Upgrade
from evals.scenarios.gang_cluster import GangCluster
from evals.training import Gang, draw_gang, write_steps

ID = "driver-library-mismatch"
NODES, WIDTH, UPGRADED, HIT = 24, 10, 7, 4
"""Nodes in all, of either job, with new libraries, and among them those that get new pods."""
NOISE = 2500
ANCHOR = read_epoch("2025-08-05T06:10:00Z")
FRAME = Frame(
    ID,
    "hydra",
    "New pods do not start on some nodes, running ones are fine",
    before_s=12 * 3600,
    after_s=22 * 60,
    reported_s=40 * 60,
)
START_ERROR = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: "
    "runc create failed: unable to start container process: error during container init: error "
    "running prestart hook #0: exit status 1, stdout: , stderr: Auto-detected mode as 'legacy'\n"
    "nvidia-container-cli: initialization error: nvml error: driver/library version mismatch: "
    "unknown"
)


@dataclass(frozen=True, slots=True)
class Story:
    """Who upgraded, and who was given new pods."""

    hosts: Sequence[Host]
    upgrades: dict[str, Upgrade]
    old: Gang
    new: Gang
    submitted: float
    zone: timezone


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    story = _plan(rng, gang_cluster.draw_moment(rng, ANCHOR))
    recording = FRAME.open(seed, story.submitted)
    recording.add_hosts(story.hosts)
    cluster = GangCluster(recording, story.new, rng)
    for host in story.hosts:
        _journal(recording, story, host, rng)
        _commands(recording, story, host, rng)
    _decoys(recording, story, rng)
    _old_job(recording, story, rng)
    _new_job(recording, cluster, story, rng)
    _readings(recording, story, rng)
    noise = open_stream(ID, seed, "noise")
    busy = {spec.node for spec in story.old.pods}
    gang_cluster.add_metrics(recording, noise, lambda host, _at: host in busy, step=60)
    background.add_journals(recording, noise, max(40, round(NOISE * scale)))
    _report(recording, story)
    recording.facts |= _facts(story)
    return recording


def _plan(rng: random.Random, day: float) -> Story:
    zone = timezone(timedelta(hours=rng.choice((0, 0, 8))))
    local = datetime.fromtimestamp(day, UTC).astimezone(zone)
    morning = local.replace(hour=6, minute=0, second=0, microsecond=0).timestamp()
    submitted = morning + 3600 + rng.uniform(1.5, 9) * 3600
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.70", booted=morning - 3e6
    )
    mixed = rng.sample(hosts, NODES)
    upgraded, rest = mixed[:UPGRADED], mixed[UPGRADED:]
    hit, spared = upgraded[:HIT], upgraded[HIT:]
    fresh = sorted([*hit, *rest[: WIDTH - HIT]], key=lambda host: host.name)
    old = sorted([*spared, *rest[WIDTH - HIT : WIDTH - HIT + 7]], key=lambda host: host.name)
    version = rng.choice(packages.VERSIONS)
    return Story(
        hosts=hosts,
        upgrades={
            host.name: packages.draw_upgrade(rng, morning + rng.uniform(30, 3600), version)
            for host in upgraded
        },
        old=draw_gang(rng, "llm-pretrain", old, morning - rng.uniform(1, 4) * 86400),
        new=draw_gang(rng, "dpo-align", fresh, submitted),
        submitted=submitted,
        zone=zone,
    )


def _facts(story: Story) -> dict[str, str]:
    facts = {"first_anomaly": write_iso(min(upgrade.at for upgrade in story.upgrades.values()))}
    for number, (name, upgrade) in enumerate(story.upgrades.items()):
        facts |= {f"host_{number}": name, f"package_{number}": f"{name}/{upgrade.first}"}
    return facts


def _journal(recording: Recording, story: Story, host: Host, rng: random.Random) -> None:
    """Log the daily upgrade of every node; only some of them take the driver's packages along."""
    upgrade = story.upgrades.get(host.name)
    at = upgrade.at if upgrade else _daily(story, rng)
    service = "apt-daily-upgrade.service"
    title = f"{service} - Daily apt upgrade and clean activities"
    lines = [
        (at - rng.uniform(2, 9), "systemd", f"Starting {title}..."),
        (at + 71, "systemd", f"{service}: Deactivated successfully."),
        (at + 71.1, "systemd", f"Finished {title}."),
    ]
    if happens(rng, 0.5):
        lines.append((at + 40, "systemd", "Reloading."))
    for when, unit, text in lines:
        recording.log(host.name, when, unit, text)


def _daily(story: Story, rng: random.Random) -> float:
    first = min(upgrade.at for upgrade in story.upgrades.values())
    return first + rng.uniform(0, 3000)


def _log_mismatch(recording: Recording, name: str, at: float, client: str, version: str) -> None:
    """Log the module's refusal; drivers of some branches name the client."""
    who = f"the client '{client}' (pid {31000 + int(at) % 9000})\nNVRM: has" if client else (
        "the client has"
    )  # fmt: skip
    text = (
        f"NVRM: API mismatch: {who} the version {version}, but\n"
        f"NVRM: this kernel module has the version {gpu_health.DRIVER}.  Please\n"
        "NVRM: make sure that this kernel module and all NVIDIA driver\n"
        "NVRM: components have the same version."
    )
    recording.log(name, at, "kernel", text, priority=3)


def _commands(recording: Recording, story: Story, host: Host, rng: random.Random) -> None:
    """Record what an operator looked at on each node afterwards."""
    at, name = recording.taken - rng.uniform(60, 240), host.name
    upgrade = story.upgrades.get(name)
    history = packages.write_history(rng, story.zone, upgrade, _daily(story, rng))
    recording.commands += [
        Command(name, ("cat", "/var/log/apt/history.log"), "var-log-apt-history.log", at, history),
        Command(
            name,
            ("cat", "/proc/driver/nvidia/version"),
            "nvidia-version",
            at + 1,
            packages.write_loaded(),
        ),
        Command(name, ("timedatectl",), "timedatectl", at + 2, _clock(story.zone, host, at + 2)),
    ]
    if upgrade is None:
        return
    said = (
        "Failed to initialize NVML: Driver/library version mismatch\n"
        f"NVML library version: {upgrade.version.rpartition('.')[0]}\n"
    )
    recording.commands.append(
        Command(name, ("nvidia-smi", "-q"), "nvidia-smi-q", at + 4, said, outcome="failed")
    )
    _log_mismatch(recording, name, at + 4.02, upgrade.name("nvidia-smi"), upgrade.version)


def _clock(zone: timezone, host: Host, at: float) -> str:
    local = datetime.fromtimestamp(at + host.clock_offset_s, UTC)
    east = zone.utcoffset(None) != timedelta(0)
    name = "Asia/Shanghai (CST, +0800)" if east else "Etc/UTC (UTC, +0000)"
    return (
        f"               Local time: {local.astimezone(zone):%a %Y-%m-%d %H:%M:%S} "
        f"{'CST' if east else 'UTC'}\n"
        f"           Universal time: {local:%a %Y-%m-%d %H:%M:%S} UTC\n"
        f"                 RTC time: {local:%a %Y-%m-%d %H:%M:%S}\n"
        f"                Time zone: {name}\n"
        "System clock synchronized: yes\n"
        "              NTP service: active\n"
        "          RTC in local TZ: no\n"
    )


def _decoys(recording: Recording, story: Story, rng: random.Random) -> None:
    """Log a fault of two weeks ago on a node with new libraries, and corrected errors elsewhere."""
    name = rng.choice(sorted(story.upgrades))
    gpu = rng.choice(recording.hosts[name].gpus)
    at = recording.since - rng.uniform(10, 20) * 86400
    text = (
        f"31, pid={gang_cluster.draw_pid(rng)}, name=python3, Ch 00000008, intr 00000000. MMU "
        "Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_a2c00000. Fault is of type "
        "FAULT_PDE ACCESS_TYPE_VIRT_READ"
    )
    recording.log(name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    recording.log(name, at + 0.01, "kernel", f"NVRM: Xid (PCI:{gpu.bdf}): {text}", priority=3)
    other = rng.choice([host for host in story.hosts if host.name not in story.upgrades])
    noisy, at = rng.choice(other.gpus), recording.since + 50
    while at < recording.until:
        recording.log(other.name, at, "kernel", _corrected(noisy.port, noisy.bdf), priority=4)
        at += rng.uniform(900, 1500)


def _corrected(port: str, bdf: str) -> str:
    return f"pcieport {port}: AER: Corrected error received: {bdf}.0"


def _old_job(recording: Recording, story: Story, rng: random.Random) -> None:
    """Let the job of three days ago train on, also on nodes with new libraries."""
    running = GangCluster(recording, story.old, rng)
    for index in range(len(story.old.pods)):
        lines = [(recording.since + 3, "init_process_group(backend=nccl, timeout=600)")]
        span = (recording.since + 5, recording.until - 4)
        lines += write_steps(span, 88_000, rng, spacing=110 if index else 33)
        running.log(index, lines)


def _new_job(recording: Recording, cluster: GangCluster, story: Story, rng: random.Random) -> None:
    """Start the new job: on some nodes its containers cannot be created."""
    cluster.nodes()
    running = GangCluster(recording, story.old, rng)
    for index, spec in enumerate(story.old.pods):
        running.pod_running(index, spec.created + 35)
    running.job(story.old.pods[0].created, None)
    cluster.items += running.items
    failed = 0.0
    for index, spec in enumerate(story.new.pods):
        upgrade = story.upgrades.get(spec.node)
        begun = spec.created + rng.uniform(4, 25)
        if upgrade is None:
            cluster.pod_running(index, begun + 2)
            cluster.log(index, _waiting(begun + 3, recording.until, rng))
            continue
        failed = max(failed, begun)
        _refuse(recording, cluster, index, begun, upgrade)
    cluster.job(story.new.pods[0].created, failed + 8)
    cluster.list()


def _refuse(
    recording: Recording, cluster: GangCluster, index: int, at: float, upgrade: Upgrade
) -> None:
    """Record how one container failed to start, by kernel, runtime, kubelet and API."""
    spec = cluster.gang.pods[index]
    client = upgrade.name("nvidia-container")
    _log_mismatch(recording, spec.node, at - 0.06, client, upgrade.version)
    short = START_ERROR.replace("\n", "\\n").replace('"', '\\"')
    runtime = (
        f'level=error msg="StartContainer for \\"{spec.container_id}\\" failed" error="{short}"'
    )
    recording.log(spec.node, at, "containerd", runtime, priority=3)
    text = background.write_klog(
        "E",
        recording.stamped(spec.node, at + 0.1),
        "pod_workers.go:1301",
        f'"Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"{spec.container}'
        f'\\" with RunContainerError: \\"{short}\\"" pod="{spec.namespace}/{spec.name}"',
    )
    recording.log(spec.node, at + 0.1, "kubelet", text, priority=3)
    about = Involved("Pod", spec.name, spec.namespace, spec.uid)
    cluster.tell(about, at + 0.1, "Failed", f"Error: {START_ERROR}", host=spec.node)
    cluster.pod_failed(index, 0.0, at, code=128, reason="StartError")
    status = cluster.items[-1]["status"]
    if isinstance(status, dict):
        status["startTime"] = write_iso(spec.created + 1)


def _waiting(at: float, until: float, rng: random.Random) -> list[tuple[float, str]]:
    """Write what a rank prints whose peers never come."""
    lines = [(at, "init_process_group(backend=nccl, timeout=600)")]
    moment = at + 60
    while moment < min(until, at + 500):
        lines.append((moment, f"waiting for {HIT} of {WIDTH} workers to join the rendezvous"))
        moment += 60 + rng.uniform(0, 1)
    return lines


def _readings(recording: Recording, story: Story, rng: random.Random) -> None:
    """Record NVML where it can be initialised: on the nodes whose libraries are the module's."""
    fine = [host.name for host in story.hosts if host.name not in story.upgrades]
    gpu_health.add_readings(recording, rng, recording.taken - 60, only=fine)


def _report(recording: Recording, story: Story) -> None:
    job, at = story.new.name, story.submitted
    words = ("Job failed", f"Job train/{job} failed to complete")
    recording.alerts.append(
        write_alert("KubeJobFailed", at + 110, "warning", words, namespace="train", job_name=job)
    )
    recording.ask(
        en=f"{job} does not start: StartError on {HIT} of {WIDTH} pods, the job that runs since "
        "days is fine. We moved to a CUDA 12.6 image yesterday, so the image is broken, right?",
        zh=f"{job} 启动失败:{WIDTH} 个 Pod 中有 {HIT} 个报 StartError,而已经跑了几天的任务正常。"
        "我们昨天换了 CUDA 12.6 的镜像,应该是镜像有问题吧?",
    )
