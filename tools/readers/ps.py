"""`ps`: processes, above all those that wait in the kernel and cannot be killed."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEADER = compile_late(
    rb"^ *(?:USER |UID |PID |S |STAT |F )[^\n]*\b(?:CMD|COMMAND)\b", re.MULTILINE
)
_NAMES = {
    "pid": "pid", "ppid": "ppid", "s": "state", "stat": "state", "wchan": "wchan",
    "user": "user", "uid": "user", "etime": "elapsed", "elapsed": "elapsed", "start": "start",
    "started": "started", "lstart": "started", "time": "cpu_time", "cgroup": "cgroup",
}  # fmt: skip
_ASKED = compile_late(r"\bps\b[^|;]*? -[A-Za-z]*o[ =]?([\w:=,]+)")
_LAST = (["cmd"], ["command"], ["args"], ["comm"])
"""Columns that hold words: only at the end can the cells be counted."""
MAX_PROCESSES = 4000


def rows_below(heading: str) -> Callable[[str], bool]:
    """Return how a row below a heading is known: as many cells, and a number where the PID is."""
    names = heading.lower().split()
    place = names.index("pid") if "pid" in names else -1

    def is_row(line: str) -> bool:
        cells = line.split(None, len(names) - 1)
        return len(cells) == len(names) and (place < 0 or cells[place].isdigit())

    return is_row


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.9 if _HEADER.search(head[:2048]) else 0.0


def asked_columns(command: str) -> list[str]:
    """Return the columns that a command asks for: `grep` drops their heading."""
    match = _ASKED.search(command)
    names = re.split(r"[, ]", match.group(1)) if match else []
    return [name.partition(":")[0].partition("=")[0].lower() for name in names if name]


class PsReader(CommandReader):
    """Knows its output by the heading, and a part of it by what was typed."""

    def score(self, head: bytes, hint: str) -> float:
        """Ask for the heading; without one, for as many cells as the command asked for."""
        names = asked_columns(hint.rpartition("!")[2])
        first = head.lstrip(b"\n").partition(b"\n")[0].decode("utf-8", "replace")
        known = names[-1:] in _LAST and rows_below(" ".join(names))(first)
        return max(self.recognise(head), 0.9 if known else 0.0)


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the rows under the heading; the command is the rest of the line."""
    columns = asked_columns(printed.command)
    found = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        if _HEADER.match(line.encode()):
            columns = [word.lower() for word in line.split()]
            continue
        cells = line.split(None, len(columns) - 1)
        if not columns or len(cells) < len(columns) or found >= MAX_PROCESSES:
            continue
        found += 1
        values = {
            _NAMES[name]: cell for name, cell in zip(columns, cells, strict=True) if name in _NAMES
        }
        values["command"] = cells[-1]
        if values.get("state", "").startswith("D"):
            blocked: dict[str, Value] = {**values, "blocked": True}
            yield Typed("process", blocked, number, dict.fromkeys(blocked, (number, line.strip())))


READER = PsReader("ps", recognise, parse)
