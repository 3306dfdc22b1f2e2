"""What has nothing to do with a fault and stands in every log: old Xids and chronic errors."""

import random

from evals.model import Gpu, Host, Recording

CORRECTED_S = (280.0, 420.0)
"""Between two corrected errors of a port that is not quite well."""


def log_xid(recording: Recording, host: Host, gpu: Gpu, at: float, text: str) -> None:
    """Log one Xid with the line that the driver writes before it; `text` begins with its number."""
    recording.log(host.name, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    line = f"NVRM: Xid (PCI:{gpu.bdf}): {text}"
    recording.log(host.name, at + 0.01, "kernel", line, priority=3)


def log_corrected(recording: Recording, host: Host, rng: random.Random) -> None:
    """Log a corrected error of one port every few minutes, over the whole recording."""
    gpu = rng.choice(host.gpus)
    kind = "severity=Corrected, type=Data Link Layer, (Transmitter ID)"
    lines = (
        f"pcieport {gpu.port}: AER: Corrected error received: {gpu.bdf}.0",
        f"nvidia {gpu.bdf}.0: PCIe Bus Error: {kind}",
        f"nvidia {gpu.bdf}.0:    [12] Timeout",
    )
    at = recording.since + 30
    while at < recording.until:
        for offset, line in enumerate(lines):
            recording.log(host.name, at + offset * 1e-5, "kernel", line, priority=4)
        at += rng.uniform(*CORRECTED_S)


def log_blink(recording: Recording, host: Host, at: float) -> None:
    """Log a port whose link was down for less than any tolerance."""
    device = "mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link"
    recording.log(host.name, at, "kernel", f"{device} DOWN", priority=4)
    recording.log(host.name, at + 0.9, "kernel", f"{device} ACTIVE", priority=5)
