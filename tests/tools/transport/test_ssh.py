# ruff: noqa: E501  (a program's lines stand as they are)
"""Thirty hosts, of which five are dead and ten hang: the rest goes on."""

import io
import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tools.archive import pack
from tools.capture import Capture
from tools.collecting import Progress, collect
from tools.context import ProbeContext
from tools.evidence import Window
from tools.hangs import Hangs
from tools.request import Request
from tools.shell import Shell
from tools.transport.ssh import Ssh
from tools.workspace import Workspace

WINDOW = Window(
    since=datetime(2025, 6, 20, 2, tzinfo=UTC), until=datetime(2025, 6, 20, 3, tzinfo=UTC)
)


def packed(folder: Path) -> Path:
    """A bundle as a host sends it."""
    workspace = Workspace(folder / "remote")
    workspace.save(
        Capture(path="host/n/uname.txt", source="host", command="uname -a"), b"Linux n 6.8\n"
    )
    workspace.save(
        Capture(source="host", command="df -h /data", outcome="hung", detail="given up after 10 s"),
        b"",
    )
    content = io.BytesIO()
    pack(workspace.root, content)
    file = folder / "bundle.tar.zst"
    file.write_bytes(content.getvalue())
    return file


def fake_ssh(bundle: Path, hanging: str) -> str:
    """A stand-in for OpenSSH that knows its hosts by name, with a sshd on none of them."""
    lines = hanging.splitlines()
    return "\n".join(
        [
            lines[0],
            'for word in "$@"; do case "$word" in',
            f"  ok-*) cat {bundle}; exit 0;;",
            '  dead-*) echo "ssh: connect to host $word port 22: Connection refused" >&2; exit 255;;',
            '  silent-*) sleep 1; echo "ssh: connect to host $word port 22: Connection timed out" >&2; exit 255;;',
            "  cut-*) head -c 150 " + str(bundle) + "; exit 255;;",
            "esac; done",
            *lines[1:],
        ]
    )


@pytest.fixture(name="context")
def _context(tmp_path: Path) -> ProbeContext:
    return ProbeContext(Workspace(tmp_path / "bundle"), shell=Shell(Hangs()))


def test_five_dead_and_ten_hung_of_thirty_hosts_do_not_stop_the_rest(
    tmp_path: Path, context: ProbeContext, program: Callable[[str, str], Path], hanging: str
) -> None:
    """The hung never return by themselves: what comes from the others does not wait for them."""
    program("ssh", fake_ssh(packed(tmp_path), hanging))
    hosts = [
        *(f"hung-{n}" for n in range(10)),
        *(f"dead-{n}" for n in range(3)),
        *(f"silent-{n}" for n in range(2)),
        *(f"ok-{n}" for n in range(15)),
    ]
    news: list[Progress] = []
    way = Ssh(hosts, limit_s=4.0)
    collect(
        Request(window=WINDOW),
        context,
        transports=[way],
        on_progress=news.append,
    )
    order = [each.capture.target for each in news if each.capture]
    came = [place for place, host in enumerate(order) if host.startswith("ok-")]
    given_up = [place for place, host in enumerate(order) if host.startswith("hung-")]
    ends = {
        c.target: c.outcome for c in context.workspace.captures() if c.command.startswith("ssh ")
    }

    assert max(came) < min(given_up)
    assert [ends[f"hung-{n}"] for n in range(10)] == ["hung"] * 10
    assert [ends[f"dead-{n}"] for n in range(3)] == ["absent"] * 3
    assert [ends[f"silent-{n}"] for n in range(2)] == ["hung"] * 2
    assert [ends[f"ok-{n}"] for n in range(15)] == ["ok"] * 15
    assert len(context.shell.abandoned) <= 10


def test_hosts_that_hung_get_no_second_process(
    tmp_path: Path, context: ProbeContext, program: Callable[[str, str], Path], hanging: str
) -> None:
    program("ssh", fake_ssh(packed(tmp_path), hanging))
    for _ in range(3):
        collect(Request(), context, transports=[Ssh(["hung-0", "hung-1"], limit_s=0.5)])

    assert len(context.shell.abandoned) <= 2
    assert {c.outcome for c in context.workspace.captures()} == {"hung"}


def test_what_a_host_sent_is_merged_into_the_bundle(
    tmp_path: Path, context: ProbeContext, program: Callable[[str, str], Path], hanging: str
) -> None:
    program("ssh", fake_ssh(packed(tmp_path), hanging))
    collect(Request(), context, transports=[Ssh(["ok-1", "cut-1"])])
    captures = list(context.workspace.captures())
    (uname,) = [c for c in captures if c.command == "uname -a"]

    assert (context.workspace.root / uname.path).read_bytes() == b"Linux n 6.8\n"
    assert [c.outcome for c in captures if c.command == "df -h /data"] == ["hung"]
    assert [c.outcome for c in captures if c.target == "cut-1"] == ["failed"]


def test_the_command_is_the_one_that_a_forced_command_accepts() -> None:
    argv = Ssh(["n1"], identity="/etc/firstfault/key").argv("n1", Request(window=WINDOW), 20)

    assert argv[argv.index("n1") :] == [
        "n1",
        "firstfault",
        "collect",
        "--out",
        "-",
        "--deadline=18",
        "--since=@1750384800",
        "--until=@1750388400",
    ]
    assert argv[argv.index("-i") + 1] == "/etc/firstfault/key"
    assert "BatchMode=yes" in argv
    assert os.fspath("ForwardAgent=no") in argv
