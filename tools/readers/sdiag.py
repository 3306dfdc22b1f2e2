"""`sdiag`: how busy Slurm's controller is, and what waits in its queues."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.evidence import Instant
from tools.late_patterns import compile_late
from tools.stamps import from_epoch

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^sdiag output at ", re.MULTILINE)
_TAKEN = compile_late(r"^sdiag output at .*\((\d{9,11})\)\s*$", re.MULTILINE)
_PART = compile_late(r"^(Main schedule statistics|Backfilling stats|Remote Procedure|Pending RPC)")
_NUMBER = compile_late(r"^\s*([A-Z][\w ]*?(?: \(try sched\))?):\s*(\d+)\s*$")
_CALL = compile_late(r"^\s*(\S.*?)\s+\( *\d+\) count:(\d+) +ave_time:(\d+) +total_time:(\d+)\s*$")
_NAMES = {
    "Server thread count": "server_threads", "Agent queue size": "agent_queue",
    "Agent count": "agents", "Agent thread count": "agent_threads",
    "DBD Agent queue size": "accounting_queue", "Jobs pending": "jobs_pending",
    "Jobs running": "jobs_running", "Jobs submitted": "jobs_submitted",
    "Jobs started": "jobs_started", "Jobs completed": "jobs_completed",
    "Jobs canceled": "jobs_canceled", "Jobs failed": "jobs_failed",
}  # fmt: skip
_CYCLES = {
    "Last cycle": "last_cycle_us", "Max cycle": "max_cycle_us", "Mean cycle": "mean_cycle_us",
    "Last queue length": "last_queue_length", "Total cycles": "cycles",
}  # fmt: skip
_PREFIX = {"Main schedule statistics": "main_", "Backfilling stats": "backfill_"}


def recognise(head: bytes) -> float:
    """Look for the first line."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the counts as one reading, and each kind of request and each user's share as one."""
    taken = _TAKEN.search(printed.text)
    observed = from_epoch(float(taken[1])) if taken else None
    values: dict[str, Value] = {}
    quotes: dict[str, tuple[int, str]] = {}
    calls: list[Typed] = []
    part = ""
    for number, line in enumerate(printed.text.splitlines(), 1):
        if begins := _PART.match(line):
            part = begins[1] if "by user" not in line else "by user"
        elif call := _CALL.match(line):
            calls.append(_call(call, part, number, observed))
        elif (match := _NUMBER.match(line)) and (name := _name(match[1], part)):
            values[name], quotes[name] = int(match[2]), (number, line.strip())
    if values:
        yield Typed("slurm_controller", values, min(quotes.values())[0], quotes, observed)
    yield from calls


def _name(words: str, part: str) -> str:
    """Name a count; the two schedulers use the same words, each below its own heading."""
    if not part:
        return _NAMES.get(words, "")
    cycle = _CYCLES.get(words, "")
    return f"{_PREFIX[part]}{cycle}" if cycle and part in _PREFIX else ""


def _call(call: re.Match[str], part: str, number: int, observed: Instant | None) -> Typed:
    who = "user" if part == "by user" else "request"
    count, mean, total = (int(figure) for figure in call.groups()[1:])
    values: dict[str, Value] = {
        who: call[1], "count": count, "mean_us": mean, "total_us": total,
    }  # fmt: skip
    return Typed("slurm_calls", values, number, observed=observed)


READER = CommandReader("sdiag", recognise, parse)
