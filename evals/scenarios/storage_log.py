"""The storage array's own account of its failover: local wall times, no zone."""

import random

from evals.model import Recording, TextFile, happens
from evals.scenarios.nfs_outage import Outage, write_wall

ROUTINE = (
    "Controller B: Heartbeat from Controller A OK (standby)",
    "Controller A: NVRAM battery test passed",
    "Controller A: Snapshot data01@hourly created",
)
FAILOVER = (
    ("disk_error", 0, "{level}Controller A: Disk firmware error on disk {disk}"),
    (
        "disk_error",
        4,
        (
            "{level}Controller A: Medium error on disk {disk}, sense key 0x3 ASC 0x11 LBA {block}, "
            "retrying"
        ),
    ),
    ("failover", 0, "{level}Controller A: Starting failover to Controller B"),
    ("failover", 2, "Controller B: Received failover request"),
    ("failover", 31, "Controller B: Importing pool data01 (3 vdevs)"),
    ("takeover", -6, "Controller B: Pool data01 imported"),
    ("takeover", -2, "Controller B: VIP {server} taken over from Controller A"),
    ("takeover", 0, "Controller B: NFS service online on VIP {server}, grace period 90 seconds"),
    (
        "grace_end",
        0,
        (
            "Controller B: NFS grace period ended, {clients} of {clients} clients reclaimed, "
            "service resumed"
        ),
    ),
    ("grace_end", 3, "Controller A: takeover complete, now standby"),
    (
        "grace_end",
        95,
        "Controller B: Disk {disk} set to failed, rebuild onto hot spare started",
    ),
)
"""What the array says: seconds after which moment of the outage, and the text."""


def write_storage_log(outage: Outage, rng: random.Random, recording: Recording) -> TextFile:
    """Write the array's event log as its console exports it."""
    level = rng.choice(("", "WARN ", ""))
    lines = [*_routine(outage, rng, recording.since), *_failover(outage, rng, level)]
    bracket = happens(rng, 0.7)
    text = f"# Event log export: array nas-data01, NFS service address {outage.server}\n"
    for moment, words in sorted(lines):
        stamp = f"[{write_wall(moment)}]" if bracket else write_wall(moment)
        text += f"{stamp} {words}\n"
    return TextFile(
        path="storage/controller-events.log",
        text=text,
        source="storage",
        target=outage.server,
        command="management console: Events > Export",
        taken=recording.taken,
    )


def _routine(outage: Outage, rng: random.Random, since: float) -> list[tuple[float, str]]:
    lines = [(since + 60, "Controller A: Health poll of all shelves finished, 24 disks OK")]
    at = since + 400
    while at < outage.disk_error - 200:
        lines.append((at, rng.choice(ROUTINE)))
        at += rng.uniform(500, 1100)
    return lines


def _failover(outage: Outage, rng: random.Random, level: str) -> list[tuple[float, str]]:
    moments = {
        "disk_error": outage.disk_error,
        "failover": outage.failover,
        "takeover": outage.takeover,
        "grace_end": outage.grace_end,
    }
    words = {
        "level": level,
        "disk": outage.disk,
        "server": outage.server,
        "clients": len(outage.stalls),
        "block": rng.randrange(10**8, 10**9),
    }
    return [(moments[name] + offset, text.format(**words)) for name, offset, text in FAILOVER]
