"""`/proc/driver/nvidia/version`: which kernel module is loaded."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_LINE = compile_late(r"^NVRM version: NVIDIA UNIX (.*?)\s+(\d+\.\d+(?:\.\d+)?)\s", re.MULTILINE)


def recognise(head: bytes) -> float:
    """Look for its first line."""
    return 0.96 if head.startswith(b"NVRM version: NVIDIA UNIX ") else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read the version and whether it is the open module."""
    if match := _LINE.search(printed.text):
        open_module = "Open" in match.group(1)
        yield Typed("nvidia_module", {"version": match.group(2), "open": open_module})


READER = CommandReader("nvidia-version", recognise, parse)
