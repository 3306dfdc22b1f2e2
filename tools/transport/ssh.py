"""Many hosts over OpenSSH, each with a key that can only run `firstfault collect`."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from tools.archive import unpack
from tools.capture import Capture
from tools.context import ProbeContext
from tools.request import Request
from tools.shell import Answer
from tools.transport.port import Look

_OPTIONS = (
    "BatchMode=yes",
    "ControlMaster=no",
    "ForwardAgent=no",
    "ForwardX11=no",
    "ClearAllForwardings=yes",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
)
_SILENT = (b"timed out", b"timeout", b"no route to host")


class Ssh:
    """Asks hosts side by side; one that does not answer is hung, and the rest goes on."""

    name = "ssh"

    def __init__(
        self,
        hosts: Sequence[str],
        *,
        identity: str = "",
        limit_s: float = 20.0,
        at_once: int = 32,
        connect_s: int = 5,
    ) -> None:
        self._hosts, self._identity = tuple(dict.fromkeys(hosts)), identity
        self._limit_s, self._connect_s = limit_s, connect_s
        self._turns = threading.BoundedSemaphore(at_once)

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give one look per host."""
        for host in self._hosts:
            yield Look("ssh", "host", host, 0, partial(self._look, host, request, context))

    def argv(self, host: str, request: Request, limit_s: float) -> list[str]:
        """Write the one command that the other side's forced command accepts."""
        options = [f"-o={option}" for option in (*_OPTIONS, f"ConnectTimeout={self._connect_s}")]
        identity = [f"-i={self._identity}"] if self._identity else []
        argv = [
            "ssh",
            "-T",
            *_joined(options),
            *_joined(identity),
            host,
            "firstfault",
            "collect",
            "--out",
            "-",
        ]
        argv.append(f"--deadline={max(1, int(limit_s) - 2)}")
        if request.window.since:
            argv.append(f"--since=@{request.window.since.timestamp():.0f}")
        if request.window.until:
            argv.append(f"--until=@{request.window.until.timestamp():.0f}")
        return argv

    def _look(self, host: str, request: Request, context: ProbeContext) -> Iterator[Capture]:
        argv = self.argv(host, request, self._limit_s)
        with self._turns:
            answer = context.run(argv, limit_s=self._limit_s, resource=f"ssh/{host}")
        merged = list(unpack(answer.stdout, context.workspace, host)) if answer.stdout else []
        yield from merged
        yield self._verdict(answer, host, context, whole=bool(merged))

    def _verdict(self, answer: Answer, host: str, context: ProbeContext, *, whole: bool) -> Capture:
        if any(word in answer.stderr.lower() for word in _SILENT):
            answer = replace(
                answer, outcome="hung", detail=answer.stderr.decode("utf-8", "replace").strip()
            )
        if answer.outcome == "ok" and not whole:
            said = answer.stdout[:80]
            answer = replace(answer, outcome="failed", detail=f"{host} sent no bundle but {said!r}")
        kept = replace(answer, stdout=b"")
        return context.keep(kept, source="host", path="", target=host)


def _joined(flags: list[str]) -> list[str]:
    """Split `-o=X` into two arguments, as OpenSSH wants them."""
    return [part for flag in flags for part in flag.split("=", 1)]
