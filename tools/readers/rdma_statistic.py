"""`rdma statistic show`: what each RDMA port has counted, one line a port."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_ROW = compile_late(r"^link (?P<nic>[\w.-]+)/(?P<port>\d+) (?P<rest>(?:[a-z]\w* \d+ ?)+)$")
_MOST = 0.8


def recognise(head: bytes) -> float:
    """Tell whether most of the first lines are ports with counters."""
    text = head[:8192].decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()][:40]
    rows = sum(1 for line in lines if _ROW.match(line))
    return 0.95 if rows and rows >= len(lines) * _MOST else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the counters of each port."""
    for number, line in enumerate(printed.text.splitlines(), 1):
        if row := _ROW.match(line.strip()):
            words = row["rest"].split()
            counted: dict[str, Value] = {
                name: int(count) for name, count in zip(words[::2], words[1::2], strict=True)
            }
            yield Typed("ib_counters", {"nic": row["nic"], "port": row["port"], **counted}, number)


READER = CommandReader("rdma-statistic", recognise, parse)
