"""Servers on loopback: a free port, and waiting until one answers."""

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from evals.errors import ReplayError

STOP_S = 5.0


def find_port() -> int:
    """Return a TCP port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def await_ready(url: str, process: "subprocess.Popen[bytes]", limit_s: float = 20.0) -> None:
    """Wait until `url` answers 200.

    Raises:
        ReplayError: the process ended, or did not answer in time.
    """
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise ReplayError(
                f"{process.args!r} ended with {process.returncode} before it answered"
            )
        try:
            if httpx.get(url, timeout=1.0).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            time.sleep(0.02)
    raise ReplayError(f"{url} did not answer within {limit_s:.0f} s; look at the process's log")


@contextmanager
def run_program(argv: Sequence[str], ready: str, log: Path) -> Iterator[None]:
    """Run a server until the block ends; `log` takes what it prints."""
    with log.open("wb") as sink:
        process = subprocess.Popen(argv, stdout=sink, stderr=sink, stdin=subprocess.DEVNULL)
        try:
            await_ready(ready, process)
            yield
        finally:
            end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """End a program of ours, by its own number; kill it where it does not follow."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
