# ruff: noqa: E501  (looks are told on one line)
"""Evidence is saved before a restart destroys it."""

import json
import os
import tarfile
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path

import pytest

from tools.archive import pack, unpack
from tools.budget import Budget
from tools.capture import Capture
from tools.collecting import Progress, collect
from tools.context import ProbeContext
from tools.errors import ProbeTwiceError, TargetRefusedError
from tools.hangs import Hangs
from tools.registry import load_probes
from tools.request import Request
from tools.shell import Shell
from tools.transport.agent import Agent
from tools.transport.local import Cluster, Local
from tools.transport.port import Look
from tools.workspace import Workspace, filesystem_of, refuse_bad_target


@pytest.fixture(name="context")
def _context(tmp_path: Path) -> ProbeContext:
    return ProbeContext(Workspace(tmp_path / "bundle"), host="n7", shell=Shell(Hangs()))


class Looks:
    """A way that gives fixed looks."""

    name = "fixed"

    def __init__(self, *looks: Look) -> None:
        self._looks = looks

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        del request, context
        yield from self._looks


def look(context: ProbeContext, name: str, act: Callable[[], bytes], volatility: int = 5) -> Look:
    def run() -> Iterator[Capture]:
        if earlier := context.workspace.finished("host", name, "n7"):
            yield earlier
            return
        yield context.store(act(), source="host", path=f"host/n7/{name}.txt", command=name)

    return Look(name, "host", "n7", volatility, run)


def manifest(context: ProbeContext) -> list[dict[str, object]]:
    lines = (context.workspace.root / "manifest.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_a_node_is_asked_for_its_own_ports_and_gpus_and_never_for_the_whole_site(
    context: ProbeContext,
) -> None:
    on_nodes = [each.name for each in Local().looks(Request(), context)]
    once = [each.name for each in Cluster().looks(Request(), context)]

    assert {"dcgm", "infiniband-ports", "infiniband-counters"} <= set(on_nodes)
    assert {"slurm-state", "slurm-accounting", "slurm-settings", "loki"} <= set(once)
    assert not [name for name in on_nodes if name.startswith(("slurm", "loki"))]
    assert on_nodes.index("dcgm") < on_nodes.index("host-facts")
    assert once.index("slurm-state") < once.index("slurm-settings")


def test_what_is_soonest_gone_is_taken_first(context: ProbeContext) -> None:
    order: list[str] = []
    looks = [
        look(context, name, lambda name=name: order.append(name) or b"x", volatility)
        for name, volatility in (("facts", 9), ("gpus", 0), ("logs", 2), ("events", 1))
    ]
    collect(Request(), context, transports=[Looks(*looks)], workers=1)

    assert order == ["gpus", "events", "logs", "facts"]


def test_every_capture_is_in_the_manifest_with_the_hash_of_its_masked_bytes(
    context: ProbeContext,
) -> None:
    collect(
        Request(), context, transports=[Looks(look(context, "a", lambda: b"password=hunter2\n"))]
    )
    (line,) = manifest(context)
    stored = (context.workspace.root / str(line["path"])).read_bytes()

    assert stored == b"password=<masked>\n"
    assert line["sha256"] == sha256(stored).hexdigest()
    assert line["live"] is True


def test_one_probe_that_breaks_does_not_take_the_others_with_it(context: ProbeContext) -> None:
    def broken() -> bytes:
        message = "no such thing"
        raise RuntimeError(message)

    collect(
        Request(),
        context,
        transports=[Looks(look(context, "bad", broken), look(context, "good", lambda: b"x"))],
    )
    outcomes = {line["command"]: line.get("outcome", "ok") for line in manifest(context)}

    assert outcomes == {"bad": "failed", "good": "ok"}


def test_at_the_deadline_the_bundle_is_closed_and_what_is_missing_is_said(
    context: ProbeContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.collecting._GRACE_S", 0.1)
    release, over = threading.Event(), threading.Event()

    def stuck() -> bytes:
        release.wait()
        over.set()
        return b"late"

    collect(
        Request(), context, deadline_s=0.4,
        transports=[Looks(look(context, "stuck", stuck), look(context, "quick", lambda: b"x"))],
    )  # fmt: skip
    waited = over.is_set()
    lines = {str(line["command"]): line for line in manifest(context)}
    release.set()

    assert not waited, "the bundle was closed while the look still hung"
    assert lines["stuck"]["outcome"] == "hung"
    assert "deadline" in str(lines["stuck"]["detail"])
    assert "outcome" not in lines["quick"]


def test_a_second_run_takes_only_what_is_missing(tmp_path: Path) -> None:
    taken: list[str] = []
    for wanted in (["a"], ["a", "b"]):
        context = ProbeContext(Workspace(tmp_path / "bundle"), host="n7", shell=Shell(Hangs()))
        looks = [
            look(context, name, lambda name=name: taken.append(name) or b"x") for name in wanted
        ]
        collect(Request(), context, transports=[Looks(*looks)])

    assert taken == ["a", "b"]


def test_a_bundle_cut_in_the_middle_of_a_line_is_resumed(context: ProbeContext) -> None:
    context.store(b"x", source="host", path="host/n7/a.txt", command="a")
    file = context.workspace.root / "manifest.jsonl"
    file.write_text(file.read_text() + '{"path": "host/n7/b')

    assert [each.command for each in Workspace(context.workspace.root).captures()] == ["a"]


def test_the_size_cap_cuts_and_says_so(context: ProbeContext) -> None:
    looks = [look(context, name, lambda: b"y" * 600, index) for index, name in enumerate("abc")]
    collect(Request(), context, transports=[Looks(*looks)], size_cap=1000, workers=1)
    lines = manifest(context)

    assert [line.get("truncated", False) for line in lines] == [False, True, True]
    assert context.workspace.full


def test_progress_is_told_in_order(context: ProbeContext) -> None:
    news: list[Progress] = []
    collect(
        Request(), context, transports=[Looks(look(context, "a", lambda: b"x"), look(context, "b", lambda: b"x"))],
        on_progress=news.append, workers=1,
    )  # fmt: skip

    assert [(each.kind, each.look) for each in news] == [
        (kind, name) for name in ("a", "b") for kind in ("started", "captured", "ended")
    ]
    assert [each.done for each in news if each.kind == "ended"] == [1, 2]
    assert news[-1].total == 2


def test_a_network_or_full_target_is_refused(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/vda / ext4 rw 0 0\nsrv:/x /data nfs4 rw 0 0\n")

    assert filesystem_of(Path("/data/out"), mounts) == ("/data", "nfs4")
    assert filesystem_of(Path("/database"), mounts) == ("/", "ext4")
    with pytest.raises(TargetRefusedError, match="network file system"):
        refuse_bad_target(Path("/data/out"), mounts)
    refuse_bad_target(tmp_path / "out", mounts)


def test_a_full_target_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.workspace._ROOM", 1 << 60)
    with pytest.raises(TargetRefusedError, match="MiB free"):
        Workspace(tmp_path / "out")


def test_a_frozen_target_is_refused(frozen: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.workspace._WRITE_S", 0.3)
    if frozen is None:
        pytest.skip("no mount can be frozen here (needs root, losetup, fsfreeze)")
    with pytest.raises(TargetRefusedError, match="does not take a file"):
        Workspace(frozen)


def test_paths_stay_inside_the_bundle_and_apart(context: ProbeContext) -> None:
    one = context.store(b"1", source="x", path="../../etc/passwd", command="a")
    two = context.store(b"2", source="x", path="/etc/passwd", command="b")

    assert (one.path, two.path) == ("etc/passwd", "etc/passwd-2")


def test_an_archive_that_tries_to_leave_the_bundle_is_defused(
    context: ProbeContext, tmp_path: Path
) -> None:
    content = BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, body in (
            ("manifest.jsonl", b'{"path": "../evil", "source": "host", "command": "x"}\n'),
            ("../evil", b"evil"),
            ("/abs", b"evil"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, BytesIO(body))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    (capture,) = unpack(content.getvalue(), context.workspace, "n9")

    assert capture.outcome == "failed"
    assert not (tmp_path / "evil").exists()
    assert {file.name for file in context.workspace.root.rglob("*")} == {"manifest.jsonl"}


def test_an_agents_bundle_is_read_from_a_folder_or_over_http(
    context: ProbeContext, tmp_path: Path
) -> None:
    remote = Workspace(tmp_path / "remote")
    remote.save(
        Capture(path="host/n1/uname.txt", source="host", command="uname -a", target="n1"),
        b"Linux\n",
    )
    content = BytesIO()
    pack(remote.root, content)
    (tmp_path / "n1.tar.zst").write_bytes(content.getvalue())

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(content.getvalue())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        places = {
            "n1": str(tmp_path / "n1.tar.zst"),
            "n2": f"http://127.0.0.1:{server.server_port}/bundle",
            "n3": str(tmp_path / "missing"),
            "n4": "http://127.0.0.1:9/bundle",
        }
        collect(Request(), context, transports=[Agent(places)])
    ends = {
        c.target: c.outcome for c in context.workspace.captures() if c.command.startswith("agent")
    }

    assert ends == {"n1": "ok", "n2": "ok", "n3": "absent", "n4": "absent"}
    assert len([c for c in context.workspace.captures() if c.command == "uname -a"]) == 2


def test_this_machine_can_be_collected(context: ProbeContext) -> None:
    collect(Request(), context, transports=[Local()], deadline_s=30)
    captures = list(context.workspace.captures())

    assert {"host", "nvml", "journal"} <= {each.source for each in captures}
    assert os.uname().release in (context.workspace.root / "host/n7/uname.txt").read_text()
    assert all(each.started and each.ended for each in captures)


def test_the_probes_are_found_by_being_there() -> None:
    probes = load_probes()

    assert {probe.source for probe in probes} == {
        "containers", "dcgm", "host", "journal", "kubernetes", "loki", "nvml", "prometheus",
        "slurm",
    }  # fmt: skip
    assert [probe.volatility for probe in probes] == sorted(probe.volatility for probe in probes)
    assert all(len(probe.description.splitlines()) >= 1 for probe in probes)


def test_two_probes_of_one_name_raise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "twice"
    package.mkdir()
    text = (
        "from tools.registry import probe\n"
        "@probe(source='x', reach='host', volatility=0)\n"
        "def same(request, context):\n    yield\n"
    )
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text("" if name == "__init__" else text)
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ProbeTwiceError, match="same"):
        load_probes("twice")


def test_cluster_probes_are_taken_once_and_not_per_host(context: ProbeContext) -> None:
    local = {each.name for each in Local().looks(Request(), context)}
    cluster = {each.name for each in Cluster().looks(Request(), context)}

    assert not local & cluster
    assert {each.name for each in load_probes()} == local | cluster


def test_a_slow_or_refusing_server_is_asked_less() -> None:
    slept: list[float] = []
    budget = Budget(requests=6, sleep=slept.append)
    for overloaded in (True, True, False, False, False):
        assert budget.before()
        budget.after(100, 0.1, overloaded=overloaded)

    assert slept == [0.5, 1.0, 0.5, 0.25]
    assert (budget.requests, budget.bytes, budget.refused) == (5, 500, 2)
    assert budget.before()
    assert not budget.before()
    assert budget.spent


def test_a_look_without_a_command_says_when(context: ProbeContext) -> None:
    context.clock = lambda: datetime(2025, 6, 20, 2, tzinfo=UTC)
    capture = context.store(b"", source="host", path="", command="x", outcome="empty")

    assert capture.started == capture.ended == datetime(2025, 6, 20, 2, tzinfo=UTC)
