"""What a healthy fleet writes all day: the noise that a diagnosis must not mistake for a cause."""

import random
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from evals.fleet import draw_suffix
from evals.model import Entry, Host, Metric, Recording

Line = tuple[str, str, int]
"""Unit, text, priority."""
Writer = Callable[[random.Random, Host, float], Line]


def _kernel(rng: random.Random, _host: Host, at: float) -> Line:
    texts = (
        (
            f"mlx5_cmd_out_err:838:(pid {rng.randrange(900, 9000)}): ACCESS_REG(0x805) op_mod(0x1) "
            "failed, status bad resource(0x5), syndrome (0x305684), err(-22)"
        ),
        (
            f"audit: type=1400 audit({at:.3f}:{rng.randrange(9000)}): "
            f'apparmor="STATUS" operation="profile_replace" '
            f'name="snap.lxd" pid={rng.randrange(99999)}'
        ),
        f"IPv6: ADDRCONF(NETDEV_CHANGE): cali{rng.getrandbits(44):011x}: link becomes ready",
        f"cni0: port {rng.randrange(60)}(veth{rng.getrandbits(32):08x}) entered forwarding state",
        (
            f"perf: interrupt took too long ({rng.randrange(2500, 9999)} > 2500), lowering "
            "kernel.perf_event_max_sample_rate to 50000"
        ),
    )
    return "kernel", rng.choice(texts), 6


def write_klog(level: str, at: float, where: str, text: str, *, pid: int = 2113) -> str:
    """Write a line as Kubernetes' components print it; `at` is what their clock shows."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{level}{moment:%m%d %H:%M:%S.%f} {pid:>7} {where}] {text}"


def _kubelet(rng: random.Random, host: Host, at: float) -> Line:
    pod = f"train/preproc-{rng.randrange(40)}-{draw_suffix(rng)}"
    texts = (
        (
            "kubelet.go:2430",
            f'"SyncLoop (PLEG): event for pod" pod="{pod}" event={{"Type":"ContainerStarted"}}',
        ),
        (
            "reconciler_common.go:245",
            (
                '"operationExecutor.VerifyControllerAttachedVolume started for volume '
                f'\\"kube-api-access-{draw_suffix(rng)}\\"" pod="{pod}"'
            ),
        ),
        (
            "kubelet_getters.go:187",
            (
                f'"Pod status updated" pod="kube-system/kube-proxy-{draw_suffix(rng)}" '
                'status="Running" '
                f'node="{host.name}"'
            ),
        ),
        ("scope.go:117", f'"RemoveContainer" containerID="{rng.getrandbits(256):064x}"'),
    )
    where, text = rng.choice(texts)
    return "kubelet", write_klog("I", at + host.clock_offset_s, where, text), 6


def _containerd(rng: random.Random, _host: Host, _at: float) -> Line:
    digest = f"{rng.getrandbits(256):064x}"
    texts = (
        f'level=info msg="ImageUpdate event name:\\"sha256:{digest}\\""',
        f'level=info msg="Container exec \\"{digest}\\" stdin closed"',
        f'level=info msg="StartContainer for \\"{digest}\\" returns successfully"',
    )
    return "containerd", rng.choice(texts), 6


def _daemons(rng: random.Random, _host: Host, _at: float) -> Line:
    port = rng.randrange(32768, 60999)
    lines: tuple[Line, ...] = (
        ("systemd", f"Started session-{rng.randrange(9000)}.scope - Session of User ops.", 6),
        ("systemd", "Starting logrotate.service - Rotate log files...", 6),
        ("systemd", "logrotate.service: Deactivated successfully.", 6),
        (
            "sshd",
            f"Accepted publickey for ops from 10.0.9.{rng.randrange(250)} port {port} ssh2",
            6,
        ),
        ("sshd", f"Connection closed by 10.0.9.{rng.randrange(250)} port {port} [preauth]", 6),
        ("CRON", "(root) CMD (/usr/lib/sysstat/sa1 1 1)", 6),
        ("chronyd", f"Selected source 10.0.0.{rng.choice((2, 3))} (ntp{rng.choice((1, 2))})", 6),
        ("dcgm-exporter", f'level=info msg="Collected {rng.randrange(400, 480)} metrics"', 6),
        ("node_exporter", 'level=debug msg="collector succeeded" name=infiniband', 7),
        ("nvidia-persistenced", "PID file unlocked.", 6),
        ("smartd", f"Device: /dev/nvme0n1, Temperature changed -1 Celsius to {port % 9 + 36}", 6),
    )
    return rng.choice(lines)


WRITERS: Sequence[Writer] = (_kernel, _kubelet, _kubelet, _containerd, _daemons, _daemons)
PLAIN_WRITERS: Sequence[Writer] = (_kernel, _daemons, _daemons)
"""Of a host without Kubernetes."""


def draw_entries(
    rng: random.Random,
    host: Host,
    span: tuple[float, float],
    count: int,
    *,
    writers: Sequence[Writer] = WRITERS,
) -> list[Entry]:
    """Draw `count` benign entries spread evenly, with jitter, over a span of time.

    The spread leaves no hole longer than about three mean gaps, so that silence is never staged.
    """
    since, until = span
    gap = (until - since) / max(count, 1)
    found = []
    for index in range(count):
        at = since + (index + rng.random()) * gap
        unit, text, priority = rng.choice(writers)(rng, host, at)
        found.append(Entry(at, unit, text, priority))
    return found


def add_journals(
    recording: Recording,
    rng: random.Random,
    per_host: int,
    *,
    writers: Sequence[Writer] = WRITERS,
) -> None:
    """Add benign entries to every host's journal."""
    span = (recording.since, recording.until)
    for host in recording.hosts.values():
        recording.journal[host.name].extend(
            draw_entries(rng, host, span, per_host, writers=writers)
        )


def list_ticks(since: float, until: float, step: float) -> list[float]:
    """Return the scrape times of a span, on whole steps."""
    first = (int(since) // int(step) + 1) * int(step)
    return [float(at) for at in range(first, int(until) + 1, int(step))]


def pair_samples(
    name: str, labels: dict[str, str], times: list[float], values: Iterable[float]
) -> Metric:
    """Pair values with scrape times."""
    return Metric(name, labels, tuple(zip(times, values, strict=True)))


def add_gpu_metrics(
    recording: Recording,
    rng: random.Random,
    times: list[float],
    busy: Callable[[str, float], bool] = lambda _host, _at: True,
) -> None:
    """Add DCGM samples of healthy GPUs; `busy` says when a host's GPUs compute."""
    zeros = tuple((at, 0.0) for at in times)
    draw = rng.random  # millions of samples: `uniform` adds the same sum in three times the time
    for host in recording.hosts.values():
        for gpu in host.gpus:
            labels = {
                "gpu": str(gpu.index),
                "UUID": gpu.uuid,
                "pci_bus_id": f"0000{gpu.bdf}.0".upper(),
                "device": f"nvidia{gpu.index}",
                "modelName": "NVIDIA H100 80GB HBM3",
                "Hostname": host.name,
            }
            warm = rng.uniform(58, 71)
            load = [busy(host.name, at) for at in times]
            draws: tuple[tuple[str, float, float, float], ...] = (
                ("DCGM_FI_DEV_GPU_TEMP", warm, 34.0, 1.5),
                ("DCGM_FI_DEV_POWER_USAGE", 640.0, 110.0, 12.0),
                ("DCGM_FI_DEV_GPU_UTIL", 98.0, 0.0, 0.0),
            )
            for name, high, low, spread in draws:
                samples = tuple(
                    (at, round((high if on else low) + (-spread + 2 * spread * draw()), 1))
                    for at, on in zip(times, load, strict=True)
                )
                recording.metrics.append(Metric(name, labels, samples))
            recording.metrics.append(Metric("DCGM_FI_DEV_XID_ERRORS", labels, zeros))


def add_host_metrics(recording: Recording, rng: random.Random, times: list[float]) -> None:
    """Add clock and boot samples of every host."""
    for host in recording.hosts.values():
        labels = {"instance": f"{host.name}:9100", "job": "node"}
        offsets = [round(host.clock_offset_s + rng.gauss(0, 2e-5), 6) for _ in times]
        booted = float(int(host.booted))
        recording.metrics += [
            pair_samples("node_timex_offset_seconds", labels, times, offsets),
            pair_samples("node_timex_sync_status", labels, times, [1.0] * len(times)),
            pair_samples("node_boot_time_seconds", labels, times, [booted] * len(times)),
        ]
