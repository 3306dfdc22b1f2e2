"""Reads processes from /proc without touching what could hang (never their command line)."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.late_patterns import compile_late

_TICKS = os.sysconf("SC_CLK_TCK")
_CONTAINER = compile_late(
    r"(?:cri-containerd-|docker-|crio-|libpod-|/docker/|/kubepods[^:]*/(?:pod[0-9a-f_\-]+/)?)([0-9a-f]{64})"
)
_POD = compile_late(
    r"pod([0-9a-f]{8}[_\-][0-9a-f]{4}[_\-][0-9a-f]{4}[_\-][0-9a-f]{4}[_\-][0-9a-f]{12})"
)


@dataclass(frozen=True)
class Process:
    """One process as the kernel's tables show it."""

    pid: int
    parent: int
    state: str
    name: str
    started: datetime


def processes(proc: Path) -> Iterator[Process]:
    """Give all processes; those that end meanwhile are left out."""
    boot = boot_time(proc)
    for folder in proc.iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(errors="replace")
            except OSError:
                continue
            head, _, tail = stat.rpartition(")")
            fields = tail.split()
            yield Process(
                int(folder.name),
                int(fields[1]),
                fields[0],
                head.partition("(")[2],
                _started(fields, boot),
            )


def _started(fields: list[str], boot: float) -> datetime:
    """Read the start from the fields behind the name in /proc/PID/stat, proc(5)."""
    return datetime.fromtimestamp(boot + int(fields[19]) / _TICKS, UTC)


def boot_time(proc: Path) -> float:
    """Give the epoch second of the boot."""
    for line in (proc / "stat").read_text().splitlines():
        if line.startswith("btime "):
            return float(line.split()[1])
    return 0.0


def stuck_processes(proc: Path) -> str:
    """List processes in D state as `ps` would, with the kernel function they wait in."""
    lines = [f"{'PID':>7} {'PPID':>7} STAT {'WCHAN':<32} {'STARTED':<20} COMMAND"]
    lines.extend(
        f"{process.pid:>7} {process.parent:>7} D    {_waits_in(proc, process.pid):<32} "
        f"{process.started:%Y-%m-%dT%H:%M:%SZ} {process.name}"
        for process in processes(proc)
        if process.state == "D"
    )
    return "\n".join(lines) + "\n"


def _waits_in(proc: Path, pid: int) -> str:
    try:
        return (proc / str(pid) / "wchan").read_text() or "-"
    except OSError:
        return "-"


def container_of(proc: Path, pid: int) -> tuple[str, str]:
    """Give container id and pod uid of a host process, from its cgroup path; empty where none."""
    try:
        text = (proc / str(pid) / "cgroup").read_text()
    except OSError:
        return "", ""
    container, pod = _CONTAINER.search(text), _POD.search(text)
    return (container[1] if container else "", pod[1].replace("_", "-") if pod else "")


def owner_of(proc: Path, pid: int) -> dict[str, str]:
    """Give since when a host process runs and in which control group; empty where unreadable."""
    try:
        groups = (proc / str(pid) / "cgroup").read_text()
        stat = (proc / str(pid) / "stat").read_text(errors="replace")
        started = _started(stat.rpartition(")")[2].split(), boot_time(proc))
    except OSError:
        return {}
    paths = [line.split(":", 2)[2] for line in groups.splitlines() if line.count(":") > 1]
    return {"started": f"{started:%Y-%m-%dT%H:%M:%SZ}", "cgroup": max(paths, key=len, default="")}


def environment_of(proc: Path, pid: int, names: frozenset[str]) -> dict[str, str]:
    """Read only the named variables of a process's environment."""
    try:
        content = (proc / str(pid) / "environ").read_bytes()
    except OSError:
        return {}
    pairs = (part.partition(b"=") for part in content.split(b"\0"))
    return {
        name.decode(): value.decode("utf-8", "replace")
        for name, _, value in pairs
        if name.decode("latin-1") in names
    }
