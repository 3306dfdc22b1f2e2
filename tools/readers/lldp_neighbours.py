"""`lldpctl` and `lldpcli show neighbors`: which switch is behind each interface of a host."""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_INTERFACE = compile_late(r"^Interface:\s+(?P<nic>[\w.-]+), via: LLDP")
_NAME = compile_late(r"^\s+SysName:\s+(?P<switch>\S+)\s*$")


def recognise(head: bytes) -> float:
    """Look for an interface and the system behind it."""
    start = head[:16384]
    return 0.95 if b", via: LLDP" in start and b"Interface:" in start else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Yield the neighbour of each interface; without the host's name it is nobody's."""
    nic = ""
    for number, line in enumerate(printed.text.splitlines(), 1):
        if found := _INTERFACE.match(line):
            nic = found["nic"]
        elif (name := _NAME.match(line)) and nic and printed.host:
            yield Typed("fabric_link", {"nic": nic, "switch": name["switch"]}, number)


READER = CommandReader("lldp-neighbours", recognise, parse)
