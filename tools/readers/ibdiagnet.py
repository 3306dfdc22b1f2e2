"""`ibdiagnet`: what a check of the whole fabric found, and the counters it complains of."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_LINE = compile_late(r"-(?P<kind>[EWI])- (?P<text>.*)")
_FABRIC = compile_late(
    rb"ibdiagnet|lid=0x|Subnet Manager|SM Info|FW Check|[Pp]orts? counters|Fabric"
)
_PORT = compile_late(
    r"lid=0x(?P<lid>[0-9a-f]{4}) dev=\d+ (?P<name>\S+?)(?:/[PU](?P<port>\d+))?\s*$"
)
_PAIR = compile_late(r"\s*([a-z]\w{2,60}) {0,60}: (\d{1,20})\b")
_SEVERITY = {"E": "error", "W": "warning"}
_ENOUGH = 3


def recognise(head: bytes) -> float:
    """Count lines of its kind in what speaks of a fabric."""
    start = head[:16384]
    marked = sum(1 for line in start.split(b"\n") if line[:4] in {b"-E- ", b"-W- ", b"-I- "})
    return 0.94 if marked >= _ENOUGH and _FABRIC.search(start) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read what it complains of, and the counters below a port's line."""
    values: dict[str, Value] = {}
    start = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        if match := _LINE.match(line):
            if values:
                yield Typed("ib_counters", values, start)
            values = {}
            if port := _PORT.search(match["text"]):
                start = number
                values = {"lid": str(int(port["lid"], 16)), "name": port["name"]}
                values |= {"port": port["port"]} if port["port"] else {}
            elif match["kind"] in _SEVERITY:
                told = {"severity": _SEVERITY[match["kind"]], "text": match["text"].strip()}
                yield Typed("ib_finding", {**told}, number, {"text": (number, line.strip())})
        elif values and (pair := _PAIR.match(line)):
            values[pair.group(1).lower()] = int(pair.group(2))
    if values:
        yield Typed("ib_counters", values, start)


READER = CommandReader("ibdiagnet", recognise, parse)
