"""Reads files in a process of its own: what hangs or swells there ends with an error for one file.

A document comes from anywhere, and the libraries that read PDF and Word are large. The process has
bounds on memory and time, and what it sends back is plain JSON.
"""

import json
import logging
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from knowledge.errors import DocumentRefusedError
from knowledge.own.draft import Draft, Refusal
from knowledge.own.reading import read_drafts

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LIMIT_S = 30.0
_MEMORY = 3 << 30
_DRAFTS = TypeAdapter(tuple[Draft | Refusal, ...])


@dataclass
class Sandbox:
    """The process, started when first asked and anew after one that had to be ended."""

    limit_s: float = LIMIT_S
    _process: BaseProcess | None = field(default=None, init=False)
    _line: "Connection[bytes, bytes] | None" = field(default=None, init=False)

    def read(self, content: bytes, name: str) -> tuple[Draft | Refusal, ...]:
        """Read one file.

        Raises:
            DocumentRefusedError: nothing of it can be read, or not within the bounds.
        """
        line = self._line or self._start()
        try:
            line.send_bytes(name.encode("utf-8", "replace"))
            line.send_bytes(content)
            if not line.poll(self.limit_s):
                self.close()
                raise DocumentRefusedError("", f"it takes longer than {self.limit_s:g} s to read")
            answer = json.loads(line.recv_bytes())
        except (EOFError, OSError) as error:
            self.close()
            why = "it cannot be read within the bounds on memory"
            raise DocumentRefusedError("", why) from error
        if "why" in answer:
            raise DocumentRefusedError("", str(answer["why"]))
        return _DRAFTS.validate_python(answer["drafts"])

    def close(self) -> None:
        """End the process."""
        if self._line is not None:
            self._line.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._line = self._process = None

    def _start(self) -> "Connection[bytes, bytes]":
        context = get_context("spawn")
        self._line, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._line


@contextmanager
def open_sandbox(limit_s: float = LIMIT_S) -> Iterator[Sandbox]:
    """Offer a sandbox that is closed in the end."""
    sandbox = Sandbox(limit_s)
    try:
        yield sandbox
    finally:
        sandbox.close()


def _serve(line: "Connection[bytes, bytes]") -> None:
    logging.disable()  # Libraries complain of what becomes an error of ours anyway.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            name = line.recv_bytes().decode()
            content = line.recv_bytes()
        except EOFError:
            return
        line.send_bytes(json.dumps(_answer(content, name)).encode())


def _answer(content: bytes, name: str) -> dict[str, object]:
    try:
        drafts = tuple(read_drafts(content, name))
    except DocumentRefusedError as error:
        return {"why": error.why}
    except (MemoryError, RecursionError):
        return {"why": "it cannot be read within the bounds on memory"}
    return {"drafts": _DRAFTS.dump_python(drafts, mode="json")}
