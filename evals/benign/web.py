"""Web servers, proxies and name servers that answer many short requests."""

import random
import socket
import struct

import httpx

from evals.benign.component import Component
from evals.benign.room import Room
from evals.replay.ports import find_port

_REQUESTS = 400
_PROXIED = 2500
_QUERIES = 5000
_NGINX = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/logs/error.log debug;
worker_processes 1;
events {{ worker_connections 64; }}
http {{
  access_log {folder}/logs/access.log;
  client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3;
  uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
  server {{ listen 127.0.0.1:{port}; location / {{ return 200 "ok\\n"; }} }}
}}
"""
_HAPROXY = """\
global
  log stdout format raw daemon debug
defaults
  mode http
  log global
  option httplog
  timeout connect 5s
  timeout client 20s
  timeout server 20s
frontend api
  bind 127.0.0.1:{port}
  http-request return status 200 content-type text/plain string "ok"
"""
_ZONE = """\
$TTL 300
@ IN SOA ns hostmaster 1 3600 600 86400 300
@ IN NS ns
ns IN A 127.0.0.1
* IN A 127.0.0.1
"""
_NAMED = """\
options {{ directory "{folder}"; listen-on port {port} {{ 127.0.0.1; }}; listen-on-v6 {{ none; }};
  recursion no; querylog yes; pid-file none; session-keyfile none; notify no; }};
controls {{ }};
zone "rig.test" {{ type primary; file "{folder}/rig.zone"; }};
"""


def _nginx(room: Room) -> None:
    port = find_port()
    config = room.write("nginx.conf", _NGINX.format(folder=room.folder, port=port))
    room.folder.chmod(0o755)
    room.logs.chmod(0o755)
    room.start("nginx.log", "nginx", "-c", str(config), "-p", str(room.folder))
    room.await_port(port)
    _ask(port, _REQUESTS)


def _haproxy(room: Room) -> None:
    port = find_port()
    config = room.write("haproxy.cfg", _HAPROXY.format(port=port))
    room.start("haproxy.log", "haproxy", "-db", "-f", str(config))
    room.await_port(port)
    _ask(port, _PROXIED)


def _ask(port: int, count: int) -> None:
    """Fetch pages as a browser would, one after another."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as talk:
        for number in range(count):
            talk.get(f"/runs/{number % 97}/metrics?step={number}")


def _dnsmasq(room: Room) -> None:
    port = find_port()
    room.start(
        "dnsmasq.log", "dnsmasq", "--keep-in-foreground", "--log-facility=-", "--no-resolv",
        "--no-hosts", "--log-queries=extra", "--address=/rig.test/127.0.0.1", f"--port={port}",
        "--listen-address=127.0.0.1", "--bind-interfaces", "--user=root", "--conf-file=/dev/null",
        f"--pid-file={room.folder}/pid",
    )  # fmt: skip
    room.await_port(port)
    _resolve(port, _QUERIES)


def _bind(room: Room) -> None:
    port = find_port()
    room.write("rig.zone", _ZONE)
    config = room.write("named.conf", _NAMED.format(folder=room.folder, port=port))
    room.start("named.log", "named", "-g", "-c", str(config), "-d", "3", "-n", "1")
    room.await_port(port)
    _resolve(port, _QUERIES // 5)


def _resolve(port: int, count: int) -> None:
    """Look names up by UDP."""
    rng = random.Random(port)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
        talk.connect(("127.0.0.1", port))
        talk.settimeout(5)
        for number in range(count):
            name = (f"w-{rng.randrange(500)}", "train", "rig", "test")
            labels = b"".join(bytes([len(part)]) + part.encode() for part in name)
            head = struct.pack(">HHHHHH", number, 0x0100, 1, 0, 0, 0)
            talk.send(head + labels + b"\0" + struct.pack(">HH", 1, 1))
            talk.recv(512)


COMPONENTS = (
    Component("nginx", ("nginx",), "nginx-light", _nginx),
    Component("haproxy", ("haproxy",), "haproxy", _haproxy),
    Component("dnsmasq", ("dnsmasq",), "dnsmasq-base", _dnsmasq, root=True),
    Component("bind", ("named",), "bind9", _bind),
)
