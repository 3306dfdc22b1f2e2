"""The host's own commands and tables."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools.capture import Capture
from tools.context import ProbeContext
from tools.probes.host import (
    host_clock,
    host_disks,
    host_facts,
    host_kernel_ring,
    host_links,
    host_mounts,
    host_processes,
    network_mounts,
)
from tools.processes import container_of, processes
from tools.request import Request

Program = Callable[[str, str], Path]
MOUNTS = """\
/dev/vda / ext4 rw,relatime 0 0
10.0.0.10:/export /data nfs4 rw,vers=4.2,hard,timeo=600,retrans=2 0 0
10.0.0.11:/home /mnt/a\\040b nfs rw,vers=3 0 0
tmpfs /run tmpfs rw 0 0
10.0.0.12@tcp:/scratch /scratch lustre rw 0 0
"""


@pytest.fixture(name="proc")
def _proc(tmp_path: Path, context: ProbeContext) -> Path:
    """A host's /proc with two processes, one of them stuck on NFS in a pod's container."""
    proc = tmp_path / "proc"
    for folder in ("self", "4242", "77", "sys/kernel/random", "driver/nvidia"):
        (proc / folder).mkdir(parents=True)
    (proc / "self" / "mounts").write_text(MOUNTS)
    (proc / "stat").write_text("cpu 1 2\nbtime 1750380000\n")
    zeros = " ".join("0" for _ in range(30))
    (proc / "4242" / "stat").write_text(
        f"4242 (my (odd) name) D 1 4242 {zeros[:30]} 12000 {zeros}\n"
    )
    (proc / "4242" / "wchan").write_text("rpc_wait_bit_killable")
    pod = "kubepods-burstable-pod0a1b2c3d_1111_2222_3333_444455556666.slice"
    (proc / "4242" / "cgroup").write_text(
        f"0::/kubepods.slice/{pod}/cri-containerd-{'ab' * 32}.scope\n"
    )
    (proc / "77" / "stat").write_text(f"77 (sshd) S 1 77 {zeros}\n")
    (proc / "uptime").write_text("3600.0 1.0\n")
    (proc / "sys/kernel/random/boot_id").write_text("0a1b\n")
    (proc / "driver/nvidia/version").write_text("NVRM version: NVIDIA UNIX 550.127.08\n")
    context.proc = proc
    (tmp_path / "root/var/log/apt").mkdir(parents=True)
    (tmp_path / "root/var/log/apt/history.log").write_text(
        "Start-Date: 2025-06-19\nInstall: nvidia-driver\n"
    )
    return proc


def text(context: ProbeContext, capture: Capture) -> str:
    return (context.workspace.root / capture.path).read_text()


def by_name(captures: Iterator[Capture]) -> dict[str, Capture]:
    return {Path(each.path or each.command).stem: each for each in captures}


def test_stuck_processes_are_listed_with_where_they_wait(proc: Path, context: ProbeContext) -> None:
    (capture,) = host_processes(Request(), context)
    lines = text(context, capture).splitlines()

    assert len(lines) == 2
    assert lines[1].split()[:4] == ["4242", "1", "D", "rpc_wait_bit_killable"]
    assert lines[1].endswith("my (odd) name")
    assert "2025-06-20T00:" in lines[1]
    assert proc.exists()


def test_each_network_mount_is_asked_by_itself_and_a_hang_is_an_observation(
    proc: Path, context: ProbeContext, program: Program, hanging: str
) -> None:
    first, *rest = hanging.splitlines()
    program("df", "\n".join([first, 'case "$2" in /scratch) echo fine; exit 0;; esac', *rest]))
    context.limit_s = 0.4
    mounts, *asked = host_mounts(Request(), context)

    assert network_mounts(proc / "self" / "mounts") == ["/data", "/mnt/a b", "/scratch"]
    assert "timeo=600" in text(context, mounts)
    assert [(each.command, each.outcome) for each in asked] == [
        ("df -h /data", "hung"),
        ("df -h '/mnt/a b'", "hung"),
        ("df -h /scratch", "ok"),
    ]
    assert asked[0].detail.startswith("given up after")


def test_an_agent_in_a_container_asks_for_the_hosts_mounts_as_the_host_names_them(
    proc: Path, context: ProbeContext, program: Program, tmp_path: Path
) -> None:
    program("df", "#!/bin/sh\necho $2\n")
    (proc / "1").mkdir()
    (proc / "1" / "mounts").write_text("10.0.0.10:/export /data nfs4 rw 0 0\n")
    context.root = tmp_path / "host"
    mounts, asked = host_mounts(Request(), context)

    assert "10.0.0.10" in text(context, mounts)
    assert asked.command == "df -h /data"
    assert text(context, asked) == f"{tmp_path}/host/data\n"


def test_facts_and_package_history_are_kept(proc: Path, context: ProbeContext) -> None:
    context.root = proc.parent / "root"
    captures = by_name(host_facts(Request(), context))

    assert "Linux" in text(context, captures["uname"])
    assert "550.127.08" in text(context, captures["nvidia-version"])
    assert "nvidia-driver" in text(context, captures["var-log-apt-history.log"])
    assert captures["boot-id"].command == "cat /proc/sys/kernel/random/boot_id"
    assert proc.exists()


def test_this_machines_own_tables_can_be_read(context: ProbeContext) -> None:
    captures = {each.command: each for each in host_facts(Request(), context)}
    boot = captures["cat /proc/sys/kernel/random/boot_id"]

    assert boot.outcome == "ok"
    assert len(text(context, boot).strip()) == 36


def test_of_a_long_file_the_end_is_kept(proc: Path, context: ProbeContext) -> None:
    context.root = proc.parent / "root"
    log = context.root / "var/log/dpkg.log"
    log.write_text("old line\n" * 200_000 + "the last line\n")
    (capture,) = [
        each for each in host_facts(Request(), context) if each.command.endswith("dpkg.log")
    ]

    assert proc.exists()
    assert capture.truncated
    assert text(context, capture).endswith("the last line\n")
    assert len(text(context, capture)) == 1 << 20


def test_commands_that_are_missing_are_absent_and_nothing_breaks(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    captures = [
        *host_disks(Request(), context),
        *host_links(Request(), context),
        *host_clock(Request(), context),
        *host_kernel_ring(Request(), context),
    ]
    commands = [each for each in captures if not each.command.startswith("cat ")]

    assert {each.outcome for each in commands} == {"absent"}
    assert {each.command.split()[0] for each in commands} == {
        "df", "nfsstat", "ip", "lspci", "chronyc", "timedatectl", "dmesg",
    }  # fmt: skip


def test_a_process_is_related_to_its_container_and_pod(proc: Path) -> None:
    assert container_of(proc, 4242) == ("ab" * 32, "0a1b2c3d-1111-2222-3333-444455556666")
    assert container_of(proc, 77) == ("", "")


def test_this_machines_own_processes_can_be_read() -> None:
    mine = [each for each in processes(Path("/proc")) if each.pid == os.getpid()]

    assert mine[0].parent == os.getppid()
    assert mine[0].state == "R"
