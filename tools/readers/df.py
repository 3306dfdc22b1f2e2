"""`df -h`, `df -i`, `df -P`, `df -T`: how full file systems are."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEADER = compile_late(rb"^Filesystem +(?:Type +)?(?:\S+[ -])+.*Mounted on", re.MULTILINE)
_ROW = compile_late(
    r"^(\S+)(?:\s+([a-z][\w.]*))?\s+([\d.]+[KMGTPE]?i?|-)\s+([\d.]+[KMGTPE]?i?|-)"
    r"\s+(-?[\d.]+[KMGTPE]?i?|-)\s+(\d+%|-)\s+(/.*)$"
)
_HALF = compile_late(r"/\S+$|[\w.-]+:/\S*$|\s{2,}[\d.]+[KMGTPE]?i?\s.*%\s+/\S*$")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50, "E": 1 << 60}


def is_row(line: str) -> bool:
    """Tell whether a line stands in the table, alone or as half of a row that was wrapped."""
    return _ROW.match(line) is not None or _HALF.match(line) is not None


def recognise(head: bytes) -> float:
    """Look for the heading."""
    return 0.95 if _HEADER.search(head[:4096]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each row; a long device name that wraps is joined with its numbers."""
    text = re.sub(r"^(\S+)\n +", r"\1 ", printed.text, flags=re.MULTILINE)
    heading = text.split("\n", 1)[0]
    inodes = "Inodes" in text[:400]
    block = 1024 if re.search(r"1K-blocks|1024-blocks", heading) else 1
    for number, line in enumerate(text.splitlines(), 1):
        if match := _ROW.match(line):
            source, fstype, total, used, free, share, target = match.groups()
            values: dict[str, Value] = {
                "source": source, "target": target, "path": target, "fstype": fstype,
                "use_percent": int(share[:-1]) if share != "-" else None, "inodes": inodes,
            }  # fmt: skip
            names = ("inodes_total", "inodes_used", "inodes_free") if inodes else (
                "size_bytes", "used_bytes", "avail_bytes"
            )  # fmt: skip
            sizes = (_size(part, 1 if inodes else block) for part in (total, used, free))
            values |= dict(zip(names, sizes, strict=True))
            yield Typed("filesystem", values, number, dict.fromkeys(values, (number, line)))


def _size(text: str, block: int) -> int | None:
    if text == "-":
        return None
    unit = text.rstrip("i").lstrip("-.0123456789")
    try:
        number = float(text.rstrip("i").removesuffix(unit))
    except ValueError:
        return None
    return int(number * (_UNITS.get(unit, 1) if unit else block))


READER = CommandReader("df", recognise, parse)
