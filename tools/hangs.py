"""Remembers what hung, so that a look is not taken again until something changed.

A probe that is run every minute against a dead mount would leave a stuck process every minute:
it would become the retry storm it is meant to find.
"""

import contextlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

PROC = Path("/proc")
COOL_DOWN_S = 60.0
"""How long a resource rests whose stuck process could be killed."""


@dataclass(frozen=True)
class Hang:
    """One look that did not come back."""

    pid: int
    started: str
    mounts: str
    since: float


class Hangs:
    """What hung, kept in memory and, if a file is given, across processes."""

    def __init__(
        self, file: Path | None = None, proc: Path = PROC, clock: Callable[[], float] = time.time
    ) -> None:
        self._file, self._proc, self._clock = file, proc, clock
        self._guard = threading.Lock()
        self._hangs: dict[str, Hang] = self._load()

    def remember(self, resource: str, pid: int) -> None:
        """Note that a look at `resource` by process `pid` was given up now."""
        hang = Hang(pid, self._start_of(pid), self._mounts(), self._clock())
        with self._guard:
            self._hangs[resource] = hang
            self._save()

    def forget(self, resource: str) -> None:
        """Note that a look at `resource` came back."""
        with self._guard:
            if self._hangs.pop(resource, None):
                self._save()

    def still(self, resource: str) -> str:
        """Say why `resource` must not be looked at now; empty when it may be."""
        hang = self._hangs.get(resource)
        if hang is None or self._mounts() != hang.mounts:
            return ""
        waited = self._clock() - hang.since
        if hang.started and self._start_of(hang.pid) == hang.started:
            return f"process {hang.pid} has been stuck there for {waited:.0f} s and nothing changed"
        if not hang.started and waited < COOL_DOWN_S:
            return f"it hung {waited:.0f} s ago and nothing changed"
        return ""

    def _start_of(self, pid: int) -> str:
        """Identify a living process: its start time, which a reused pid does not share."""
        try:
            stat = (self._proc / str(pid) / "stat").read_text()
        except OSError:
            return ""
        after_name = stat.rpartition(")")[2].split()
        return "" if after_name[0] in "ZX" else after_name[19]

    def _mounts(self) -> str:
        try:
            return sha256((self._proc / "self" / "mountinfo").read_bytes()).hexdigest()
        except OSError:
            return ""

    def _load(self) -> dict[str, Hang]:
        if self._file is None or not self._file.exists():
            return {}
        try:
            content = json.loads(self._file.read_text())
            return {name: Hang(**values) for name, values in content.items()}
        except (OSError, ValueError, TypeError):
            return {}  # a torn file only costs one more look

    def _save(self) -> None:
        if self._file is None:
            return
        content = json.dumps({name: asdict(hang) for name, hang in self._hangs.items()})
        # What cannot be kept for the next process is still known to this one.
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            aside = self._file.with_suffix(f".{os.getpid()}")
            aside.write_text(content)
            aside.replace(self._file)
