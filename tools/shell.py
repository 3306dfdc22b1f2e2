"""Runs one command, within a limit of time and bytes, and never waits on what hangs.

A process in D state survives SIGKILL, and whoever waits for it hangs too. So a child that does
not end in time is killed and *abandoned*: its pipes are closed, it is reported as hung and reaped
later if it ever dies.
"""

import contextlib
import os
import queue
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import IO

from tools.commands import Command
from tools.evidence import Outcome
from tools.hangs import Hangs

_CHUNK = 1 << 18
_GRACE_S = 0.2
"""How long a killed child gets to die before it counts as abandoned."""


@dataclass(frozen=True)
class Answer:
    """What a command said and how it ended."""

    command: str
    started: datetime
    ended: datetime
    outcome: Outcome
    stdout: bytes = b""
    stderr: bytes = b""
    code: int | None = None
    truncated: bool = False
    detail: str = ""

    @property
    def seconds(self) -> float:
        """How long it took, or until it was given up."""
        return (self.ended - self.started).total_seconds()


def utc_now() -> datetime:
    """Tell the time, aware."""
    return datetime.now(UTC)


class Shell:
    """Runs commands of the grammar; one at a time per resource that could hang."""

    def __init__(
        self,
        hangs: Hangs | None = None,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Take what hung before, the environment of commands, and what stamps their answers."""
        self.hangs = hangs or Hangs()
        self._environment = dict(environment) if environment is not None else None
        self._clock = clock
        self._abandoned: set[int] = set()
        self._busy: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def run(
        self,
        command: Command,
        *,
        limit_s: float = 10.0,
        max_bytes: int = 64 << 20,
        resource: str = "",
    ) -> Answer:
        """Run `command` and give its answer; never raises for what the command does.

        Args:
            command: An argv of the grammar.
            limit_s: Seconds until it is given up as hung.
            max_bytes: Bytes of output kept; the rest is cut and said so.
            resource: What it may hang on (``host/probe/mount``); after a hang it is not run again
                until something changed there.
        """
        self.reap()
        if not resource:
            return self._run(command, limit_s, max_bytes)
        with self._guard:
            lock = self._busy.setdefault(resource, threading.Lock())
        if not lock.acquire(timeout=limit_s):
            return self._refused(command, "another look at the same resource has not ended")
        try:
            if why := self.hangs.still(resource):
                return self._refused(command, why)
            answer = self._run(command, limit_s, max_bytes, resource)
            if answer.outcome != "hung":
                self.hangs.forget(resource)
            return answer
        finally:
            lock.release()

    @property
    def abandoned(self) -> tuple[int, ...]:
        """Process ids that were killed and have not died."""
        self.reap()
        return tuple(self._abandoned)

    def reap(self) -> None:
        """Collect abandoned children that have died meanwhile, without waiting."""
        with self._guard:
            self._abandoned = {pid for pid in self._abandoned if not _has_died(pid)}

    def _refused(self, command: Command, why: str) -> Answer:
        now = self._clock()
        return Answer(str(command), now, now, "hung", detail=f"not run again: {why}")

    def _run(self, command: Command, limit_s: float, max_bytes: int, resource: str = "") -> Answer:
        started, began = self._clock(), time.monotonic()
        child = self._spawn(command, limit_s)
        if not isinstance(child, subprocess.Popen):
            outcome, why = child
            return Answer(str(command), started, self._clock(), outcome, detail=why)
        output = _Output(child, max_bytes)
        output.read(time.monotonic() + limit_s)
        ended = self._end(child, resource, cut=output.truncated)
        answer = Answer(
            str(command),
            started,
            started + timedelta(seconds=time.monotonic() - began),
            "ok",
            output.stdout,
            output.stderr,
            child.returncode,
            output.truncated,
        )
        if (not output.finished and not output.truncated) or not ended:
            return replace(answer, outcome="hung", detail=f"given up after {answer.seconds:.0f} s")
        return _judged(answer, command.program)

    def _spawn(
        self, command: Command, limit_s: float
    ) -> subprocess.Popen[bytes] | tuple[Outcome, str]:
        """Start a child from a thread: even the start hangs if a folder of PATH does."""
        started: queue.Queue[subprocess.Popen[bytes] | tuple[Outcome, str]] = queue.Queue()
        threading.Thread(target=self._start, args=(command, started), daemon=True).start()
        try:
            return started.get(timeout=limit_s)
        except queue.Empty:
            return "hung", f"{command.program} did not even start within {limit_s:.0f} s"

    def _start(
        self,
        command: Command,
        started: "queue.Queue[subprocess.Popen[bytes] | tuple[Outcome, str]]",
    ) -> None:
        try:
            started.put(
                subprocess.Popen(
                    command.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                    env=self._environment,
                    cwd="/",
                )
            )
        except FileNotFoundError:
            started.put(("absent", f"{command.program} is not installed here"))
        except OSError as error:
            started.put(("denied" if isinstance(error, PermissionError) else "failed", str(error)))

    def _end(self, child: subprocess.Popen[bytes], resource: str, *, cut: bool) -> bool:
        """Let a child that closed its output end; kill and abandon one that does not."""
        deadline = time.monotonic() + _GRACE_S
        while child.poll() is None and time.monotonic() < deadline and not cut:
            time.sleep(0.002)
        if child.poll() is not None:
            return True
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        deadline = time.monotonic() + _GRACE_S
        while child.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        if child.poll() is None:
            with self._guard:
                self._abandoned.add(child.pid)
            child.returncode = -signal.SIGKILL  # ours to reap from here on, not Popen's
        if resource and not cut:
            self.hangs.remember(resource, child.pid)
        return cut


class _Output:
    """Reads both pipes of a child until they close, the time is up or enough was read."""

    def __init__(self, child: subprocess.Popen[bytes], max_bytes: int) -> None:
        self._pipes: list[IO[bytes]] = [pipe for pipe in (child.stdout, child.stderr) if pipe]
        self._kept: dict[int, list[bytes]] = {pipe.fileno(): [] for pipe in self._pipes}
        self._order = [pipe.fileno() for pipe in self._pipes]
        self._left = max_bytes
        self.finished = False
        self.truncated = False

    @property
    def stdout(self) -> bytes:
        return b"".join(self._kept[self._order[0]])

    @property
    def stderr(self) -> bytes:
        return b"".join(self._kept[self._order[1]])

    def read(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            for pipe in self._pipes:
                selector.register(pipe, selectors.EVENT_READ)
            while selector.get_map() and not self.truncated:
                left = deadline - time.monotonic()
                ready = selector.select(left) if left > 0 else []
                if not ready:
                    break
                for key in [key for key, _ in ready if not self._take(key.fd)]:
                    selector.unregister(key.fileobj)
            self.finished = not selector.get_map()
        for pipe in self._pipes:
            pipe.close()

    def _take(self, descriptor: int) -> bool:
        chunk = os.read(descriptor, _CHUNK)
        self._kept[descriptor].append(chunk[: self._left])
        self._left -= len(chunk)
        self.truncated = self._left < 0
        return bool(chunk)


def _has_died(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


_DENIED = (
    b"permission denied",
    b"forbidden",
    b"must be root",
    b"operation not permitted",
    b"unauthorized",
    b"access denied",
    b"you must be logged in",
)
_ABSENT = (
    b"no such file",
    b"cannot connect to the docker daemon",
    b"no such device",
    b"not found",
    b"(notfound)",
    b"connection refused",
    b"was refused",
    b"unable to connect to the server",
    b"no such host",
    b"no configuration has been provided",
    b"could not resolve",
    b"unable to contact slurm controller",
    b"could not establish a configuration source",
    b"slurm accounting storage is disabled",
    b"failed to open netlink_rdma socket",
    b"is ib_umad module loaded",
    b"unable to connect to host engine",
    b"unable to establish a connection to the specified host",
)


_SILENT = (b"i/o timeout", b"deadline exceeded", b"connection timed out", b"handshake timeout",
           b"timed out on send/recv")  # fmt: skip
"""What clients say of a server that does not answer."""
_SAYS_NONE_WITH_ONE = frozenset({"journalctl"})
"""Programs that exit with 1, silently, when nothing matched."""
_COMPLAINS_IN_ITS_OUTPUT = frozenset({"dcgmi"})
_NO_SUCH_PROGRAM = 127
"""How `env` exits where what it was to start is not there."""


def _judged(answer: Answer, program: str) -> Answer:
    """Read an outcome from exit status and error text."""
    none = answer.code == 1 and program in _SAYS_NONE_WITH_ONE and not answer.stderr
    if answer.truncated or answer.code == 0 or none:
        return answer if answer.stdout else replace(answer, outcome="empty")
    if answer.code == _NO_SUCH_PROGRAM:
        return replace(answer, outcome="absent", detail=f"{program} is not installed here")
    said = answer.stderr.strip()
    if not said and program in _COMPLAINS_IN_ITS_OUTPUT:
        said = answer.stdout.strip()
    lowered = said.lower()
    outcome: Outcome = "failed"
    if any(word in lowered for word in _SILENT):
        outcome = "hung"
    elif any(word in lowered for word in _DENIED):
        outcome = "denied"
    elif any(word in lowered for word in _ABSENT):
        outcome = "absent"
    why = said.decode("utf-8", "replace")[-500:] or f"exit status {answer.code}"
    return replace(answer, outcome=outcome, detail=why)
