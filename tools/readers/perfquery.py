"""`perfquery`: the counters of a port, by its address in the fabric."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^# Port (?:extended )?counters: Lid \d+", re.MULTILINE)
_PORT = compile_late(r"# Port (?:extended )?counters: Lid (\d+) (?:port (\d+)|all ports)")
_PAIR = compile_late(r"\s*([A-Z]\w+):\.+(\d+)\s*$")
NAMES = {
    "SymbolErrorCounter": "symbol_error", "SymbolErrors": "symbol_error",
    "LinkErrorRecoveryCounter": "link_error_recovery", "LinkRecovers": "link_error_recovery",
    "LinkDownedCounter": "link_downed", "LinkDowned": "link_downed",
    "PortRcvErrors": "port_rcv_errors", "RcvErrors": "port_rcv_errors",
    "PortRcvRemotePhysicalErrors": "port_rcv_remote_physical_errors",
    "RcvRemotePhysErrors": "port_rcv_remote_physical_errors",
    "PortRcvSwitchRelayErrors": "port_rcv_switch_relay_errors",
    "PortXmitDiscards": "port_xmit_discards", "XmtDiscards": "port_xmit_discards",
    "PortXmitConstraintErrors": "port_xmit_constraint_errors",
    "PortRcvConstraintErrors": "port_rcv_constraint_errors",
    "LocalLinkIntegrityErrors": "local_link_integrity_errors",
    "LinkIntegrityErrors": "local_link_integrity_errors",
    "ExcessiveBufferOverrunErrors": "excessive_buffer_overrun_errors",
    "ExcBufOverrunErrors": "excessive_buffer_overrun_errors",
    "VL15Dropped": "vl15_dropped",
    "PortXmitData": "port_xmit_data", "XmtData": "port_xmit_data",
    "PortRcvData": "port_rcv_data", "RcvData": "port_rcv_data",
    "PortXmitPkts": "port_xmit_packets", "XmtPkts": "port_xmit_packets",
    "PortRcvPkts": "port_rcv_packets", "RcvPkts": "port_rcv_packets",
    "PortXmitWait": "port_xmit_wait", "XmtWait": "port_xmit_wait",
}  # fmt: skip
"""Names of the fabric's tools, and those of the same counters in the kernel."""


def recognise(head: bytes) -> float:
    """Look for a port's heading."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the counters of each port; what both of its lists count is told once."""
    ports: dict[tuple[str, str], Typed] = {}
    values: dict[str, Value] = {}
    for number, line in enumerate(printed.text.splitlines(), 1):
        if head := _PORT.match(line):
            lid, port = head.group(1), head.group(2) or "all"
            told = Typed("ib_counters", {"lid": lid, "port": port}, number)
            values = ports.setdefault((lid, port), told).values
        elif values and (pair := _PAIR.match(line)) and pair.group(1) in NAMES:
            values[NAMES[pair.group(1)]] = int(pair.group(2))
    yield from ports.values()


READER = CommandReader("perfquery", recognise, parse)
