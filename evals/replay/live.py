"""A recorded cluster behind the programs that a live look uses: each host as it was, and the API.

Nothing of the product is replaced: kubectl asks an API server, journalctl reads journal files,
Prometheus answers over its own blocks, NVML's binding loads a library. Only a node's other programs
are stood in for, by what they printed, or by a hang.
"""

import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from evals.errors import ReplayError
from evals.model import Recording
from evals.replay import journal, nvml, prometheus, shims
from evals.replay.kubernetes.serving import Served, serve
from evals.replay.kubernetes.store import load_bundle
from evals.writers import openmetrics
from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.registry import load_probes
from tools.request import Request
from tools.shell import Shell
from tools.transport.local import Cluster, Local
from tools.transport.port import Look
from tools.workspace import Workspace

DESCRIBING = "kubernetes-descriptions"
_NO_BOOT = "btime 0\n"
_INIT = "1 (systemd) S 0" + " 0" * 48


@dataclass(frozen=True)
class Node:
    """What is a host's own: its programs, tables and journal."""

    name: str
    environment: Mapping[str, str]
    root: Path
    """Where its files and tables are seen, as by an agent in a container."""
    journal: Path


@dataclass(frozen=True)
class Nodes:
    """Reaches every recorded host, and runs the host probes as if it were there."""

    nodes: tuple[Node, ...]
    name: str = "replay"

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give one look per host probe and host."""
        for node in self.nodes:
            here = replace(
                context,
                host=node.name,
                shell=Shell(Hangs(), node.environment, context.clock),
                proc=node.root / "proc",
                root=node.root,
                journals=(node.journal,),
            )
            yield from Local().looks(request, here)


@dataclass(frozen=True)
class Rig:
    """A running replay; `now` is its present."""

    now: datetime
    served: Served
    prometheus: str
    kubeconfig: Path
    nodes: tuple[Node, ...]
    environment: Mapping[str, str]

    def context(self, workspace: Path, *, limit_s: float = 10.0) -> ProbeContext:
        """Prepare a look whose clock stands at the replay's present."""
        return ProbeContext(
            Workspace(workspace),
            kubeconfig=str(self.kubeconfig),
            prometheus=self.prometheus,
            shell=Shell(Hangs(), self.environment, self.clock),
            limit_s=limit_s,
            watch_s=0.0,
            clock=self.clock,
        )

    def transports(self) -> tuple[Nodes, Cluster]:
        """Reach all hosts, and the cluster beside them.

        Nothing is described: kubectl counts ages by its own clock, which no replay can set back.
        """
        probes = tuple(probe for probe in load_probes() if probe.name != DESCRIBING)
        return (Nodes(self.nodes), Cluster(probes))

    def clock(self) -> datetime:
        """Tell the replay's time."""
        return self.now


@contextmanager
def run_live(
    recording: Recording, bundle: Path, scratch: Path, *, library: Path | None = None
) -> Iterator[Rig]:
    """Serve a recording whose bundle was written, until the block ends.

    `library` is a folder with a stand-in for NVML's library; without it hosts have no GPU to ask.

    Raises:
        ReplayError: a server or a journal could not be had.
    """
    now = datetime.fromtimestamp(recording.taken, UTC) + timedelta(seconds=1)
    nodes = tuple(_node(recording, name, bundle, scratch, library) for name in recording.hosts)
    with ExitStack() as stack:
        served = stack.enter_context(serve(load_bundle(bundle), now))
        yield Rig(
            now=now,
            served=served,
            prometheus=stack.enter_context(_metrics(recording, scratch)),
            kubeconfig=served.kubeconfig(scratch / "kubeconfig"),
            nodes=nodes,
            environment={"PATH": str(_programs(scratch / "desk", "kubectl")), "HOME": str(scratch)},
        )


@contextmanager
def _metrics(recording: Recording, scratch: Path) -> Iterator[str]:
    if not recording.metrics:
        yield ""
        return
    text = scratch / "metrics.om"
    text.write_text(openmetrics.render(recording.metrics))
    prometheus.create_blocks(text, scratch / "blocks")
    with prometheus.serve(scratch / "blocks", scratch) as url:
        yield url


def _node(
    recording: Recording, name: str, bundle: Path, scratch: Path, library: Path | None
) -> Node:
    host = recording.hosts[name]
    folder = scratch / "hosts" / name
    programs = shims.install(bundle, name, folder / "bin")
    _programs(programs, "journalctl")
    environment = {"PATH": str(programs), "TZ": "UTC", "HOME": str(folder)}
    if library and name in recording.nvml:
        (folder / "nvml.conf").write_text(nvml.configure(recording.nvml[name][1]))
        environment |= {
            "NVML_STUB_FILE": str(folder / "nvml.conf"),
            "LD_LIBRARY_PATH": str(library),
        }
    journals = scratch / "journal"
    export = bundle / "journal" / f"{name}.export"
    if export.exists():
        journal.build([export], journals)
    place = journals / host.machine_id
    place.mkdir(parents=True, exist_ok=True)
    _tables(bundle, name, folder / "proc")
    return Node(name, environment, folder, place)


def _tables(bundle: Path, host: str, proc: Path) -> None:
    """Lay out the kernel's tables as recorded: the mounts, and no process that is stuck here."""
    (proc / "1").mkdir(parents=True)
    (proc / "1" / "stat").write_text(_INIT)
    (proc / "stat").write_text(_NO_BOOT)
    mounts = bundle / "host" / host / "mounts.txt"
    (proc / "1" / "mounts").write_bytes(mounts.read_bytes() if mounts.exists() else b"")


def _programs(folder: Path, *names: str) -> Path:
    """Make a folder for PATH of real programs and no other."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        beside = Path(sys.executable).with_name(name)
        found = str(beside) if beside.exists() else shutil.which(name)
        if found is None:
            raise ReplayError(f"{name} is not installed; the replay needs the real one")
        (folder / name).symlink_to(found)
    return folder
