"""State and rate of InfiniBand and RoCE ports as the kernel shows them, a file each.

`grep -H . /sys/class/infiniband/*/ports/*/{state,phys_state,rate,link_layer}`; told like ibstat's.
"""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.late_patterns import compile_late

_ROW = compile_late(
    r"/sys/class/infiniband/(?P<nic>[\w.-]+)/ports/(?P<port>\d+)/"
    r"(?P<name>state|phys_state|rate|link_layer):(?:\d+: )?(?P<value>\S.*)$"
)
_NAMES = {"phys_state": "physical_state", "rate": "rate_gbps"}
_MOST = 0.8


def recognise(head: bytes) -> float:
    """Tell whether most of the first lines are such files."""
    text = head[:8192].decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()][:40]
    rows = sum(1 for line in lines if _ROW.match(line))
    return 0.95 if rows and rows >= len(lines) * _MOST else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each port once, at its first line."""
    ports: dict[tuple[str, str], Typed] = {}
    for number, line in enumerate(printed.text.splitlines(), 1):
        if row := _ROW.match(line):
            nic, port = row["nic"], row["port"]
            told = Typed("nic", {"nic": nic, "port": port}, number)
            values = ports.setdefault((nic, port), told).values
            name = _NAMES.get(row["name"], row["name"])
            values[name] = _rate(row["value"]) if name == "rate_gbps" else row["value"]
    yield from ports.values()


def _rate(text: str) -> Value:
    """Read ``400 Gb/sec (4X NDR)``."""
    number, _, _ = text.partition(" ")
    return float(number) if number.replace(".", "", 1).isdecimal() else None


READER = CommandReader("port-states", recognise, parse)
