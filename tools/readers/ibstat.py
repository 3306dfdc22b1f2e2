"""`ibstat`, `ibstatus` and `rdma link`: ports of the fabric."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import Value
from tools.late_patterns import compile_late

_CA = compile_late(r"^CA '([^']+)'|^Infiniband device '([^']+)' port (\d+)", re.MULTILINE)
_MODEL = compile_late(r"^\s+CA type: *(\S.*?)\s*$")
_PORT = compile_late(r"^\s*Port (\d+):")
_PAIR = compile_late(r"^\s+([A-Za-z ]+?): *(\S.*)$")
_LINK = compile_late(
    r"^(?:link )?(\S+)/(\d+) (?:\S.* )?state (\S+) physical_state (\S+)(?: netdev (\S+))?"
)
_NAMES = {
    "state": "state", "physical state": "physical_state", "phys state": "physical_state",
    "rate": "rate_gbps", "base lid": "lid", "sm lid": "sm_lid", "link layer": "link_layer",
    "link_layer": "link_layer", "port guid": "guid",
}  # fmt: skip
_WORDS = (b"hysical_state ", b"hysical state", b"phys state", b"CA type")
"""One of them stands in every output."""
_NUMBER = compile_late(r"\d+(?:\.\d+)?")
_STATE = compile_late(r"^\d+: *")


def recognise(head: bytes) -> float:
    """Look for a device's heading."""
    start = head[:8192]
    if not any(word in start for word in _WORDS):
        return 0.0
    text = start.decode("utf-8", "replace")
    ports = "hysical state" in text or "phys state" in text or "CA type" in text
    links = sum(1 for line in text.splitlines() if _LINK.match(line))
    return 0.95 if links or (_CA.search(text) and ports) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each port."""
    device, port, start = "", "", 0
    values: dict[str, Value] = {}
    model: dict[str, Value] = {}
    for number, line in enumerate(printed.text.splitlines(), 1):
        if match := _LINK.match(line):
            name, own, state, physical, netdev = match.groups()
            words = {"state": state, "physical_state": physical, "netdev": netdev}
            yield Typed("nic", {"nic": name, "port": own, **words}, number)
            continue
        head, inner = _CA.match(line), _PORT.match(line)
        if head or inner:
            if values:
                yield Typed("nic", {"nic": device, "port": port, **values}, start)
            device = (head.group(1) or head.group(2)) if head else device
            model = {} if head else model
            values, start = ({} if head else {**model}), number
            port = (inner.group(1) if inner else head.group(3) if head else "") or ""
        elif not port and (told := _MODEL.match(line)):
            model = {"model": told.group(1)}
        elif port and (pair := _PAIR.match(line)) and pair.group(1).lower() in _NAMES:
            _put(values, _NAMES[pair.group(1).lower()], pair.group(2))
    if values:
        yield Typed("nic", {"nic": device, "port": port, **values}, start)


def _put(values: dict[str, Value], name: str, text: str) -> None:
    if name == "rate_gbps":
        match = _NUMBER.match(text)
        values[name] = float(match.group()) if match else None
    else:
        values[name] = _STATE.sub("", text.strip())


READER = CommandReader("ibstat", recognise, parse)
