"""The audit log's records of commands are told as sudo tells them, and no others."""

import pytest

from tests.tools.readers.conftest import Read

DOWN = b"ip link set ib0 down".hex().upper()
SUDO = (
    "type=USER_CMD msg=audit(1781669400.123:456): pid=4410 uid=1000 auid=1000 ses=3 "
    'subj=unconfined msg=\'cwd="/root" cmd={cmd} exe="{exe}" terminal=pts/0 res={res}\'\x1d'
    'UID="alice" AUID="alice"\n'
)
CALL = (
    "type=SYSCALL msg=audit(1781669400.130:457): arch=c000003e syscall=59 success=yes exit=0 "
    "a0=f43de8 items=2 ppid=1464 pid=1631 auid={auid} uid={uid} gid=0 euid=0 tty=pts1 ses=3 "
    'comm="nvidia-smi" exe="{exe}" key="root-cmds"\n'
    'type=EXECVE msg=audit(1781669400.130:457): argc=3 a0="{a0}" a1="--gpu-reset" a2=2D69\n'
    'type=CWD msg=audit(1781669400.130:457): cwd="/root"\n'
)
SMI = "/usr/bin/nvidia-smi"


def _sudo(cmd: str = DOWN, exe: str = "/usr/bin/sudo", res: str = "success") -> str:
    return SUDO.format(cmd=cmd, exe=exe, res=res)


def _call(auid: str = "1000", uid: str = "0", exe: str = SMI, a0: str = "nvidia-smi") -> str:
    return CALL.format(auid=auid, uid=uid, exe=exe, a0=a0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (_sudo(), "alice : TTY=pts/0 ; COMMAND=ip link set ib0 down"),
        (_sudo('"reboot"'), "alice : TTY=pts/0 ; COMMAND=reboot"),
        (_call(), "uid-1000 : TTY=pts1 ; COMMAND=/usr/bin/nvidia-smi --gpu-reset -i"),
        (_sudo(res="failed"),
         "alice : command not allowed ; TTY=pts/0 ; COMMAND=ip link set ib0 down"),
    ],
)  # fmt: skip
def test_a_command_is_told_as_sudo_tells_it(read: Read, text: str, said: str) -> None:
    """Its time is in UTC, and hexadecimal is decoded."""
    reads = read("node=gpu-w5 " + text.replace("\ntype", "\nnode=gpu-w5 type"), "audit.log")
    (found,) = reads.records
    assert (found.text, found.unit, found.host, found.channel) == (
        said,
        "sudo",
        "gpu-w5",
        "service",
    )
    assert found.time is not None
    assert (found.time.utc.isoformat()[:19], found.time.zone) == ("2026-06-17T04:10:00", "stated")


@pytest.mark.parametrize(
    "text",
    [_sudo(exe="/home/mallory/sudo"), _call(auid="4294967295"), _call(uid="1000"),
     _call().replace(":457): argc", ":458): argc")],
    ids=["another's executable", "no login session", "no root", "another call's arguments"],
)  # fmt: skip
def test_what_no_person_ran_as_root_is_no_act(read: Read, text: str) -> None:
    """A container, a daemon or a user of no rights can call themselves as they like."""
    assert not read(text, "audit.log").records


def test_a_program_cannot_choose_its_name(read: Read) -> None:
    """The executable is the kernel's word, the first argument the caller's."""
    (found,) = read(_call(exe="/usr/bin/ls"), "audit.log").records
    assert "COMMAND=/usr/bin/ls --gpu-reset" in found.text


def test_a_decoded_command_is_masked(read: Read) -> None:
    """What hexadecimal hides is a secret all the same."""
    secret = "kubectl --token=eyJhbGciOiJSUzI1NiJ9.c2VjcmV0c2VjcmV0.c2lnbmF0dXJl drain gpu-w5"
    (found,) = read(_sudo(secret.encode().hex().upper()), "audit.log").records
    assert "c2VjcmV0" not in found.text
    assert "drain gpu-w5" in found.text


def test_a_jobs_own_output_is_no_audit_log(read: Read) -> None:
    """Whoever prints such lines in a job speaks for the job."""
    assert {record.channel for record in read(_sudo(), "slurm-7.out").records} <= {"app"}
