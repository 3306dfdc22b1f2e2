"""Slurm with its accounts in MariaDB, munge, and containerd."""

import io
import os
import subprocess
import tarfile
import time
from hashlib import sha256
from json import dumps

from evals.benign.component import Component
from evals.benign.room import Room, find_program
from evals.errors import ReplayError
from evals.replay.ports import find_port

_JOBS = 12
_PULLS = 25
_READY_S = 60.0
_SLURM = """\
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
SlurmctldDebug=debug3
SlurmdDebug=debug5
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MailProg=/bin/true
MpiDefault=none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounting}
AccountingStoragePass={folder}/munge.socket
NodeName=gpu-n01 NodeAddr=127.0.0.1 NodeHostName=localhost Port={node} CPUs=1 RealMemory=100
PartitionName=train Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_ACCOUNTS = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={accounting}
SlurmUser=root
DebugLevel=debug3
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=root
StorageLoc=acct
"""


def _slurm(room: Room) -> None:
    names = ("controller", "node", "accounting", "database")
    ports = {name: find_port() for name in names}
    folder = str(room.folder)
    for name in ("state", "spool", "sql"):
        (room.folder / name).mkdir()
    key = room.folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    config = room.write("slurm.conf", _SLURM.format(folder=folder, **ports))
    room.write("slurmdbd.conf", _ACCOUNTS.format(folder=folder, **ports)).chmod(0o600)
    room.variables["SLURM_CONF"] = str(config)
    munge = ("socket", "key-file", "log-file", "pid-file", "seed-file")
    places = (f"--{name}={folder}/munge.{name.removesuffix('-file')}" for name in munge)
    room.start("munged.log", "munged", "--foreground", "--force", "--num-threads=2", *places)
    _mariadb(room, ports["database"])
    room.start("slurmdbd.log", "slurmdbd", "-D", "-vvv")
    room.await_port(ports["accounting"])
    room.start("slurmctld.log", "slurmctld", "-D", "-i", "-f", str(config), "-vvv")
    room.await_port(ports["controller"])
    room.start("slurmd.log", "slurmd", "-D", "-f", str(config), "-N", "gpu-n01", "-vvvvv")
    _await(room, "idle", "sinfo", "-h", "-n", "gpu-n01")
    for number in range(_JOBS):
        job = ("sbatch", "--parsable", "-o", "/dev/null", "--chdir=/", "--wrap", "true")
        room.run("", *job, "-J", f"step-{number}")
    _await(room, "", "squeue", "-h")


def _mariadb(room: Room, port: int) -> None:
    folder = room.folder
    room.start(
        "mariadb.log", "mariadbd", "--no-defaults", f"--datadir={folder}/sql",
        f"--socket={folder}/sql.socket", f"--port={port}", "--bind-address=127.0.0.1",
        "--skip-grant-tables", "--user=root", f"--pid-file={folder}/sql.pid",
        "--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M", "--general-log=1",
        f"--general-log-file={room.logs}/mariadb-general.log",
    )  # fmt: skip
    room.await_port(port)


def _await(room: Room, answer: str, *argv: str) -> None:
    """Ask one of Slurm's clients until its answer holds a word, or is empty where that is wanted.

    Raises:
        ReplayError: it does not in time.
    """
    deadline = time.monotonic() + _READY_S
    place = find_program(argv[0]) or argv[0]
    while time.monotonic() < deadline:
        done = subprocess.run(
            [place, *argv[1:]],
            env={**os.environ, **room.variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=_READY_S,
        )
        if not done.returncode and (answer in done.stdout if answer else not done.stdout):
            return
        time.sleep(0.3)
    raise ReplayError(f"{' '.join(argv)} does not come to {answer!r}")


def _containerd(room: Room) -> None:
    socket = room.folder / "containerd.sock"
    config = room.write(
        "config.toml",
        f'version = 2\nroot = "{room.folder}/root"\nstate = "{room.folder}/state"\n'
        'disabled_plugins = ["io.containerd.grpc.v1.cri"]\n'
        f'[debug]\naddress = "{room.folder}/debug.sock"\nlevel = "trace"\n',
    )
    argv = ("containerd", "--config", str(config), "--address", str(socket), "-l", "trace")
    room.start("containerd.log", *argv)
    deadline = time.monotonic() + _READY_S
    while not socket.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    image = room.folder / "image.tar"
    client = ("ctr", "-a", str(socket))
    for number in range(_PULLS):
        _pack(image, f"rig.test/train:{number}")
        room.run("", *client, "images", "import", "--snapshotter", "native", str(image))
    for number in range(0, _PULLS, 2):
        room.run("", *client, "images", "rm", "--sync", f"rig.test/train:{number}")


def _pack(path: os.PathLike[str], name: str) -> None:
    """Write an OCI archive of one image with one file in one layer."""
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        _add(tar, "etc/name", name.encode())
    blobs = {_digest(layer.getvalue()): layer.getvalue()}

    def put(what: object, kind: str) -> dict[str, object]:
        data = dumps(what).encode()
        blobs[_digest(data)] = data
        return {"mediaType": kind, "digest": f"sha256:{_digest(data)}", "size": len(data)}

    base = "application/vnd.oci.image"
    diff = f"sha256:{_digest(layer.getvalue())}"
    config = put(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {},
            "rootfs": {"type": "layers", "diff_ids": [diff]},
        },
        f"{base}.config.v1+json",
    )
    size = len(layer.getvalue())
    layers = [{"mediaType": f"{base}.layer.v1.tar", "digest": diff, "size": size}]
    manifest = put(
        {"schemaVersion": 2, "config": config, "layers": layers}, f"{base}.manifest.v1+json"
    )
    manifest["annotations"] = {"io.containerd.image.name": name}
    with tarfile.open(path, "w") as tar:
        _add(tar, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        _add(tar, "index.json", dumps({"schemaVersion": 2, "manifests": [manifest]}).encode())
        for digest, data in blobs.items():
            _add(tar, f"blobs/sha256/{digest}", data)


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


COMPONENTS = (
    Component(
        "slurm",
        ("munged", "mariadbd", "slurmdbd", "slurmctld", "slurmd", "sinfo", "sbatch", "squeue"),
        "slurmctld slurmd slurm-client slurmdbd munge mariadb-server-core",
        _slurm,
        root=True,
    ),
    Component("containerd", ("containerd", "ctr"), "containerd", _containerd, root=True),
)
