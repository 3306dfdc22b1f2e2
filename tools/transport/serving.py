"""The other side of the agent transport: a host that gives its own bundle to whoever may ask.

Read-only by construction: one path, GET only, and what it runs is what `collect` runs. A sick node
is not made sicker: one collection at a time, with a deadline and a size cap.
"""

import hmac
import ipaddress
import logging
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, urlsplit

from tools.archive import pack
from tools.collecting import collect
from tools.context import ProbeContext
from tools.errors import AgentRefusedError
from tools.evidence import Window
from tools.request import Request
from tools.transport.local import Local
from tools.transport.port import Transport

log = logging.getLogger(__name__)
BUNDLE, HEALTH = "/bundle", "/healthz"
_MOST_CALLERS = 8
_PATIENCE_S = 10.0
"""How long a caller may take to say what it wants, or to take a piece of the answer."""
_LEAST_S = 2.0
_TURN_S = 1.0
"""How long a caller waits for the one before it, which may be done but for tidying up."""


@dataclass(frozen=True)
class Offer:
    """What is served, and within which limits."""

    request: Callable[[Window], Request]
    """What is asked of this host over a window."""
    context: Callable[[Path], ProbeContext]
    """Where and how to look, writing to a folder."""
    token_file: Path | None = None
    """Holds the bearer token; read at each call, so that it can be changed under way."""
    deadline_s: float = 60.0
    size_cap: int = 256 << 20
    transports: tuple[Transport, ...] = (Local(),)


class Agent(ThreadingHTTPServer):
    """Serves the bundle of this host."""

    daemon_threads = True
    request_queue_size = _MOST_CALLERS

    def __init__(self, host: str, port: int, offer: Offer) -> None:
        """Bind an address; without a token only one that no other machine reaches.

        Raises:
            AgentRefusedError: the address is open and no token is set, or the token is empty.
        """
        address = ipaddress.ip_address(host)
        if offer.token_file is None and not address.is_loopback:
            raise AgentRefusedError(
                f"{host} can be reached from other machines, and no token is asked for; "
                "name a token file, or serve on 127.0.0.1"
            )
        self.offer = offer
        self._callers = threading.BoundedSemaphore(_MOST_CALLERS)
        self.collecting = threading.Lock()
        self.token()
        self.address_family = socket.AF_INET6 if address.version == 6 else socket.AF_INET  # noqa: PLR2004  # IPv6
        super().__init__((host, port), _Call)

    def token(self) -> bytes:
        """Read the token that callers must bring; empty where none is asked for.

        Raises:
            AgentRefusedError: the file cannot be read or holds none.
        """
        file = self.offer.token_file
        if file is None:
            return b""
        try:
            token = file.read_bytes().strip()
        except OSError as error:
            raise AgentRefusedError(f"the token file {file} cannot be read: {error}") from error
        if not token:
            raise AgentRefusedError(f"the token file {file} is empty; write a long random word")
        return token

    def process_request(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Take a call where there is room; else hang up, which costs nothing."""
        if self._callers.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(
        self, request: socket.socket | tuple[bytes, socket.socket], client_address: object
    ) -> None:
        """Work a call off and make room for the next."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._callers.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """Note a caller that went away; nobody needs a traceback for that."""
        del request
        log.info("the call of %s was broken off", client_address, exc_info=True)  # noqa: LOG014 (called while it is handled)


class _Call(BaseHTTPRequestHandler):
    """One call."""

    server: Agent
    timeout = _PATIENCE_S
    server_version, sys_version = "firstfault-agent", ""

    def do_GET(self) -> None:
        """Give the bundle, or say that the agent is there."""
        url = urlsplit(self.path)
        if url.path == HEALTH:
            self._say(HTTPStatus.OK, "ok")
        elif url.path != BUNDLE:
            self._say(HTTPStatus.NOT_FOUND, f"only {BUNDLE} and {HEALTH} are served")
        elif not self._may():
            self._say(HTTPStatus.UNAUTHORIZED, "bring the agent's bearer token")
        else:
            self._bundle(parse_qs(url.query))

    def _refuse(self) -> None:
        self._say(HTTPStatus.METHOD_NOT_ALLOWED, "read only: GET")

    do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = _refuse  # noqa: N815  # the base class's names

    def _may(self) -> bool:
        try:
            wanted = self.server.token()
        except AgentRefusedError as error:
            log.warning("%s", error)
            return False
        given = self.headers.get("Authorization", "").encode("latin-1", "replace")
        return not wanted or hmac.compare_digest(given, b"Bearer " + wanted)

    def _bundle(self, asked: dict[str, list[str]]) -> None:
        try:
            window = Window(since=_moment(asked, "since"), until=_moment(asked, "until"))
            wanted_s = float(asked.get("deadline", ["inf"])[0])
        except ValueError as error:
            self._say(HTTPStatus.BAD_REQUEST, f"not understood: {error}")
            return
        if not self.server.collecting.acquire(timeout=_TURN_S):
            self._say(HTTPStatus.TOO_MANY_REQUESTS, "another collection is under way")
            return
        try:
            self._collect(window, max(_LEAST_S, min(self.server.offer.deadline_s, wanted_s)))
        finally:
            self.server.collecting.release()

    def _collect(self, window: Window, deadline_s: float) -> None:
        offer, begun = self.server.offer, time.monotonic()
        with tempfile.TemporaryDirectory(prefix="firstfault-agent-") as room:
            root = collect(
                offer.request(window),
                offer.context(Path(room) / "bundle"),
                transports=offer.transports,
                deadline_s=deadline_s,
                size_cap=offer.size_cap,
            )
            with (Path(room) / "packed").open("w+b") as packed:
                pack(root, packed)
                self._send(packed)
        log.info("a bundle for %s in %.1f s", self.client_address[0], time.monotonic() - begun)

    def _send(self, packed: IO[bytes]) -> None:
        size = packed.tell()
        packed.seek(0)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "application/zstd")
        self.send_header("Content-Length", str(size))
        self.end_headers()
        shutil.copyfileobj(packed, self.wfile)

    def _say(self, status: HTTPStatus, text: str) -> None:
        body = b"" if self.command == "HEAD" else f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET")
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        if status is HTTPStatus.TOO_MANY_REQUESTS:
            self.send_header("Retry-After", "10")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class's name)
        """Note a call through logging, without its headers."""
        log.info("%s %s", self.client_address[0], format % args)


def _moment(asked: dict[str, list[str]], name: str) -> datetime | None:
    text = asked.get(name, [""])[0]
    if not text:
        return None
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{name}={text} has no zone")
    return moment
