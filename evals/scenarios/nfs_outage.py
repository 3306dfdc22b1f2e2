"""The storage side of two scenarios: an NFS head fails over and its clients wait.

The times are those of the protocol, where a source document's cannot hold. A failover of about
three minutes is not what clients feel: the new head refuses opens for an NFSv4 grace of 90 s, and
a client's TCP connection retries with back-off, so that they stall for 4.5 to 6 minutes. The
kernel first speaks after the major timeout (timeo=600, retrans=2: 180 s), never earlier. The
service address stays 10.0.0.10 through the takeover: the source document tells of a change to
10.0.0.11, but clients that mounted one address cannot recover by waiting for another, and these
recovered.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from evals.background import pair_samples
from evals.model import Command, Host, Metric, Recording, happens, write_iso

MAJOR_TIMEOUT_S = 180.0
GRACE_S = 90.0
BEIJING = timezone(timedelta(hours=8))
EXPORT = "/data"
PROBE_FILE = "/data/checkpoints/.healthcheck"


@dataclass(frozen=True, slots=True)
class Stall:
    """While one client's file operations do not return."""

    begin: float
    end: float


@dataclass(frozen=True, slots=True)
class Outage:
    """The failover and what each client felt of it."""

    server: str
    disk: int
    disk_error: float
    failover: float
    takeover: float
    grace_end: float
    stalls: Mapping[str, Stall]

    def facts(self, witness: str) -> dict[str, str]:
        """Name what is true of the outage; `witness` is the host that the report names."""
        return {
            "server": self.server,
            "witness": witness,
            "first_anomaly": write_iso(self.disk_error),
            "failover": write_iso(self.failover),
        }

    def over(self) -> float:
        """Return when the last client got its files back."""
        return max(stall.end for stall in self.stalls.values())


def draw_outage(rng: random.Random, names: list[str], failover: float, server: str) -> Outage:
    """Draw the failover that starts at `failover`."""
    takeover = failover + rng.uniform(168, 192)
    grace_end = takeover + GRACE_S + rng.uniform(0.5, 3)
    stalls = {
        name: Stall(failover + rng.uniform(0.2, 3), grace_end + rng.uniform(6, 62))
        for name in names
    }
    return Outage(
        server=server,
        disk=rng.randrange(2, 12),
        disk_error=failover - rng.uniform(9, 40),
        failover=failover,
        takeover=takeover,
        grace_end=grace_end,
        stalls=stalls,
    )


def write_wall(at: float) -> str:
    """Write a moment as the wall clock of the site shows it, without a zone."""
    return datetime.fromtimestamp(at, UTC).astimezone(BEIJING).strftime("%Y-%m-%d %H:%M:%S")


def write_syslog_wall(at: float) -> str:
    """Write a moment as syslog does: the site's wall clock without year or zone."""
    return datetime.fromtimestamp(at, UTC).astimezone(BEIJING).strftime("%b %d %H:%M:%S")


def log_kernel(recording: Recording, outage: Outage, rng: random.Random, share: float) -> None:
    """Log what each client's kernel says; `share` of the hosts also report blocked tasks."""
    for name, stall in outage.stalls.items():
        said = stall.begin + MAJOR_TIMEOUT_S + rng.uniform(0.4, 14)
        server = outage.server
        recording.log(
            name, said, "kernel", f"nfs: server {server} not responding, still trying", priority=4
        )
        for _ in range(rng.randrange(1, 5)):
            recording.log(
                name,
                said + rng.uniform(0.1, 40),
                "kernel",
                f"nfs: server {server} not responding, still trying",
                priority=4,
            )
        recording.log(name, stall.end, "kernel", f"nfs: server {server} OK", priority=5)
        if happens(rng, share):
            log_blocked_task(recording, name, stall.begin + rng.uniform(121, 150), rng)


def log_blocked_task(recording: Recording, host: str, at: float, rng: random.Random) -> None:
    """Log khungtaskd's report of a writer that sleeps without being killable."""
    pid = rng.randrange(3000, 90000)
    lines = (
        f"INFO: task kworker/u256:{rng.randrange(9)}:{pid} blocked for more than 120 seconds.",
        "      Tainted: P           OE     5.15.0-134-generic #145-Ubuntu",
        '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.',
        f"task:kworker/u256:{rng.randrange(9)} state:D stack:    0 pid:{pid} ppid:     2",
        " rpc_wait_bit_killable+0x1e/0xa0 [sunrpc]",
        " nfs_wb_all+0x2a/0x130 [nfs]",
    )
    for offset, text in enumerate(lines):
        recording.log(host, at + offset * 1e-4, "kernel", text, priority=3)


def write_mount(outage: Outage, host: Host) -> str:
    """Write the mount's line of /proc/mounts."""
    options = (
        "rw,relatime,vers=4.1,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,"
        f"timeo=600,retrans=2,sec=sys,clientaddr={host.address},local_lock=none,addr={outage.server}"
    )
    return f"{outage.server}:{EXPORT} {EXPORT} nfs4 {options} 0 0"


def add_host_commands(
    recording: Recording, outage: Outage, rng: random.Random, at: float, hung_share: float
) -> None:
    """Record what an operator ran on each host at `at`, inside the stall."""
    for name in outage.stalls:
        host = recording.hosts[name]
        begin = at + rng.uniform(0, 8)
        recording.commands += [
            Command(name, ("cat", "/proc/mounts"), "mounts", begin, _mounts(outage, host)),
            Command(
                name,
                ("chronyc", "tracking"),
                "chronyc-tracking",
                begin + 1,
                write_chrony(host, begin),
            ),
            Command(name, ("uptime",), "uptime", begin + 1.5, _uptime(rng, host, begin)),
        ]
        if happens(rng, hung_share):
            recording.commands += [
                Command(name, ("df", "-h"), "df", begin + 2, outcome="hung"),
                Command(name, ("ls", EXPORT), "ls-data", begin + 13, outcome="hung"),
            ]
        else:
            recording.commands.append(
                Command(name, ("df", "-lh"), "df-local", begin + 2, _df_local(rng))
            )


def _mounts(outage: Outage, host: Host) -> str:
    return (
        "/dev/nvme0n1p2 / ext4 rw,relatime 0 0\n"
        "/dev/md0 /scratch xfs rw,relatime,attr2,inode64 0 0\n"
        f"{write_mount(outage, host)}\n"
    )


def record_tracking(host: Host, at: float) -> Command:
    """Record chrony's view of the host's clock."""
    argv = ("chronyc", "tracking")
    return Command(host.name, argv, "chronyc-tracking", at, write_chrony(host, at))


def write_chrony(host: Host, at: float) -> str:
    """Write what `chronyc tracking` says of the host's clock."""
    off = host.clock_offset_s
    side = "fast of" if off >= 0 else "slow of"
    moment = datetime.fromtimestamp(at - 31, UTC)
    return (
        "Reference ID    : 0A000002 (ntp1)\n"
        "Stratum         : 3\n"
        f"Ref time (UTC)  : {moment:%a %b %d %H:%M:%S %Y}\n"
        f"System time     : {abs(off):.9f} seconds {side} NTP time\n"
        f"Last offset     : {off / 40:+.9f} seconds\n"
        "RMS offset      : 0.000213544 seconds\n"
        "Frequency       : 11.203 ppm slow\n"
        "Residual freq   : +0.001 ppm\n"
        "Skew            : 0.021 ppm\n"
        "Root delay      : 0.000412311 seconds\n"
        "Root dispersion : 0.000731002 seconds\n"
        "Update interval : 64.2 seconds\n"
        "Leap status     : Normal\n"
    )


def _uptime(rng: random.Random, host: Host, at: float) -> str:
    days = int((at - host.booted) // 86400)
    now = datetime.fromtimestamp(at + host.clock_offset_s, UTC)
    load = rng.uniform(60, 190)
    loads = f"load average: {load:.2f}, {load * 0.7:.2f}, 31.02"
    return f" {now:%H:%M:%S} up {days} days,  3:12,  1 user,  {loads}\n"


def _df_local(rng: random.Random) -> str:
    used = rng.randrange(30, 60)
    return (
        "Filesystem      Size  Used Avail Use% Mounted on\n"
        f"/dev/nvme0n1p2  879G  {used * 8}G  {(100 - used) * 8}G  {used}% /\n"
        f"/dev/md0         28T   {used // 10}T   {26 - used // 10}T  {used // 3}% /scratch\n"
    )


def sample_clients(outage: Outage, rng: random.Random, times: list[float]) -> list[Metric]:
    """Sample node_exporter's view of the mount on every client."""
    found: list[Metric] = []
    for name, stall in outage.stalls.items():
        labels = {"instance": f"{name}:9100", "job": "node"}
        rate, most = rng.uniform(30, 60), rng.randrange(24, 70)
        waits = [max(0.0, min(at, stall.end) - stall.begin) for at in times]
        served = [at - times[0] - lost for at, lost in zip(times, waits, strict=True)]
        inside = [stall.begin + 5 < at < stall.end for at in times]
        write = {**labels, "proto": "4", "method": "Write"}
        found += [
            pair_samples(
                "node_nfs_requests_total", write, times, [round(s * rate) for s in served]
            ),
            pair_samples(
                "node_nfs_rpc_retransmissions_total",
                labels,
                times,
                [float(int(lost // 60)) * 16 for lost in waits],
            ),
            pair_samples(
                "node_procs_blocked",
                labels,
                times,
                [float(most if within else most % 3) for within in inside],
            ),
            pair_samples(
                "node_pressure_io_stalled_seconds_total",
                labels,
                times,
                [round(12 + lost * 0.93, 2) for lost in waits],
            ),
        ]
    return found
