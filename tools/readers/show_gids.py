"""`show_gids`: the addresses by which RDMA over Ethernet reaches a port."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEADER = compile_late(rb"^DEV\s+PORT\s+INDEX\s+GID\b", re.MULTILINE)
_ROW = compile_late(
    r"^(?P<nic>\w+)\s+(?P<port>\d+)\s+(?P<index>\d+)\s+(?P<gid>(?:[0-9a-f]{4}:){7}[0-9a-f]{4})"
    r"(?:\s+(?P<address>\d+\.\d+\.\d+\.\d+))?\s+(?P<version>v[12])(?:\s+(?P<netdev>\S+))?\s*$"
)
_LINK_LOCAL = "fe80:"


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.95 if _HEADER.search(head[:1024]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each entry of each port's table."""
    for number, line in enumerate(printed.text.splitlines(), 1):
        if row := _ROW.match(line):
            routable = row["version"] == "v2" and not row["gid"].startswith(_LINK_LOCAL)
            values: dict[str, Value] = {
                **row.groupdict(), "index": int(row["index"]), "routable": routable,
            }  # fmt: skip
            yield Typed("gid", values, number, dict.fromkeys(values, (number, line.strip())))


READER = CommandReader("show_gids", recognise, parse)
