"""`ibnetdiscover` and `iblinkinfo`: which adapter hangs on which port of which switch."""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_SWITCH = compile_late(
    r'^Switch\s+\d+ "S-(?P<guid>[0-9a-f]{16})"\s+# "(?P<name>[^"]*)"'
    r"|^Switch: 0x(?P<guid2>[0-9a-f]{1,16}) (?P<name2>.*?):?\s*$"
)
_ADAPTER = compile_late(r'^Ca\s+\d+ "H-|^CA: .+')
_PORT = compile_late(
    r'^\[(?P<port>\d+)\]\s+"H-[0-9a-f]{16}"\[\d+\](?:\([0-9a-f]+\))?\s+# "(?P<who>[^"]+)"'
    r'|^(?:0x(?P<guid>[0-9a-f]{1,16}) +"(?P<name>[^"]*)")?\s*\d+ +(?P<port2>\d+)\[ *[^\]]*\] '
    r'==\(.*?\)==> +(?:0x[0-9a-f]+ +)?\d+ +\d+\[ *[^\]]*\] "(?P<who2>[^"]+)"'
)
_HOST = compile_late(r"(?P<host>[A-Za-z0-9][\w.-]*) (?P<nic>[\w-]+)")
_MANAGED = compile_late(r"MF0;(?P<name>[\w.-]+):")
_OWN_NAME = compile_late(r"[\w.-]+")
_UNNAMED = compile_late(r"HCA-\d+")
"""How an adapter calls itself that nobody named: the number is no device's."""


def recognise(head: bytes) -> float:
    """Look for a switch or adapter with the port behind it."""
    start = head[:16384]
    if b"==>" not in start and b'"H-' not in start:
        return 0.0
    lines = start.decode("utf-8", "replace").splitlines()
    return 0.95 if any(_PORT.match(line.strip()) for line in lines) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Yield the links between a switch and a host; an adapter's own view tells nothing more."""
    switch = ""
    for number, raw in enumerate(printed.text.splitlines(), 1):
        line = raw.strip()
        if head := _SWITCH.match(line):
            switch = _called(head["guid"] or head["guid2"], head["name"] or head["name2"])
        elif _ADAPTER.match(line):
            switch = ""
        elif found := _PORT.match(line):
            own = _called(found["guid"], found["name"]) if found["guid"] else switch
            host = _HOST.fullmatch((found["who"] or found["who2"]).strip())
            if own and host:
                nic = "" if _UNNAMED.fullmatch(host["nic"]) else host["nic"]
                port = found["port"] or found["port2"]
                values = {"host": host["host"], "nic": nic, "switch": own, "port": port}
                yield Typed("fabric_link", {**values}, number)


def _called(guid: str, name: str) -> str:
    """Name a switch as its administrator did; a maker's name is that of many."""
    managed = _MANAGED.match(name.strip())
    if managed:
        return managed["name"]
    own = name.strip()
    return own if _OWN_NAME.fullmatch(own) else f"0x{guid.zfill(16)}"


READER = CommandReader("fabric-links", recognise, parse)
