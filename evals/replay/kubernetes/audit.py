"""Counts what is asked of the server, and injects faults: slow, throttled, refusing."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evals.replay.kubernetes.server import write_status


@dataclass
class Fault:
    """What goes wrong for requests that match; `times` limits how often."""

    match: str
    """Regular expression over ``METHOD /path?query``."""
    code: int = 0
    """The status to answer with; 0 answers in earnest, late."""
    reason: str = ""
    delay_s: float = 0.0
    times: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Asked:
    """One request and what was sent back."""

    line: str
    code: int
    size: int


@dataclass
class Audit:
    """Wraps the application; `requests` grows with each answer."""

    app: ASGIApp
    faults: Sequence[Fault] = ()
    requests: list[Asked] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer with a fault."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        query = scope["query_string"].decode()
        line = f"{scope['method']} {scope['path']}" + (f"?{query}" if query else "")
        sent = {"code": 0, "size": 0}

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent["code"] = message["status"]
            sent["size"] += len(message.get("body", b""))
            await send(message)

        app = await self._faulty(line)
        await app(scope, receive, count)
        self.requests.append(Asked(line, sent["code"], sent["size"]))

    async def _faulty(self, line: str) -> ASGIApp:
        for fault in self.faults:
            if fault.times > 0 and re.search(fault.match, line):
                fault.times -= 1
                await asyncio.sleep(fault.delay_s)
                if fault.code:
                    return write_status(fault.code, fault.reason, "injected by the replay")
        return self.app
