"""Where one component runs: a folder of its own, its processes, and the logs that they leave."""

import os
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

from evals.errors import ReplayError
from evals.replay.ports import end

SEARCH = ":/usr/sbin:/sbin"
_ELSEWHERE = ("/usr/lib/postgresql/*/bin",)
_READY_S = 20.0
_COMMAND_S = 60.0


def find_program(name: str) -> str | None:
    """Find a program where Debian keeps them, on PATH or not."""
    found = which(name, path=os.environ.get("PATH", "") + SEARCH)
    if found:
        return found
    for pattern in _ELSEWHERE:
        for place in sorted(Path("/").glob(pattern.lstrip("/")), reverse=True):
            if (place / name).exists():
                return str(place / name)
    return None


@dataclass
class Room:
    """A component's folder, and the processes that end with it, each by its own pid."""

    folder: Path
    user: str | None = None
    """Who runs what is started; the caller where None."""
    variables: dict[str, str] = field(default_factory=dict)
    ends: ExitStack = field(default_factory=ExitStack)

    @property
    def logs(self) -> Path:
        """Where what counts is written, a file for each program."""
        place = self.folder / "logs"
        place.mkdir(exist_ok=True)
        return place

    def write(self, name: str, text: str) -> Path:
        """Write a configuration file."""
        path = self.folder / name
        path.write_text(text)
        return path

    def start(self, log: str, *argv: str) -> "subprocess.Popen[bytes]":
        """Start a server whose output is a log."""
        with (self.logs / log).open("ab") as sink:
            process = subprocess.Popen(
                _leashed(argv),
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                cwd=self.folder,
                env=self._environment(),
                user=self.user,
            )
        self.ends.callback(end, process)
        return process

    def run(self, log: str, *argv: str, limit_s: float = _COMMAND_S) -> None:
        """Run a program to its end; what it prints is appended to a log, "" throws it away.

        Raises:
            ReplayError: it failed or took too long, so that its log is none of a healthy system.
        """
        sink_path = self.logs / log if log else Path(os.devnull)
        with sink_path.open("ab") as sink:
            try:
                done = subprocess.run(
                    _leashed(argv),
                    stdin=subprocess.DEVNULL,
                    stdout=sink,
                    stderr=sink,
                    cwd=self.folder,
                    env=self._environment(),
                    user=self.user,
                    timeout=limit_s,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise ReplayError(f"{argv[0]} took more than {limit_s:.0f} s") from error
        if done.returncode:
            raise ReplayError(f"{' '.join(argv)} ended with {done.returncode}")

    def await_port(self, port: int) -> None:
        """Wait until somebody listens on loopback.

        Raises:
            ReplayError: nobody does in time.
        """
        deadline = time.monotonic() + _READY_S
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise ReplayError(f"nothing listens on port {port} after {_READY_S:.0f} s")

    def _environment(self) -> Mapping[str, str]:
        path = os.environ.get("PATH", "") + SEARCH
        return {"HOME": str(self.folder), "LC_ALL": "C.UTF-8", "PATH": path, **self.variables}


def _place(name: str) -> str:
    found = find_program(name)
    if found is None:
        raise ReplayError(f"{name} is not installed")
    return found


def _leashed(argv: Sequence[str]) -> list[str]:
    """Let the kernel end it when we are killed, since nobody else would then."""
    leash = find_program("setpriv")
    return [*([leash, "--pdeathsig", "TERM"] if leash else []), _place(argv[0]), *argv[1:]]


def missing(programs: Sequence[str]) -> tuple[str, ...]:
    """Name the programs that are not installed."""
    return tuple(name for name in programs if find_program(name) is None)
