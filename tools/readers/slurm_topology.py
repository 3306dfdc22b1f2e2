"""Slurm's `topology.conf` and `scontrol show topology`: which nodes hang on which leaf switch."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late

_ROW = compile_late(
    r"^SwitchName=(?P<switch>[\w.-]+)\s(?:.*\s)?Nodes=(?P<nodes>\S+)", re.IGNORECASE
)
_MARK = b"switchname="


def recognise(head: bytes) -> float:
    """Look for a switch with what hangs on it."""
    start = head[:16384]
    if _MARK not in start.lower():
        return 0.0
    rows = start.decode("utf-8", "replace").splitlines()
    return 0.95 if any(_ROW.match(row.strip()) for row in rows) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Yield each node of a leaf; a switch above others repeats the nodes of all of them."""
    for number, raw in enumerate(printed.text.splitlines(), 1):
        line = raw.strip()
        found = _ROW.match(line)
        if found and "switches=" not in line.lower():
            for node in expand_hosts(found["nodes"]):
                values = {"host": node, "nic": "", "switch": found["switch"]}
                yield Typed("fabric_link", {**values}, number)


READER = CommandReader("slurm-topology", recognise, parse)
