"""Slurm: what the controller says of nodes and jobs, and what accounting says of a window."""

import math
from collections.abc import Iterator

from tools.capture import Capture
from tools.context import ProbeContext
from tools.registry import probe
from tools.request import Request

_LIMIT_S = 15.0
"""A client gives up by itself after ten seconds, and then says so in its own words."""
_COLUMNS = (
    "JobID,JobName,User,Partition,State,ExitCode,DerivedExitCode,Submit,Start,End,Elapsed,"
    "NNodes,AllocTRES,NodeList,Reason"
)
_ANSWERED = frozenset({"ok", "empty"})
_CONTROLLER = "slurm"


@probe(source="slurm", reach="scheduler", volatility=1)
def slurm_state(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read which nodes Slurm does not use and why, every node's and job's state, and the queue.

    Five requests to slurmctld, one after the other; where the first is not answered, no more. Times
    are UTC. A job is forgotten by the controller minutes after its end (MinJobAge): see
    slurm-accounting. Cannot see what happens on a node: its slurmd's log is in its journal.
    """
    with context.lock(_CONTROLLER):
        reasons = _reasons(context)
        yield reasons
        if reasons.outcome not in _ANSWERED:
            return
        yield _capture(context, ["squeue", "-l", "-a"], "squeue")
        yield _capture(context, ["scontrol", "-d", "show", "job"], "scontrol-show-job")
        yield _capture(context, ["scontrol", "show", "node"], "scontrol-show-node")
        yield _capture(context, ["sinfo", "-N", "-l"], "sinfo-N")


@probe(source="slurm", reach="scheduler", volatility=4)
def slurm_accounting(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the jobs and steps of the window from slurmdbd: ends, exit codes, nodes, requeues.

    One request, which costs a database query over the window; a job that is asked for narrows it.
    Asks slurmdbd, not the controller: it answers when the controller is down. Cannot see a cluster
    that keeps no accounting, nor the reason beyond state and exit code.
    """
    job = request.job.removeprefix("slurm:")
    scope = ["-j", job] if _is_number(job) else []
    argv = ["sacct", "-a", "-D", "-P", *_window(request, context), f"--format={_COLUMNS}", *scope]
    yield _capture(context, argv, "sacct")


@probe(source="slurm", reach="scheduler", volatility=8)
def slurm_settings(request: Request, context: ProbeContext) -> Iterator[Capture]:
    """Read the controller's settings and how busy it is.

    Timeouts, health check, what a node needs to return: these tell how long a fault was not shown.
    Two requests; `sdiag` without a reset.
    """
    with context.lock(_CONTROLLER):
        if _reasons(context).outcome not in _ANSWERED:
            return  # slurm-state says so
        yield _capture(context, ["scontrol", "show", "config"], "scontrol-config")
        yield _capture(context, ["sdiag"], "sdiag")


def _reasons(context: ProbeContext) -> Capture:
    """Ask the first question, or recall its answer: what did not answer is not asked again."""
    return _capture(context, ["sinfo", "-R"], "sinfo-R")


def _window(request: Request, context: ProbeContext) -> list[str]:
    until = request.window.until or request.now or context.clock()
    since = request.window.since
    start = math.floor(since.timestamp()) if since else math.floor(until.timestamp()) - 86400
    return [f"--starttime=uts{start}", f"--endtime=uts{math.ceil(until.timestamp())}"]


def _is_number(job: str) -> bool:
    return bool(job) and job.replace("_", "").isdecimal()


def _capture(context: ProbeContext, argv: list[str], name: str) -> Capture:
    return context.capture(
        ["env", "TZ=UTC", *argv],
        source="slurm",
        path=f"host/{context.host}/{name}.txt",
        resource="slurmdbd" if argv[0] == "sacct" else _CONTROLLER,
        limit_s=_LIMIT_S,
    )
