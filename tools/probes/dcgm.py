"""DCGM: what the host engine has noted of the GPUs, apart from what the driver says now."""

from collections.abc import Iterator
from dataclasses import replace

from tools.capture import Capture
from tools.commands import quoted
from tools.context import ProbeContext
from tools.registry import probe
from tools.request import Request
from tools.shapes import NAME

_ANSWERED = frozenset({"ok", "empty"})
_ALL_GPUS = "0"
"""The group that the host engine makes by itself."""
_NO_WATCHES = b"watches not enabled"
_UNKNOWN = "no health watches are set: nothing was noted, which is not health"


@probe(source="dcgm", reach="host", volatility=1)
def dcgm(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read which GPUs DCGM finds and what its background health watches noted since they were set.

    Three or four requests to nv-hostengine on this host, none of which costs the GPUs anything;
    where the first is not answered, no more. Watches that nobody set show nothing: health is then
    unknown, not good, and this probe sets none. Of a job that was marked, its statistics.
    Never runs `dcgmi diag`, which occupies the GPUs: where it would tell, it is proposed
    (`dcgmi diag -r 1` takes seconds, `-r 2` minutes, `-r 3` longer, on idle GPUs only).
    """
    found = _capture(context, ["dcgmi", "discovery", "-l"], "dcgmi-discovery")
    yield found
    if found.outcome not in _ANSWERED:
        return
    yield _capture(context, ["dcgmi", "health", "-f", "-g", _ALL_GPUS], "dcgmi-health-watches")
    yield _health(context)
    if NAME.fullmatch(request.job):
        argv = ["dcgmi", "stats", "-v", "-j", request.job]
        yield _capture(context, argv, "dcgmi-stats")


def _health(context: ProbeContext) -> Capture:
    """Ask what the watches noted; where none are set, say that this is no health."""
    argv = ["dcgmi", "health", "-c", "-g", _ALL_GPUS]
    if earlier := context.workspace.finished("dcgm", quoted(argv), context.host):
        return earlier
    answer = context.run(argv, resource="dcgm")
    if _NO_WATCHES in answer.stdout + answer.stderr:
        answer = replace(answer, outcome="empty", detail=_UNKNOWN, stdout=b"")
    path = f"host/{context.host}/dcgmi-health.txt"
    return context.keep(answer, source="dcgm", path=path)


def _capture(context: ProbeContext, argv: list[str], name: str) -> Capture:
    return context.capture(
        argv, source="dcgm", path=f"host/{context.host}/{name}.txt", resource="dcgm"
    )
