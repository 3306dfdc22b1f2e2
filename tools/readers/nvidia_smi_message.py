"""What `nvidia-smi` prints instead of a table: that it reaches no driver, or not this GPU."""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_MESSAGE = compile_late(
    rb"Unable to determine the device handle for |NVIDIA-SMI has failed because "
    rb"|Failed to initialize NVML: |No devices were found"
)
_MOST_LINES = 12


def recognise(head: bytes) -> float:
    """Tell whether a text begins with such a message and is no longer than one; a log is."""
    lines = [line for line in head.splitlines() if line.strip()]
    said = bool(lines) and len(lines) <= _MOST_LINES and _MESSAGE.match(lines[0])
    return 0.94 if said else 0.0


def parse(printed: Printed) -> Iterator[Typed]:  # noqa: ARG001  # its words say all
    """Type nothing."""
    yield from ()


READER = CommandReader("nvidia-smi-message", recognise, parse, source="nvml")
