"""Slurm's `topology.conf` and `scontrol show topology`: which nodes hang on which leaf switch."""

import itertools
import re
from collections.abc import Iterator

from tools.command_text import MAX_TYPED, CommandReader, Printed, Typed
from tools.evidence import Gap, Item
from tools.host_lists import MOST_HOSTS, count_hosts, expand_hosts
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source

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
    for number, switch, nodes in _leaves(printed.text):
        for node in nodes:
            yield Typed("fabric_link", {"host": node, "nic": "", "switch": switch}, number)


def _leaves(text: str) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield line, switch and nodes of each leaf; none of those that are too many for one text."""
    left = MOST_HOSTS
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        found = _ROW.match(line)
        if found and "switches=" not in line.lower():
            count = count_hosts(found["nodes"])
            fits = count <= left
            left -= count if fits else 0
            yield number, found["switch"], expand_hosts(found["nodes"]) if fits else ()


class TopologyReader(CommandReader):
    """Says besides which leaves name too many nodes to be read."""

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read lines and values, then what was left out."""
        yield from super().read(source, request)
        with source.open() as stream:
            text = stream.read(MAX_TYPED).decode("utf-8", "replace")
        for number, switch, nodes in itertools.islice(_leaves(text), MOST_HOSTS):
            if not nodes:
                why = (
                    f"the nodes of switch {switch} on line {number} are left out: with those"
                    f" before them they are more than {MOST_HOSTS}"
                )
                yield Gap(source="host", target=source.name, why=why, evidence=source.evidence)


READER = TopologyReader("slurm-topology", recognise, parse)
