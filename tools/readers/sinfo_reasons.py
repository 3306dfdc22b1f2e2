"""`sinfo -R`: which nodes Slurm does not use, why, since when and by whom."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.host_lists import expand_hosts
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^REASON +USER(?:\(UID\))? +TIMESTAMP +(?:STATE +)?NODELIST", re.MULTILINE)
_ROW = compile_late(
    r"^(?P<reason>\S.*?) +(?P<user>[\w.()+-]+) +(?P<since>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|Unknown) +"
    r"(?:(?P<state>[a-z*~#!%$@^+-]+) +)?(?P<nodes>[\w.\[\],-]+)\s*$"
)
_WIDEST = 4096


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def is_line(line: str) -> bool:
    """Tell whether a line is the heading or a row."""
    return bool(_HEAD.match(line.encode()) or (len(line) < _WIDEST and _ROW.match(line)))


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each row, once for each of its nodes."""
    for number, line in enumerate(printed.text.splitlines(), 1):
        row = _ROW.match(line) if len(line) < _WIDEST else None
        if row is None:
            continue
        said: dict[str, Value] = {name: part for name, part in row.groupdict().items() if part}
        said.pop("nodes")
        at = printed.dating.iso(row["since"])
        if at and at.zone != "unknown":
            said["since"] = at.utc.isoformat()
        quotes = dict.fromkeys(said, (number, line.strip()))
        for node in expand_hosts(row["nodes"]):
            yield Typed("slurm_node", {"host": node, "node": node, **said}, number, quotes)


READER = CommandReader("sinfo-reasons", recognise, parse)
