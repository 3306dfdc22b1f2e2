"""`nvidia-smi -L`: the GPUs that the driver lists, one a line, with MIG devices below them."""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_GPU = compile_late(r"^GPU (\d+): (\S.*?) \(UUID: (GPU-[0-9a-f-]+)\)\s*$")
_MIG = compile_late(r"^ +MIG \S+ +Device +\d+: \(UUID: MIG-\S+\)\s*$")

_WITHIN = {"exec", "run", "srun"}
"""Words of a command that looks from within a container, a pod or a job."""


def recognise(head: bytes) -> float:
    """Look for nothing but such lines, the last one of the head perhaps cut short."""
    lines = [line for line in head[:65536].decode("utf-8", "replace").splitlines() if line.strip()]
    whole = lines[:-1] or lines
    listed = all(_GPU.match(line) or _MIG.match(line) for line in whole)
    return 0.95 if whole and listed and _GPU.match(lines[0]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each GPU, and how many the host has; a container may have been given only some."""
    count = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        if match := _GPU.match(line):
            count += 1
            index, name, uuid = match.groups()
            yield Typed("gpu", {"index": int(index), "name": name, "uuid": uuid}, number)
    if not _WITHIN & set(printed.command.split()):
        yield Typed("gpu_host", {"gpu_count": count}, 1)


READER = CommandReader("nvidia-smi-list", recognise, parse)
