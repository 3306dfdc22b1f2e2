"""`lspci`, plain or `-vv`: devices on the bus, links below their width, devices that are gone."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_DEVICE = compile_late(
    r"^((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ([^:]+): (.*?)(?: \(rev (\w\w)\))?"
    r"(?: \(prog-if.*)?$"
)
_LINK = compile_late(r"\s(LnkCap|LnkSta):.*?Speed ([\d.]+)GT/s.*?Width x(\d+)")
_REDIRECT = compile_late(r"\sACSCtl:.*\bReqRedir(?P<requests>[+-]).*\bCmpltRedir(?P<answers>[+-])")
"""Whether a bridge sends peer-to-peer traffic up to the host instead of across."""
_GONE = "!!! Unknown header type"


def recognise(head: bytes) -> float:
    """Tell whether the first line that says something, but for the prompt's, is a device."""
    lines = head[:4096].decode("utf-8", "replace").split("\n")
    said = [line for line in lines if line.strip() and not line.startswith("$ ")]
    return 0.93 if said and _DEVICE.match(said[0]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each device with its link."""
    values: dict[str, Value] = {}
    quotes: dict[str, tuple[int, str]] = {}
    start = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        if match := _DEVICE.match(line):
            if values:
                yield Typed("pci", values, start, quotes)
            bus, kind, name, revision = match.groups()
            start = number
            values = {
                "bdf": bus if len(bus) > 7 else f"0000:{bus}",  # noqa: PLR2004  # without domain
                "class": kind, "name": name, "revision": revision, "lost": revision == "ff",
            }  # fmt: skip
            quotes = dict.fromkeys(values, (number, line))
        elif match := _LINK.search(line):
            end = "_max" if match.group(1) == "LnkCap" else ""
            values[f"speed_gts{end}"] = float(match.group(2))
            values[f"width{end}"] = int(match.group(3))
        elif match := _REDIRECT.search(line):
            values["acs_redirect"] = "+" in match.groups()
        elif _GONE in line:
            values["lost"] = True
            quotes["lost"] = number, line.strip()
    if values:
        yield Typed("pci", values, start, quotes)


READER = CommandReader("lspci", recognise, parse)
