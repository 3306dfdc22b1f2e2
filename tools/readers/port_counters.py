"""Counters of InfiniBand and RoCE ports as the kernel shows them, a file each.

`grep . /sys/class/infiniband/*/ports/*/counters/*` and its relatives: `head -v`, `tail -n +1`.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_PATH = (
    r"/sys/class/infiniband/(?P<nic>[\w.-]+)/ports/(?P<port>\d+)/"
    r"(?P<kind>counters|hw_counters)/(?P<name>\w+)"
)
_ROW = compile_late(rf"(?:==> )?{_PATH}(?:[:= ] ?(?P<value>\d+)\s*$| <==\s*$)")
_NUMBER = compile_late(r"(\d+)\s*$")
_SEVERAL = 3


def recognise(head: bytes) -> float:
    """Tell whether most of the first lines are counters, or name one."""
    text = head[:8192].decode("utf-8", "replace")
    lines = [line for line in text.splitlines()[:-1] or text.splitlines() if line.strip()][:40]
    rows = sum(1 for line in lines if _ROW.match(line))
    plain = sum(1 for line in lines if _NUMBER.match(line))
    return 0.95 if rows and rows + plain >= max(len(lines) * 0.8, _SEVERAL) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the counters of each port."""
    ports: dict[tuple[str, str], Typed] = {}
    open_name, values = "", dict[str, "Value"]()
    for number, line in enumerate(printed.text.splitlines(), 1):
        if row := _ROW.match(line):
            nic, port = row["nic"], row["port"]
            told = Typed("ib_counters", {"nic": nic, "port": port}, number)
            values, open_name = ports.setdefault((nic, port), told).values, row["name"]
            if row["value"]:
                values[open_name.lower()], open_name = int(row["value"]), ""
        elif open_name and (plain := _NUMBER.match(line)):
            values[open_name.lower()], open_name = int(plain.group(1)), ""
    yield from ports.values()


READER = CommandReader("port-counters", recognise, parse)
