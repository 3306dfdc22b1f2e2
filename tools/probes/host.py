"""The host itself: stuck processes, mounts, disks, links, clock, boots, packages."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tools.capture import Capture
from tools.context import ProbeContext
from tools.processes import stuck_processes
from tools.registry import probe
from tools.request import Request
from tools.workspace import NETWORK

_PACKAGE_LOGS = (
    "var/log/dpkg.log",
    "var/log/apt/history.log",
    "var/log/dnf.rpm.log",
    "var/log/yum.log",
    "var/log/zypp/history",
)
_TAIL = 1 << 20
_PIECE = 1 << 16
_MOUNTS_AT_ONCE = 8


@probe(source="host", reach="host", volatility=0)
def host_processes(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read from /proc which processes are in D state, since when, and where they wait."""
    text = stuck_processes(context.proc)
    command = "ps -eo pid,ppid,stat,wchan:32,lstart,comm"
    yield context.store(
        text.encode(), source="host", path=f"host/{context.host}/stuck.txt", command=command
    )


@probe(source="host", reach="host", volatility=0)
def host_kernel_ring(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the kernel ring buffer: it is overwritten, and lost with the boot."""
    yield _command(context, ["dmesg", "--kernel", "-x", "--time-format=iso"], "dmesg")


@probe(source="host", reach="host", volatility=0)
def host_mounts(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the mount table, then ask each network mount by itself how full it is.

    A `df` that does not come back is an observation: that mount's server does not answer.
    """
    mounts = context.of_init / "mounts"
    yield from keep_file(context, mounts, "mounts", "cat /proc/self/mounts")
    points = network_mounts(mounts)
    if points:
        with ThreadPoolExecutor(min(_MOUNTS_AT_ONCE, len(points))) as pool:
            yield from pool.map(partial(_room_on, context), enumerate(points))


def _room_on(context: ProbeContext, mount: tuple[int, str]) -> Capture:
    number, point = mount
    return context.capture(
        ["df", "-h", str(context.root / point.lstrip("/"))],
        source="host",
        path=f"host/{context.host}/df-mount-{number}.txt",
        resource=f"df{point}",
        as_typed=["df", "-h", point],
    )


@probe(source="host", reach="host", volatility=4)
def host_disks(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read how full local file systems are, in bytes and inodes, and the NFS client's settings."""
    if context.root == Path("/"):  # a container's df lists the container's own mounts
        yield _command(context, ["df", "-h", "-l", "-P"], "df")
        yield _command(context, ["df", "-i", "-l", "-P"], "df-i")
    yield _command(context, ["nfsstat", "-m"], "nfsstat-m")
    yield from keep_file(
        context, context.of_init / "mountstats", "mountstats", "cat /proc/self/mountstats"
    )


@probe(source="host", reach="host", volatility=4)
def host_links(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the state of Ethernet and PCIe links, with PCIe error registers."""
    yield _command(context, ["ip", "-s", "link", "show"], "ip-link")
    yield _command(context, ["ip", "-o", "addr", "show"], "ip-addr")
    yield _command(context, ["lspci", "-vv", "-D"], "lspci")


@probe(source="host", reach="host", volatility=4)
def host_clock(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read how far the clock is off and whether anything disciplines it."""
    yield _command(context, ["chronyc", "-n", "tracking"], "chronyc-tracking")
    yield _command(context, ["timedatectl", "show"], "timedatectl")


@probe(source="host", reach="host", volatility=9)
def host_facts(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read what changes only by hand: kernel, driver, boot, packages and when they changed."""
    yield _command(context, ["uname", "-a"], "uname")
    proc = context.proc
    yield from keep_file(context, proc / "uptime", "uptime", "cat /proc/uptime")
    yield from keep_file(
        context,
        proc / "sys/kernel/random/boot_id",
        "boot-id",
        "cat /proc/sys/kernel/random/boot_id",
    )
    yield from keep_file(context, proc / "cmdline", "kernel-command-line", "cat /proc/cmdline")
    yield from keep_file(
        context, proc / "driver/nvidia/version", "nvidia-version", "cat /proc/driver/nvidia/version"
    )
    yield from keep_file(
        context, context.root / "etc/os-release", "os-release", "cat /etc/os-release"
    )
    for log in _PACKAGE_LOGS:
        yield from keep_file(context, context.root / log, log.replace("/", "-"), f"cat /{log}")


def network_mounts(mounts: Path) -> list[str]:
    """Give the mount points of network file systems, without touching them."""
    points = []
    for line in mounts.read_text().splitlines():
        _, point, kind, *_ = line.split(" ")
        if kind in NETWORK:
            points.append(point.replace("\\040", " "))
    return points


def _command(context: ProbeContext, argv: list[str], name: str) -> Capture:
    return context.capture(
        argv, source="host", path=f"host/{context.host}/{name}.txt", resource=f"host/{name}"
    )


def keep_file(context: ProbeContext, file: Path, name: str, command: str) -> Iterator[Capture]:
    """Keep a file, of a long one its end; a missing one is no capture, not every host has each."""
    started = context.clock()
    try:
        text, cut = _end_of(file)
    except FileNotFoundError:
        return
    except OSError as error:
        yield context.store(
            b"",
            source="host",
            path="",
            command=command,
            outcome="denied",
            detail=str(error),
            started=started,
        )
        return
    yield context.store(
        text,
        source="host",
        path=f"host/{context.host}/{name}.txt",
        command=command,
        outcome="ok" if text else "empty",
        started=started,
        truncated=cut,
    )


def _end_of(file: Path) -> tuple[bytes, bool]:
    """Read a file, of a long one its end; in small pieces, as the kernel's tables need."""
    with file.open("rb", buffering=0) as content:
        size = file.stat().st_size
        if size > _TAIL:
            content.seek(size - _TAIL)
        pieces = list(iter(lambda: content.read(_PIECE), b""))
    text = b"".join(pieces)
    return text[-_TAIL:], size > _TAIL or len(text) > _TAIL
