"""PostgreSQL, Redis, memcached and etcd under small loads, as talkative as they can be set."""

import base64
import socket

import httpx

from evals.benign.component import Component
from evals.benign.room import Room
from evals.replay.ports import find_port

_CLIENTS = 4
_TRANSACTIONS = 520
_ROUNDS = 2500
_WRITES = 600


def _postgres(room: Room) -> None:
    port = find_port()
    data = room.folder / "data"
    room.run("", "initdb", "-D", str(data), "-A", "trust", "--no-sync", "-U", "postgres")
    settings = {
        "port": str(port),
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "fsync": "off",
        "log_min_messages": "debug1",
        "log_statement": "all",
        "log_duration": "on",
        "log_connections": "on",
        "log_disconnections": "on",
        "log_checkpoints": "on",
        "log_autovacuum_min_duration": "0",
        "log_line_prefix": "%m [%p] %q%u@%d ",
    }
    flags = [part for item in settings.items() for part in ("-c", "=".join(item))]
    room.start("postgresql.log", "postgres", "-D", str(data), *flags)
    room.await_port(port)
    base = ("pgbench", "-h", "127.0.0.1", "-p", str(port), "-U", "postgres")
    room.run("", *base, "-i", "-q", "-s", "1", "postgres")
    load = ("-c", str(_CLIENTS), "-t", str(_TRANSACTIONS), "-n", "postgres")
    room.run("pgbench.log", *base, *load)


def _redis(room: Room) -> None:
    port = str(find_port())
    flags = ("--port", port, "--bind", "127.0.0.1", "--save", "1 10", "--loglevel", "debug")
    room.start("redis.log", "redis-server", *flags, "--dir", str(room.folder))
    room.await_port(int(port))
    bench = ("redis-benchmark", "-h", "127.0.0.1", "-p", port, "-c", "8", "-n", str(_ROUNDS))
    room.run("redis-benchmark.log", *bench, "-k", "0", "-q", "-t", "set,get,incr,lpush")


def _memcached(room: Room) -> None:
    port = find_port()
    user = ("-u", "root") if room.user is None else ()
    room.start("memcached.log", "memcached", "-vv", "-p", str(port), "-l", "127.0.0.1", *user)
    room.await_port(port)
    with socket.create_connection(("127.0.0.1", port)) as talk:
        answers = talk.makefile("rb")
        for number in range(_ROUNDS):
            value = str(number * 7919).encode()
            talk.sendall(b"set step:%d 0 60 %d\r\n%s\r\n" % (number, len(value), value))
            answers.readline()
            talk.sendall(b"get step:%d\r\n" % number)
            while answers.readline().strip() != b"END":
                pass


def _etcd(room: Room) -> None:
    clients, peers = find_port(), find_port()
    ours, theirs = f"http://127.0.0.1:{clients}", f"http://127.0.0.1:{peers}"
    room.start(
        "etcd.log", "etcd", "--name", "m1", "--data-dir", str(room.folder / "data"),
        "--listen-client-urls", ours, "--advertise-client-urls", ours,
        "--listen-peer-urls", theirs, "--initial-advertise-peer-urls", theirs,
        "--initial-cluster", f"m1={theirs}", "--log-level", "debug", "--logger", "zap",
        "--log-outputs", "stderr", "--snapshot-count", "100", "--auto-compaction-retention", "1",
    )  # fmt: skip
    room.await_port(clients)
    with httpx.Client(base_url=ours, timeout=20) as talk:
        for number in range(_WRITES):
            key = _coded(f"/registry/pods/train/w-{number % 40}")
            talk.post("/v3/kv/put", json={"key": key, "value": _coded(f"Running {number}")})
            talk.post("/v3/kv/range", json={"key": key})


def _coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


COMPONENTS = (
    Component(
        "postgresql", ("postgres", "initdb", "pgbench"), "postgresql", _postgres, user="postgres"
    ),
    Component("redis", ("redis-server", "redis-benchmark"), "redis-server", _redis),
    Component("memcached", ("memcached",), "memcached", _memcached),
    Component("etcd", ("etcd",), "etcd-server", _etcd),
)
