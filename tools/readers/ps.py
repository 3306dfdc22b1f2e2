"""`ps`: processes, above all those that wait in the kernel and cannot be killed."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed

_HEADER = re.compile(rb"^ *(?:USER |UID |PID |S |STAT |F )[^\n]*\b(?:CMD|COMMAND)\b", re.MULTILINE)
_NAMES = {
    "pid": "pid", "ppid": "ppid", "s": "state", "stat": "state", "wchan": "wchan",
    "user": "user", "uid": "user", "etime": "elapsed", "elapsed": "elapsed", "start": "start",
    "started": "started", "lstart": "started", "time": "cpu_time", "cgroup": "cgroup",
}  # fmt: skip
MAX_PROCESSES = 4000


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.9 if _HEADER.search(head[:2048]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the rows under the heading; the command is the rest of the line."""
    columns: list[str] = []
    found = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        words = line.split()
        if not columns:
            columns = [word.lower() for word in words] if _HEADER.match(line.encode()) else []
            continue
        cells = line.split(None, len(columns) - 1)
        if len(cells) < len(columns) or found >= MAX_PROCESSES:
            continue
        found += 1
        values = {
            _NAMES[name]: cell for name, cell in zip(columns, cells, strict=True) if name in _NAMES
        }
        values["command"] = cells[-1]
        if values.get("state", "").startswith("D"):
            yield Typed("process", {**values, "blocked": True}, number)


READER = CommandReader("ps", recognise, parse)
