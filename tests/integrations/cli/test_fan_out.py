"""Thirty hosts over ssh, five dead and ten hung: an answer in time, and nothing left behind."""

import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.gather import Live
from assistant.incident import Incident, Scope
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tests.kept_pages import cache_home
from tools.archive import pack
from tools.capture import Capture
from tools.context import ProbeContext
from tools.evidence import Window
from tools.hangs import Hangs
from tools.shell import Shell
from tools.transport.ssh import Ssh
from tools.workspace import Workspace

OK = tuple(f"ok-{n:02d}" for n in range(15))
DEAD = ("dead-0", "dead-1", "dead-2", "silent-0", "silent-1")
HUNG = tuple(f"hung-{n}" for n in range(10))
HOSTS = (*HUNG, *DEAD, *OK)
NFS = "nfs: server 10.0.0.10 not responding, still trying"
STAND_IN = """\
for word in "$@"; do case "$word" in
  ok-*) cat {bundles}/$word; exit 0;;
  dead-*) echo "ssh: connect to host $word port 22: Connection refused" >&2; exit 255;;
  silent-*) sleep 3; echo "ssh: connect to host $word port 22: Connection timed out" >&2; exit 255;;
esac; done
"""
MARK = "FIRSTFAULT_RIG"


@dataclass(frozen=True)
class Rig:
    """A stand-in for OpenSSH first on PATH, with no sshd on any of its hosts."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The product's surroundings: everything in a folder of its own, marked for the census."""
        return {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(cache_home()),
            "XDG_RUNTIME_DIR": str(self.folder),
            "FIRSTFAULT_DATA_DIR": str(self.folder / "data"),
            "FIRSTFAULT_TRANSPORT": "ssh",
            MARK: str(self.folder),
        }

    def left(self) -> set[int]:
        """Count the processes that the rig's runs have left behind."""
        return {
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and self._marks(entry)
        }

    def _marks(self, process: Path) -> bool:
        try:
            alive = (process / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
            return alive and f"{MARK}={self.folder}".encode() in (process / "environ").read_bytes()
        except OSError:
            return False


@pytest.fixture(name="rig")
def _rig(tmp_path: Path, hanging: str) -> Iterator[Rig]:
    bundles, programs = tmp_path / "bundles", tmp_path / "bin"
    bundles.mkdir()
    programs.mkdir()
    now = datetime.now(UTC)
    for host in OK:
        remote = Workspace(tmp_path / "remote" / host)
        line = f"{now:%Y-%m-%dT%H:%M:%S}+00:00 {host} kernel: {NFS}\n"
        kernel = Capture(path=f"journal/{host}.log", source="journal", command="journalctl -k")
        remote.save(kernel, line.encode())
        packed = io.BytesIO()
        pack(remote.root, packed)
        (bundles / host).write_bytes(packed.getvalue())
    head, *rest = hanging.splitlines()
    program = programs / "ssh"
    program.write_text("\n".join([head, STAND_IN.format(bundles=bundles), *rest, ""]))
    program.chmod(0o755)
    rig = Rig(tmp_path)
    yield rig
    for pid in rig.left():
        os.kill(pid, 9)


def test_the_answer_does_not_wait_for_hosts_that_hang(rig: Rig, tmp_path: Path) -> None:
    """The same thirty with short limits: a part before any hung host is given up, then the whole.

    None of the hung ever returns by itself, so that to come back at all is to have given them up.
    """
    context = ProbeContext(Workspace(tmp_path / "look"), shell=Shell(Hangs(), rig.environment))
    ended: list[tuple[str, set[str]]] = []
    incident = Incident(scope=Scope(nodes=HOSTS), window=Window(since=datetime.now(UTC)))
    live = Live(context, first_answer_s=1.5, transports=(Ssh(HOSTS, limit_s=5.0),))
    found = investigate(
        live,
        incident,
        shipped(),
        on_step=lambda step: ended.append((step.step, set(_ends(context)))),
    )
    first = next(hosts for step, hosts in ended if step == "diagnosed")
    ends = _ends(context)

    assert not first & set(HUNG)
    assert {host for host, end in ends.items() if end == "hung"} == {*HUNG, "silent-0", "silent-1"}
    assert {host for host, end in ends.items() if end == "ok"} == set(OK)
    assert found.diagnosis is not None
    hubs = {root.entity.id for root in found.diagnosis.root_causes}
    assert hubs == {"10.0.0.10"}
    assert rig.left() <= set(context.shell.abandoned) or len(rig.left()) <= len(HUNG)


def _ends(context: ProbeContext) -> dict[str, str]:
    """How each host's call has ended so far."""
    calls = (each for each in context.workspace.captures() if each.command.startswith("ssh "))
    return {each.target: each.outcome for each in calls}


def test_a_host_understands_what_is_asked_of_it(tmp_path: Path) -> None:
    """The real command on the other side sends a bundle; it needs no shell and no terminal."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    real = Path(sys.executable).with_name("firstfault")
    program.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != firstfault ]; do shift; done\n'
        f"shift; export HOME={tmp_path}/remote XDG_CACHE_HOME={cache_home()}\n"
        f'FIRSTFAULT_LIMIT_S=3 exec {real} "$@"\n'
    )
    program.chmod(0o755)
    context = ProbeContext(
        Workspace(tmp_path / "look"), shell=Shell(Hangs(), Rig(tmp_path).environment)
    )
    live = Live(context, first_answer_s=30, transports=(Ssh(("n7",), limit_s=30),))
    found = investigate(live, Incident(window=Window(since=datetime.now(UTC))), shipped())
    captures = list(context.workspace.captures())

    assert captures[-1].command.startswith("ssh ")
    assert captures[-1].outcome == "ok"
    assert "uname -a" in {each.command for each in captures}
    assert found.diagnosis is not None


@pytest.mark.soak
def test_the_command_answers_in_time_and_leaves_nothing_that_grows(rig: Rig) -> None:
    """A part within 15 s, the whole within 90 s; run again, no host that hung is asked twice.

    The two times are not a measure of speed but what is promised to an operator whose cluster is
    down, with one third of its hosts dead or hung.
    """
    nodes = [word for host in HOSTS for word in ("--node", host)]
    counts = []
    for _ in range(3):
        first, whole, answer = _timed([*nodes, "--since", "1h", "-o", "json"], rig)
        counts.append(len(rig.left()))
        assert first < 15
        assert whole < 90
        assert {root["entity"]["id"] for root in answer["root_causes"]} == {"10.0.0.10"}
        hung = {row["target"] for row in answer["coverage"] if row["state"] == "hung"}
        assert hung >= set(HUNG)

    assert counts[0] <= len(HUNG)
    assert counts[1:] == counts[:1] * 2


def _timed(
    arguments: list[str], rig: Rig
) -> tuple[float, float, dict[str, list[dict[str, object]]]]:
    """Run the command; give when its first answer was said, when it ended, and what it said."""
    argv = [str(Path(sys.executable).with_name("firstfault")), "diagnose", *arguments]
    begun, first = time.monotonic(), 0.0
    with (
        (rig.folder / "out").open("w+") as out,
        subprocess.Popen(
            argv, env=rig.environment, stdout=out, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        assert process.stderr is not None
        for line in process.stderr:
            if not first and "10.0.0.10" in line:
                first = time.monotonic() - begun
        process.wait(30)
        whole = time.monotonic() - begun
        out.seek(0)
        return first or whole, whole, json.load(out)
