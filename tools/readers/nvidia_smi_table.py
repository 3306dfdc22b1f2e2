"""Plain `nvidia-smi`: the table of GPUs that everybody pastes."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.gpu_values import LOST, Value, canonical
from tools.late_patterns import compile_late
from tools.numerals import whole
from tools.readers.nvidia_smi import printed_at

_HEAD = compile_late(rb"\| NVIDIA-SMI [\d.]+ +(?:Driver Version|KMD Version)")
_DRIVER = compile_late(r"Driver Version: ([\d.]+)")
_FIRST = compile_late(
    r"^\|\s+(?P<index>\d+)\s+(?P<name>\S.*?)\s+(?P<persistence>On|Off|N/A|ERR!)\s+\|"
    r"\s+(?P<bdf>[0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d)\s+\S+\s+\|\s+(?P<ecc>[^\s|]+)"
    r"\s*\|"
)
_SECOND = compile_late(
    r"^\|\s*\S+\s+(?P<temperature>\S+?)C?\s+(?P<pstate>P\d+|N/A|ERR!)\s+(?P<power>\S+?)W?\s*/"
    r"\s*(?P<limit>\S+?)W?\s+\|\s+(?:(?P<used>\S+?)(?:MiB)?\s*/\s*(?P<total>\S+?)(?:MiB)?"
    r"|(?P<instead>[A-Za-z][^|/]*?))\s+\|\s+(?P<use>\S+?)%?\s+\S+"
)
_NUMBERS = {
    "temperature": "temperature_c", "power": "power_w", "limit": "power_limit_w",
    "used": "memory_used_mib", "total": "memory_total_mib", "use": "utilization_percent",
}  # fmt: skip
_OF_FIRST = ("index", "name", "bdf", "persistence", "ecc_volatile_uncorrectable")
_UNREAD = "ERR!"
MOSTLY = 0.6
"""Share of the lines that belong to the table."""


def recognise(head: bytes) -> float:
    """Look for the table's title; a file of which it is the lesser part is something else."""
    if not _HEAD.search(head[:4096]):
        return 0.0
    lines = [line for line in head.splitlines() if line.strip()]
    drawn = sum(1 for line in lines if line[:1] in {b"|", b"+"})
    return 0.96 if drawn >= MOSTLY * len(lines) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the two lines of each GPU."""
    driver = _DRIVER.search(printed.text)
    first: re.Match[str] | None = None
    start, observed = 0, printed.observed
    for number, line in enumerate(printed.text.splitlines(), 1):
        observed = printed_at(line, printed.dating, printed.host) or observed
        if found := _FIRST.match(line):
            start, first = number, found
        elif first and (second := _SECOND.match(line)):
            values = values_of(first, second)
            told = canonical(values, host=printed.host, driver=driver[1] if driver else "")
            head = start, first.string
            quotes = dict.fromkeys(told, (number, line)) | dict.fromkeys(_OF_FIRST, head)
            yield Typed("gpu", told, start, quotes, observed)
            first = None


def values_of(first: re.Match[str], second: re.Match[str]) -> dict[str, Value]:
    """Type a GPU's two lines; `unread` names what could not be read of a GPU that answers."""
    ecc = {"ecc_volatile_uncorrectable": first["ecc"]}
    texts = ecc | {name: second[key] or "" for key, name in _NUMBERS.items()}
    told: dict[str, Value] = {name: _number(text) for name, text in texts.items()}
    if told["ecc_volatile_uncorrectable"] is None:
        del told["ecc_volatile_uncorrectable"]
    silent = second["pstate"] == texts["temperature_c"] == _UNREAD
    return told | {
        "index": int(first["index"]), "name": first["name"], "bdf": first["bdf"],
        "persistence": first["persistence"] == "On", "pstate": second["pstate"],
        "lost": silent or LOST.search(second["instead"] or "") is not None,
        "unread": ", ".join(name for name, text in texts.items() if text == _UNREAD),
    }  # fmt: skip


def _number(text: str) -> Value:
    return whole(text)


READER = CommandReader("nvidia-smi-table", recognise, parse, source="nvml")
