"""`lsmod` and `/proc/modules`: which kernel modules are loaded."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEADER = compile_late(rb"^Module +Size +Used by *$", re.MULTILINE)
_ROW = compile_late(r"^([\w-]+) +(\d+) +(\d+)(?: |$)")
_PROC = compile_late(r"^([\w-]+) (\d+) \d+ \S+ (?:Live|Loading|Unloading) 0x[0-9a-f]+")
_PROC_HEAD = compile_late(rb"^[\w-]+ \d+ \d+ \S+ (?:Live|Loading|Unloading) 0x", re.MULTILINE)


def recognise(head: bytes) -> float:
    """Look for the heading, or for the kernel's own list."""
    return 0.95 if _HEADER.search(head[:1024]) or _PROC_HEAD.match(head) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the whole list as one thing: what is absent from it is not loaded."""
    rows = (_ROW.match(line) or _PROC.match(line) for line in printed.text.splitlines())
    loaded: dict[str, Value] = {
        row.group(1).replace("-", "_"): int(row.group(2)) for row in rows if row
    }
    if loaded:
        yield Typed("modules", {"count": len(loaded), **loaded})


READER = CommandReader("lsmod", recognise, parse)
