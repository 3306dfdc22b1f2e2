"""What a probe may use: a shell, a place to write, limits, and which cluster it looks at."""

import math
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tools.budget import Budget
from tools.capture import Capture
from tools.commands import Command
from tools.evidence import Outcome
from tools.hangs import Hangs
from tools.masking import Masker, mask_bytes
from tools.shell import Answer, Shell, utc_now
from tools.workspace import Workspace


def host_name() -> str:
    """Give this host's short name."""
    return socket.gethostname().partition(".")[0]


def state_file() -> Path | None:
    """Where this user's hung looks are remembered: local, and gone after a boot.

    None where someone else owns the place: then they are remembered by this process only.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime or tempfile.gettempdir()) / f"firstfault-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder / "hung.json" if folder.lstat().st_uid == os.getuid() else None
    except OSError:
        return None


@dataclass
class ProbeContext:
    """Shared by all probes of one look."""

    workspace: Workspace
    host: str = field(default_factory=host_name)
    """This host, as the cluster writes its name."""
    cluster: str = ""
    """Context and kube-system uid; set once known."""
    identity: Capture | None = None
    """How the question for it was answered: one that was not is not put again in this look."""
    kube_context: str = ""
    kubeconfig: str = ""
    prometheus: str = ""
    """Base URL; empty: none."""
    prometheus_token: str = field(default="", repr=False)
    loki: str = ""
    """Base URL; empty: none."""
    loki_token: str = field(default="", repr=False)
    loki_tenant: str = ""
    """Whose streams, where the server keeps several tenants apart."""
    loki_selector: str = ""
    """Which streams; empty: those that have a common label."""
    journals: tuple[Path, ...] = ()
    """Journal folders; none: the running host's own."""
    proc: Path = Path("/proc")
    root: Path = Path("/")
    """Where the host's files are seen; an agent in a container mounts them elsewhere, and then its
    tables of `proc` are the host's own under `root`."""
    sys: Path = Path("/sys")
    limit_s: float = 10.0
    """Per command."""
    watch_s: float = 2.0
    """How long NVML is watched for Xid events."""
    max_bytes: int = 128 << 20
    """Per capture."""
    budget: Budget = field(default_factory=Budget)
    shell: Shell = field(default_factory=lambda: Shell(Hangs(state_file())))
    masker: Masker | None = None
    clock: Callable[[], datetime] = utc_now
    deadline: float = math.inf
    """On the monotonic clock; set by whoever collects."""
    _locks: dict[str, threading.Lock] = field(default_factory=dict, repr=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def of_init(self) -> Path:
        """The kernel's tables as the host sees them.

        In a container `self` shows the container's mounts whatever procfs it is read from; only
        the first process shows the host's.
        """
        return self.proc / ("self" if self.root == Path("/") else "1")

    def left_s(self) -> float:
        """Give the seconds left until the deadline."""
        return self.deadline - time.monotonic()

    def lock(self, key: str) -> threading.Lock:
        """Keep two probes from reading one thing at once."""
        with self._guard:
            return self._locks.setdefault(key, threading.Lock())

    def run(self, argv: list[str], *, limit_s: float = 0.0, resource: str = "") -> Answer:
        """Run one command of the grammar on this host, within what is left of the deadline."""
        left = self.left_s()
        if left <= 0:
            now = self.clock()
            return Answer(
                str(Command(tuple(argv))),
                now,
                now,
                "failed",
                detail="not reached before the deadline",
            )
        return self.shell.run(
            Command(tuple(argv)),
            limit_s=min(limit_s or self.limit_s, left),
            max_bytes=self.max_bytes,
            resource=f"{self.host}/{resource}" if resource else "",
        )

    def capture(
        self,
        argv: list[str],
        *,
        source: str,
        path: str,
        target: str = "",
        resource: str = "",
        limit_s: float = 0.0,
        as_typed: list[str] | None = None,
    ) -> Capture:
        """Run a command and keep what it said, unless an earlier run has done so.

        `as_typed` is how one would type it on the host, where that differs.
        """
        command = str(Command(tuple(as_typed or argv)))
        target = target or self.host
        if earlier := self.workspace.finished(source, command, target):
            return earlier
        answer = self.run(argv, resource=resource, limit_s=limit_s)
        answer = replace(answer, command=command)
        return self.keep(answer, source=source, path=path, target=target)

    def keep(self, answer: Answer, *, source: str, path: str, target: str = "") -> Capture:
        """Mask and store an answer."""
        capture = self._described(answer, source, path, target or self.host)
        return self.workspace.save(capture, self._mask(answer.stdout))

    def store(
        self,
        content: bytes,
        *,
        source: str,
        path: str,
        command: str,
        target: str = "",
        outcome: Outcome = "ok",
        detail: str = "",
        started: datetime | None = None,
        truncated: bool = False,
    ) -> Capture:
        """Mask and store what was read without a command."""
        ended = self.clock()
        answer = Answer(
            command, started or ended, ended, outcome, content, detail=detail, truncated=truncated
        )
        return self.keep(answer, source=source, path=path, target=target)

    def _described(self, answer: Answer, source: str, path: str, target: str) -> Capture:
        return Capture(
            path=path,
            source=source,
            command=self._mask(answer.command.encode()).decode(),
            target=target,
            cluster=self.cluster,
            started=answer.started,
            ended=answer.ended,
            outcome=answer.outcome,
            detail=self._mask(answer.detail.encode()).decode(),
            truncated=answer.truncated,
            live=True,
        )

    def _mask(self, content: bytes) -> bytes:
        return self.masker.mask_bytes(content) if self.masker else mask_bytes(content)
