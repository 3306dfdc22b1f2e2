"""`dcgmi discovery -l`: the GPUs that DCGM finds, independent of what watches them."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_COUNT = compile_late(r"^(\d+) GPUs? found\.", re.MULTILINE)
_ROW = compile_late(r"^\| *(\d*) *\| (Name|PCI Bus ID|Device UUID): (\S.*?) *\|$")
_NAMES = {"Name": "name", "PCI Bus ID": "bdf", "Device UUID": "uuid"}


def recognise(head: bytes) -> float:
    """Look for the count and the table's heading."""
    text = head[:4096].decode("utf-8", "replace")
    return 0.95 if _COUNT.search(text) and "Device Information" in text else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the count, and each GPU with its name and identity."""
    if count := _COUNT.search(printed.text):
        number = printed.text.count("\n", 0, count.start()) + 1
        said = {"gpu_count": (number, count.group())}
        yield Typed("dcgm", {"gpu_count": int(count.group(1))}, number, said)
    values: dict[str, Value] = {}
    start = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        row = _ROW.match(line)
        if row and row.group(1):
            if values:
                yield Typed("dcgm_gpu", values, start)
            values, start = {"index": int(row.group(1))}, number
        if row:
            values[_NAMES[row.group(2)]] = row.group(3)
    if values:
        yield Typed("dcgm_gpu", values, start)


READER = CommandReader("dcgmi-discovery", recognise, parse)
