"""What a person did by hand just before the trouble leads; what they only looked at does not."""

from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped
from tests.tools.readers import samples

CALM = "2026-06-17T04:00:01+00:00 {host} systemd[1]: Started Session 7 of User alice.\n"
LATER = "2026-06-17T04:20:01+00:00 {host} systemd[1]: Started Session 8 of User alice.\n"
PORT = "kernel: mlx5_core 0000:1b:00.0 mlx5_0: Port: 1 Link DOWN"
LOST = "kernel: nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0xffff"
BROKEN = (
    "kernel: EXT4-fs error (device nvme0n1): ext4_find_entry:1455: inode #2: comm bash: reading"
)
READ_ONLY = "kernel: EXT4-fs (nvme0n1): Remounting filesystem read-only"
CLEANED = "kernel: NVRM: Xid (PCI:0000:9b:00): 45, pid=41022, name=python3, Ch 00000008"
PEERLESS = (
    "kernel: NVRM: Xid (PCI:0000:5d:00): 74, pid=77, name=python3, NVLink: fatal error detected on "
    "link 4(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)"
)
UNHEALTHY = "kernel: mlx5_core 0000:18:00.0: device's health compromised - reached miss count"
KILLED = "systemd[1]: train.service: Main process exited, code=killed, status=9/KILL"
FABRIC = "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'."
UNPEERED = (
    "train[5210]: node7:4410:4533 [0] NCCL WARN NET/IB : Got completion from peer"
    " 10.4.2.7<52311> with error 12, opcode 0, len 0, vendor err 129"
)


def _sudo(command: str, *, clock: str = "04:10:00", host: str = "gpu-w5", head: str = "") -> str:
    asked = head or "   alice : TTY=pts/0 ; PWD=/root ; USER=root ; "
    return f"2026-06-17T{clock}+00:00 {host} sudo[4410]: {asked}COMMAND={command}\n"


def _log(*said: str, host: str = "gpu-w5") -> str:
    lines = [
        f"2026-06-17T04:10:{3 + 2 * n:02d}+00:00 {host} {text}\n" for n, text in enumerate(said)
    ]
    return CALM.format(host=host) + "".join(lines) + LATER.format(host=host)


def _read(folder: Path, **files: str) -> Investigation:
    for name, text in files.items():
        (folder / f"{name}.log").write_text("".join(sorted(text.splitlines(keepends=True))))
    return investigate([folder], Incident(), shipped())


def _roots(found: Investigation) -> list[str]:
    assert found.diagnosis is not None
    return [root.page for root in found.diagnosis.root_causes]


def _changes(found: Investigation) -> set[str]:
    assert found.diagnosis is not None
    return {change.page for change in found.diagnosis.changes}


@pytest.mark.parametrize(
    ("command", "said", "page"),
    [
        ("/sbin/ip link set ib0 down", (PORT, UNPEERED), "link-taken-down"),
        ("/usr/bin/bash -c ip link set dev ib0 down", (PORT, UNPEERED), "link-taken-down"),
        ("/usr/sbin/nvme subsystem-reset /dev/nvme0", (LOST, BROKEN, READ_ONLY),
         "storage-device-reset"),
        ("/usr/bin/tee /sys/class/nvme/nvme0/reset_controller", (LOST, BROKEN),
         "storage-device-reset"),
        ("/usr/bin/nvidia-smi --gpu-reset -i 3", (CLEANED,), "gpu-reset-by-hand"),
        ("/usr/bin/nvidia-smi --gpu-reset -i 3", (CLEANED, PEERLESS), "gpu-reset-by-hand"),
        ("/usr/bin/mlxfwreset -d 18:00.0 reset -y", (UNHEALTHY, PORT), "adapter-reset-by-hand"),
        ("/usr/bin/kill -9 41022", (KILLED, CLEANED), "process-killed-by-hand"),
        ("/usr/bin/systemctl restart nvidia-fabricmanager", (FABRIC,), "device-service-stopped"),
        ("/usr/sbin/modprobe -r mlx5_core", (PORT,), "kernel-module-removed"),
        ("/usr/sbin/reboot", (PORT, KILLED), "node-shutting-down"),
        ("/usr/sbin/ibportstate -C mlx5_0 12 7 disable", (PORT, UNPEERED), "fabric-port-disabled"),
    ],
)  # fmt: skip
def test_an_act_leads_where_its_effect_follows_on_the_same_thing(
    tmp_path: Path, command: str, said: tuple[str, ...], page: str
) -> None:
    """It is the change, matches in scope, and stands at the head."""
    found = _read(tmp_path, host=_log(*said) + _sudo(command))
    assert _roots(found)[:1] == [page]
    assert found.diagnosis is not None
    assert [(c.page, c.scope_match) for c in found.diagnosis.changes] == [(page, True)]


@pytest.mark.parametrize(
    "command",
    ["/usr/bin/nvidia-smi", "/sbin/ip link show ib0", "/usr/bin/journalctl -k", "/usr/bin/ls /",
     "/usr/bin/cat /etc/fstab", "/usr/bin/systemctl status kubelet", "/usr/sbin/nvme list",
     "/sbin/ip link set ib0 up", "/usr/bin/kubectl get nodes", "/usr/bin/scontrol show nodes",
     "/usr/bin/mlxfwreset -d 18:00.0 query", "/usr/sbin/shutdown -c",
     "/usr/bin/kill -0 41022", "/usr/bin/last reboot"],
)  # fmt: skip
def test_who_only_looked_changed_nothing(tmp_path: Path, command: str) -> None:
    """Most of what people do under sudo is to read."""
    assert not _changes(_read(tmp_path, host=_log(PORT) + _sudo(command)))


@pytest.mark.parametrize(
    "head",
    ["alice : 3 incorrect password attempts ; TTY=pts/0 ; PWD=/root ; USER=root ; ",
     "alice : command not allowed ; TTY=pts/0 ; PWD=/root ; USER=root ; ",
     "alice : user NOT in sudoers ; TTY=pts/0 ; PWD=/root ; USER=root ; "],
)  # fmt: skip
def test_what_sudo_refused_was_not_done(tmp_path: Path, head: str) -> None:
    """The reason stands before the command then."""
    found = _read(tmp_path, host=_log(PORT) + _sudo("/sbin/ip link set ib0 down", head=head))
    assert not _changes(found)


@pytest.mark.parametrize(
    "command",
    ["/usr/bin/ls a ; COMMAND=/usr/sbin/reboot",
     "/usr/sbin/reboot ; USER=root ; COMMAND=/usr/bin/ls"],
    ids=["in an argument", "in the name of a folder"],
)  # fmt: skip
def test_a_command_cannot_be_forged_inside_another(tmp_path: Path, command: str) -> None:
    """Whoever may list a folder chooses its name and the arguments."""
    assert not _changes(_read(tmp_path, host=_log(PORT) + _sudo(command)))


AUDITED = (
    "node=gpu-w5 type=USER_CMD msg=audit(1781669400.123:456): pid=4410 uid=1000 auid=1000 ses=3"
    ' msg=\'cwd="/root" cmd={cmd} exe="/usr/bin/sudo" terminal=pts/0 res=success\'\n'
)


@pytest.mark.parametrize(
    ("command", "leads"),
    [("/sbin/ip link set ib0 down", True), ("ls x ; COMMAND=/sbin/ip link set ib0 down", False)],
)
def test_the_audit_log_tells_of_an_act_as_well(
    tmp_path: Path, command: str, *, leads: bool
) -> None:
    """Its commands are in hexadecimal; what stands in an argument is no command."""
    told = AUDITED.format(cmd=command.encode().hex().upper())
    (tmp_path / "audit.log").write_text(told)
    found = _read(tmp_path, host=_log(PORT, UNPEERED))
    assert (_roots(found)[:1] == ["link-taken-down"]) is leads
    assert bool(_changes(found)) is leads


def test_an_application_cannot_speak_for_sudo(tmp_path: Path) -> None:
    """The words are free, the writer is not."""
    told = "alice : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/sbin/ip link set ib0 down"
    printed = f"2026-06-17T04:10:00+00:00 gpu-w5 trainer[77]: {told}\n"
    assert not _changes(_read(tmp_path, host=_log(PORT) + printed))
    (tmp_path / "slurm-7.out").write_text(f"2026-06-17T04:10:00Z {told}\n")
    assert not _changes(_read(tmp_path, host=_log(PORT)))


SESSION = "_SYSTEMD_CGROUP=/user.slice/user-1000.slice/session-3.scope"
POD = "_SYSTEMD_CGROUP=/kubepods.slice/kubepods-pod1.slice/cri-containerd-0a1b2c3d4e5f.scope"


@pytest.mark.parametrize(
    ("executable", "group", "believed"),
    [("/usr/bin/sudo", SESSION, True), ("/usr/bin/logger", SESSION, False),
     ("/home/alice/bin/sudo", SESSION, False), ("/usr/bin/sudo", POD, False)],
)  # fmt: skip
def test_the_journal_knows_who_called_itself_sudo(
    tmp_path: Path, executable: str, group: str, *, believed: bool
) -> None:
    """In somebody's session only sudo's own executable is believed, in a container none."""
    told = b"alice : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/sbin/ip link set ib0 down"
    kernel = ("_TRANSPORT=kernel", "SYSLOG_IDENTIFIER=kernel")
    writer = (
        "SYSLOG_IDENTIFIER=sudo",
        f"_EXE={executable}",
        group,
        "_SYSTEMD_UNIT=session-3.scope",
    )
    (tmp_path / "journal.export").write_bytes(
        samples.entry(samples.T0, "gpu-w5", told, *writer)
        + samples.entry(samples.T0 + 2_000_000, "gpu-w5", PORT.partition(" ")[2].encode(), *kernel)
    )
    assert bool(_changes(investigate([tmp_path], Incident(), shipped()))) is believed


def test_an_act_on_another_host_is_context(tmp_path: Path) -> None:
    """It is told, and blamed for nothing here."""
    other = CALM.format(host="gpu-w6") + _sudo("/sbin/ip link set ib0 down", host="gpu-w6")
    found = _read(tmp_path, host=_log(PORT, UNPEERED), other=other + LATER.format(host="gpu-w6"))
    assert found.diagnosis is not None
    assert [(c.page, c.scope_match) for c in found.diagnosis.changes] == [
        ("link-taken-down", False)
    ]
    assert "link-taken-down" not in _roots(found)


STALLED = "kernel: nfs: server {server} not responding, still trying"


@pytest.mark.parametrize(
    ("command", "page"),
    [
        ("/usr/sbin/iptables -A FORWARD -d 10.0.0.9,10.0.0.10 -j DROP", "traffic-blocked-by-hand"),
        ("/usr/sbin/iptables -I FORWARD 1 -p tcp --dport 2049 -j DROP",
         "storage-port-blocked-by-hand"),
        ("/usr/sbin/nft add rule inet filter forward tcp dport 2049 drop",
         "storage-port-blocked-by-hand"),
        ("/usr/sbin/iptables -A FORWARD -d 10.9.9.9 -j DROP", ""),
        ("/usr/sbin/iptables -A FORWARD -p tcp --dport 22 -j DROP", ""),
    ],
)  # fmt: skip
def test_a_rule_on_a_third_host_leads_where_it_names_the_servers(
    tmp_path: Path, command: str, page: str
) -> None:
    """Two servers that fall silent did not both fail; a rule for something else is context."""
    asked = _sudo(command, clock="04:09:58", host="gw-1")
    hosts = {
        name: _log(*(STALLED.format(server=one) for one in ("10.0.0.9", "10.0.0.10")), host=host)
        for name, host in (("a", "gpu-w5"), ("b", "gpu-w6"), ("c", "gpu-w7"))
    }
    gate = CALM.format(host="gw-1") + asked + LATER.format(host="gw-1")
    roots = set(_roots(_read(tmp_path, gate=gate, **hosts)))
    assert roots == ({page} if page else {"storage-server-unavailable"})


def test_an_act_that_answers_a_fault_did_not_bring_it_about(tmp_path: Path) -> None:
    """The drive was reset because it failed."""
    reset = _sudo("/usr/sbin/nvme reset /dev/nvme0", clock="04:18:00")
    found = _read(tmp_path, host=_log(LOST, BROKEN, READ_ONLY) + reset)
    assert _roots(found)[:1] == ["nvme-controller-lost"]


def test_a_secret_in_a_command_is_masked(tmp_path: Path) -> None:
    """What people type is shown as all text is."""
    typed = (
        "/usr/bin/kubectl --token=eyJhbGciOiJSUzI1NiJ9.c2VjcmV0c2VjcmV0.c2lnbmF0dXJl drain gpu-w5"
    )
    found = _read(tmp_path, host=_log(PORT) + _sudo(typed))
    assert _changes(found) == {"node-taken-out-by-hand"}
    assert "c2VjcmV0" not in found.model_dump_json()


def test_a_crash_that_was_ordered_is_no_fault_of_the_kernel(tmp_path: Path) -> None:
    """The panic itself says that sysrq triggered it."""
    found = _read(
        tmp_path,
        host=_log(
            "kernel: sysrq: Trigger a crash",
            "kernel: Kernel panic - not syncing: sysrq triggered crash",
        ),
    )
    assert _roots(found)[:1] == ["crash-ordered"]
