"""A real Slurm on loopback: munged, slurmctld, slurmd, and slurmdbd over a database of its own."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "sinfo", "sacct", "sbatch")
PACKAGES = "slurmctld slurmd slurm-client slurmdbd munge mariadb-server-core"
_SETTINGS = """\
ClusterName=rig
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={controller}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MailProg=/bin/true
MessageTimeout=4
MpiDefault=none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounting}
AccountingStoragePass={folder}/munge.socket
NodeName=gpu-n01 NodeAddr=127.0.0.1 NodeHostName=localhost Port={node} CPUs=1 RealMemory=100
NodeName=gpu-n0[2-3] NodeAddr=127.0.0.1 NodeHostName=localhost Port={nobody} CPUs=1 RealMemory=100
PartitionName=train Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_ACCOUNTING = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={accounting}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=root
StorageLoc=acct
"""
_READY_S = 30.0


def why_not() -> str:
    """Say why it cannot run here; empty where it can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        return f"needs {', '.join(missing)}: apt-get install {PACKAGES}"
    return "" if os.geteuid() == 0 else "slurmd starts jobs as root only"


@dataclass
class SlurmCluster:
    """The running cluster: its environment for clients, and its processes by name."""

    folder: Path
    variables: Mapping[str, str]
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def ask(self, *argv: str) -> str:
        """Run one of Slurm's own clients, as an administrator would."""
        done = subprocess.run(
            argv, env=self.variables, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def submit(self, script: str) -> str:
        """Submit a batch job and give its number."""
        said = self.ask("sbatch", "--parsable", "-o", "/dev/null", "--chdir=/", "--wrap", script)
        return said.strip()

    def wait(self, until: Callable[[], bool], what: str) -> None:
        """Wait for something that the daemons do by themselves."""
        deadline = time.monotonic() + _READY_S
        while not _holds(until):
            assert time.monotonic() < deadline, f"{what} within {_READY_S:.0f} s"
            time.sleep(0.1)

    def end(self, name: str) -> None:
        """End one of the processes.

        Asked to end, the controller first waits five seconds for nodes that nobody runs.
        """
        process = self.processes[name]
        if name == "controller":
            process.kill()
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def start(self, name: str, *argv: str) -> None:
        """Start one in the foreground, its output beside its log."""
        with (self.folder / f"{name}.out").open("ab") as out:
            self.processes[name] = subprocess.Popen(
                argv, env=self.variables, stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )


@contextmanager
def run_slurm(folder: Path) -> Iterator[SlurmCluster]:
    """Run all daemons as processes of their own in a folder; end them by their pids."""
    places = {"folder": str(folder), **_free_ports()}
    for name in ("state", "spool", "sql"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    (folder / "slurm.conf").write_text(_SETTINGS.format(**places))
    (folder / "slurmdbd.conf").write_text(_ACCOUNTING.format(**places))
    (folder / "slurmdbd.conf").chmod(0o600)
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    cluster = SlurmCluster(
        folder, {**os.environ, "PATH": path, "SLURM_CONF": str(folder / "slurm.conf")}
    )
    with ExitStack() as ends:
        for name, argv in _daemons(folder, places).items():
            cluster.start(name, *argv)
            ends.callback(cluster.end, name)
            if name == "munge":
                cluster.wait((folder / "munge.socket").exists, "munged has its socket")
            elif name != "node":
                cluster.wait(partial(_listens, places[name]), f"the {name} listens")
        cluster.wait(lambda: "idle" in cluster.ask("sinfo", "-h", "-n", "gpu-n01"), "a node is up")
        # What the controller tells before that is accounted for in part only.
        registered = ["sacctmgr", "-n", "-P", "list", "cluster", "format=ControlPort"]
        cluster.wait(lambda: int(cluster.ask(*registered)) > 0, "the controller is registered")
        yield cluster


def _daemons(folder: Path, places: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    munge = ("socket", "key-file", "log-file", "pid-file", "seed-file")
    return {
        "munge": (
            "munged", "--foreground", "--force", "--num-threads=2",
            *(f"--{name}={folder}/munge.{name.removesuffix('-file')}" for name in munge),
        ),
        "database": (
            "mariadbd", "--no-defaults", f"--datadir={folder}/sql", f"--socket={folder}/sql.socket",
            f"--port={places['database']}", "--bind-address=127.0.0.1", "--skip-grant-tables",
            "--user=root", f"--pid-file={folder}/sql.pid", "--innodb-buffer-pool-size=16M",
            "--innodb-log-file-size=8M",
        ),
        "accounting": ("slurmdbd", "-D"),
        "controller": ("slurmctld", "-D", "-i", "-f", f"{folder}/slurm.conf"),
        "node": ("slurmd", "-D", "-f", f"{folder}/slurm.conf", "-N", "gpu-n01"),
    }  # fmt: skip


def _holds(until: Callable[[], bool]) -> bool:
    """Take a client that gets no answer yet for a no."""
    try:
        return until()
    except subprocess.CalledProcessError:
        return False


def _free_ports() -> dict[str, str]:
    """Find ports that are free now, all held until all are found."""
    names = ("controller", "node", "nobody", "accounting", "database")
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in names]
        ports = [str(each.getsockname()[1]) for each in sockets]
    return dict(zip(names, ports, strict=True))


def _listens(port: str) -> bool:
    try:
        socket.create_connection(("127.0.0.1", int(port)), 1).close()
    except OSError:
        return False
    return True
