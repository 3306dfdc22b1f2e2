"""`chronyc tracking` and `timedatectl`: how far a host's clock is off, and its zone."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_SYSTEM = compile_late(
    r"^System time +: +(\d+(?:\.\d+)?) seconds (slow|fast) of NTP time", re.MULTILINE
)
_LAST = compile_late(r"^Last offset +: +([+-]?\d+(?:\.\d+)?) seconds", re.MULTILINE)
_ROOT = compile_late(r"^Root (delay|dispersion) +: +(\d+(?:\.\d+)?) seconds", re.MULTILINE)
_LEAP = compile_late(r"^Leap status +: +(.+)$", re.MULTILINE)
_REFERENCE = compile_late(r"^Reference ID +: +(.+)$", re.MULTILINE)
_STRATUM = compile_late(r"^Stratum +: +(\d+)", re.MULTILINE)
_ZONE = compile_late(r"^ *Time zone: (\S+) \((\S+), ([+-]\d{4})\)", re.MULTILINE)
_SHOWN = compile_late(r"^Timezone=(\S+)$", re.MULTILINE)
_SHOWN_SYNC = compile_late(r"^NTPSynchronized=(yes|no)$", re.MULTILINE)
_SYNCED = compile_late(r"^ *System clock synchronized: (yes|no)", re.MULTILINE)


def recognise(head: bytes) -> float:
    """Look for the headings of either program."""
    chrony = b"Reference ID" in head and b"System time" in head
    told = b"Local time:" in head and b"Time zone:" in head
    if not (chrony or told) and b"Timezone=" in head:
        told = _SHOWN.search(head.decode("utf-8", "replace")) is not None
    return 0.96 if chrony or told else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the offset: what the host's clock is ahead of true time by, in seconds."""
    values = {**_chrony_values(printed.text), **_zone_values(printed.text)}
    if values:
        yield Typed("chrony", values)


def _chrony_values(text: str) -> "dict[str, Value]":
    values: dict[str, Value] = {}
    if match := _SYSTEM.search(text):
        ahead = float(match.group(1)) * (1 if match.group(2) == "fast" else -1)
        values |= {"offset_s": ahead, "text": match.group(0)}
    if match := _LAST.search(text):
        values["last_offset_s"] = float(match.group(1))
    for name, number in _ROOT.findall(text):
        values[f"root_{name}_s"] = float(number)
    for key, pattern in (("leap", _LEAP), ("reference", _REFERENCE), ("stratum", _STRATUM)):
        if match := pattern.search(text):
            values[key] = match.group(1).strip()
    return values


def _zone_values(text: str) -> "dict[str, Value]":
    values: dict[str, Value] = {}
    if match := _ZONE.search(text):
        values |= {"zone": match.group(1), "utc_offset": match.group(3)}
    elif match := _SHOWN.search(text):
        values["zone"] = match.group(1)
    if match := _SYNCED.search(text) or _SHOWN_SYNC.search(text):
        values["synchronised"] = match.group(1) == "yes"
    return values


READER = CommandReader("chronyc", recognise, parse)
