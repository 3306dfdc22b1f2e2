"""`ulimit -a` and `/proc/PID/limits`: what a process may use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late
from tools.numerals import whole

if TYPE_CHECKING:
    from tools.gpu_values import Value

_SHELL = compile_late(
    r"^(?P<name>[a-z][a-z /-]*[a-z])\s+\((?:(?P<unit>[\w.-]+), )?-\w\) (?P<value>\S+)$"
)
_PROC = compile_late(
    r"^Max (?P<name>[a-z][a-z /-]*[a-z])\s{2,}(?P<value>\S+)\s+\S+(?:\s+(?P<unit>\w+))?\s*$"
)
_UNITS = {"kbytes": 1024, "blocks": 512, "512-byte": 512}
_NAMES = {"max locked memory": "locked_memory", "locked memory": "locked_memory",
          "open files": "open_files", "max user processes": "processes", "processes": "processes",
          "stack size": "stack", "core file size": "core_file"}  # fmt: skip


def recognise(head: bytes) -> float:
    """Look for either form's first limits."""
    start = head[:4096]
    shell = b"max locked memory" in start and b", -l)" in start
    return 0.95 if shell or b"\nMax locked memory " in start else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the limits as one thing, sizes in bytes; unlimited stays a word."""
    values: dict[str, Value] = {}
    quotes: dict[str, tuple[int, str]] = {}
    for at, line in enumerate(printed.text.splitlines(), 1):
        match = _SHELL.match(line) or _PROC.match(line)
        if match and match["name"] in _NAMES:
            number = whole(match["value"], most=20)
            factor = _UNITS.get(match["unit"] or "", 1)
            told = match["value"] if number is None else number * factor
            values[_NAMES[match["name"]]] = told
            quotes[_NAMES[match["name"]]] = at, line.strip()
    if values:
        yield Typed("limits", values, 0, quotes)


READER = CommandReader("ulimit", recognise, parse)
