"""sshd with its clients, and rsyslogd that takes their lines, on ports of their own."""

import os
import socket
import time
from pathlib import Path

from evals.benign.component import Component
from evals.benign.room import Room, find_program
from evals.replay.ports import find_port

_LOGINS = 6
_TAKEN = 1200
_SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/key.pub
PidFile {folder}/sshd.pid
UsePAM no
UseDNS no
StrictModes no
PasswordAuthentication no
PermitRootLogin prohibit-password
LogLevel DEBUG3
"""
_RSYSLOG = """\
module(load="imudp")
input(type="imudp" port="{port}" address="127.0.0.1")
*.* action(type="omfile" file="{folder}/messages")
"""


def _sshd(room: Room) -> None:
    port = find_port()
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host", "key"):
        room.run("", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(room.folder / name))
    config = room.write("sshd_config", _SSHD.format(folder=room.folder, port=port))
    room.start("sshd.log", find_program("sshd") or "sshd", "-D", "-e", "-f", str(config))
    room.await_port(port)
    client = (
        "ssh", "-vvv", "-F", "none", "-i", str(room.folder / "key"), "-p", str(port),
        "-o", f"UserKnownHostsFile={room.folder}/known", "-o", "StrictHostKeyChecking=accept-new",
        "-o", "BatchMode=yes", "root@127.0.0.1", "true",
    )  # fmt: skip
    for _ in range(_LOGINS):
        room.run("ssh.log", *client)


def _rsyslog(room: Room) -> None:
    port = find_port()
    config = room.write("rsyslog.conf", _RSYSLOG.format(folder=room.folder, port=port))
    room.variables["RSYSLOG_DEBUG"] = "Debug NoStdErr"
    room.start("rsyslogd.log", "rsyslogd", "-n", "-d", "-f", str(config), "-i", "NONE")
    time.sleep(1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
        for number in range(_TAKEN):
            head = f"<30>Nov 30 14:00:{number % 60:02d} gpu-n01 healthd[{os.getpid()}]"
            talk.sendto(f"{head}: probe {number} ok".encode(), ("127.0.0.1", port))
            time.sleep(0.001)
    time.sleep(1)


COMPONENTS = (
    Component(
        "sshd", ("sshd", "ssh", "ssh-keygen"), "openssh-server openssh-client", _sshd, root=True
    ),
    Component("rsyslog", ("rsyslogd",), "rsyslog", _rsyslog),
)
