"""`dcgmi health --check`: what DCGM's watches noted in the background."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^\| Health Monitor Report +\||^Health Monitor Report\s*$", re.MULTILINE)
_ROW = compile_late(r"^\| ?(.*?) *\| ?(.*?) *\|$")
_OVERALL = compile_late(r"Overall Health:? *\|? *(Healthy|Warning|Failure)")
_GPU = compile_late(r"(?:(?:->|\u2514|\u251c)\W*)?(?:GPU(?: ID)?:? ?)?(\d+)$")
_WIDEST = 400
_STATE = compile_late(r"(Healthy|Warning|Failure)\b")


def recognise(head: bytes) -> float:
    """Look for the title."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the whole's health, and each GPU's with what is said of it."""
    values: dict[str, Value] = {}
    start, quotes = 0, dict[str, tuple[int, str]]()
    for number, line in enumerate(printed.text.splitlines(), 1):
        if overall := _OVERALL.search(line):
            yield _whole(overall.group(1), number, line)
            continue
        row = _ROW.match(line) if len(line) < _WIDEST else None
        if row is None:
            continue
        gpu, state = _GPU.match(row.group(1)), _STATE.match(row.group(2))
        if gpu and state:
            if values:
                yield Typed("dcgm_health", values, start, quotes)
            start, quotes = number, {"health": (number, line.strip())}
            values = {"gpu": int(gpu.group(1)), "health": state.group(1).lower()}
        elif values and row.group(2):
            left = row.group(1).strip("-> ")
            said = f"{left}: {row.group(2)}" if left else row.group(2)
            values["detail"] = f"{values.get('detail', '')} {said}".strip()
    if values:
        yield Typed("dcgm_health", values, start, quotes)


def _whole(health: str, number: int, line: str) -> Typed:
    return Typed("dcgm_health", {"health": health.lower()}, number, {"health": (number, line)})


READER = CommandReader("dcgmi-health", recognise, parse)
