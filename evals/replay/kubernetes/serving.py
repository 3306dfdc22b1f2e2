"""Runs the replay server in a thread and writes a kubeconfig for it."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import uvicorn
import yaml

from evals.errors import ReplayError
from evals.replay.kubernetes.audit import Asked, Audit, Fault
from evals.replay.kubernetes.server import build_application
from evals.replay.kubernetes.store import Store
from evals.replay.ports import find_port

START_S = 10.0


@dataclass(frozen=True, slots=True)
class Served:
    """A running replay."""

    url: str
    audit: Audit

    @property
    def requests(self) -> list[Asked]:
        """What was asked so far."""
        return self.audit.requests

    def kubeconfig(self, path: Path, context: str = "replay") -> Path:
        """Write a kubeconfig that points here."""
        cluster = {"name": context, "cluster": {"server": self.url}}
        user = {"name": "reader", "user": {}}
        bound = {"name": context, "context": {"cluster": context, "user": "reader"}}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [cluster],
            "users": [user],
            "contexts": [bound],
            "current-context": context,
        }
        path.write_text(yaml.safe_dump(document))
        return path


@contextmanager
def serve(store: Store, now: datetime, faults: Sequence[Fault] = ()) -> Iterator[Served]:
    """Serve a store on loopback until the block ends; `now` is what ages are counted from.

    Raises:
        ReplayError: it did not start.
    """
    audit = Audit(build_application(store, now), faults)
    port = find_port()
    config = uvicorn.Config(
        audit, host="127.0.0.1", port=port, log_level="error", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + START_S
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            raise ReplayError("the Kubernetes replay did not start on loopback")
        time.sleep(0.01)
    try:
        yield Served(f"http://127.0.0.1:{port}", audit)
    finally:
        server.should_exit = True
        thread.join(START_S)
