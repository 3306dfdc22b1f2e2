"""Saves evidence to a bundle before a restart destroys it: the most volatile first.

Each capture is on disk with its manifest line before it is reported, so a bundle that was cut
short is valid, and a second run takes only what is missing.
"""

import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.capture import Capture
from tools.context import ProbeContext
from tools.request import Request
from tools.transport.local import Cluster, Local
from tools.transport.port import Look, Transport

log = logging.getLogger(__name__)
_GRACE_S = 2.0


@dataclass(frozen=True)
class Progress:
    """What just happened."""

    kind: Literal["started", "captured", "ended"]
    look: str
    host: str
    capture: Capture | None
    done: int
    total: int


OnProgress = Callable[[Progress], None]


def collect(
    request: Request,
    context: ProbeContext,
    *,
    transports: Sequence[Transport] | None = None,
    deadline_s: float = 90.0,
    size_cap: int | None = None,
    on_progress: OnProgress | None = None,
    workers: int = 48,
) -> Path:
    """Run all looks side by side in the order of volatility and give the bundle's folder.

    Args:
        request: What is asked for.
        context: Where and how to look.
        transports: The ways to reach nodes; this host and the cluster by default.
        deadline_s: Seconds until the bundle is closed with what there is.
        size_cap: Bytes the bundle may grow to.
        on_progress: Called from one thread, in order.
        workers: Looks at once.
    """
    if size_cap is not None:
        context.workspace.limit(size_cap)
    context.deadline = time.monotonic() + deadline_s
    ways = transports if transports is not None else (Local(), Cluster())
    looks = sorted(
        (look for way in ways for look in way.looks(request, context)),
        key=lambda look: look.volatility,
    )
    run = _Run(looks, context, on_progress)
    run.start(min(workers, max(1, len(looks))))
    run.follow(deadline_s + _GRACE_S)
    run.close(deadline_s)
    return context.workspace.root


class _Run:
    """The looks of one collection, worked off by daemon threads that nobody waits for."""

    def __init__(
        self, looks: list[Look], context: ProbeContext, on_progress: OnProgress | None
    ) -> None:
        self._context, self._on_progress = context, on_progress
        self._waiting: queue.SimpleQueue[Look] = queue.SimpleQueue()
        for look in looks:
            self._waiting.put(look)
        self._news: queue.Queue[
            tuple[Literal["started", "captured", "ended"], Look, Capture | None]
        ] = queue.Queue()
        self._open = {(look.name, look.host): look for look in looks}
        self._total = len(looks)

    def start(self, workers: int) -> None:
        for _ in range(workers):
            threading.Thread(target=self._work, daemon=True).start()

    def follow(self, limit_s: float) -> None:
        """Report news until all looks ended or the time is up."""
        deadline = time.monotonic() + limit_s
        while self._open:
            try:
                kind, look, capture = self._news.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return
            if kind == "ended":
                self._open.pop((look.name, look.host), None)
            if self._on_progress:
                done = self._total - len(self._open)
                self._on_progress(Progress(kind, look.name, look.host, capture, done, self._total))

    def close(self, deadline_s: float) -> None:
        """Say of each look that did not end that it was not reached."""
        for look in self._open.values():
            self._note(look, f"not done within the deadline of {deadline_s:.0f} s", "hung")

    def _work(self) -> None:
        while True:
            try:
                look = self._waiting.get_nowait()
            except queue.Empty:
                return
            self._news.put(("started", look, None))
            try:
                self._captures(look)
            except Exception as error:
                # One probe that breaks must not take the others' evidence with it.
                log.exception("the probe %s broke", look.name)
                self._note(look, f"the probe broke: {type(error).__name__}: {error}", "failed")
            self._news.put(("ended", look, None))

    def _captures(self, look: Look) -> None:
        if self._context.left_s() <= 0:
            self._note(look, "not reached before the deadline", "failed")
            return
        for capture in look.run():
            self._news.put(("captured", look, capture))

    def _note(self, look: Look, why: str, outcome: Literal["hung", "failed"]) -> None:
        self._context.store(
            b"",
            source=look.source,
            path="",
            command=look.name,
            target=look.host or look.source,
            outcome=outcome,
            detail=why,
        )
