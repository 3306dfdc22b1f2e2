"""`dpkg-query -W` and `rpm -qa`: versions of the software for GPUs and fabric."""

from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_DEB = compile_late(r"^([a-z0-9][a-z0-9+.\-]+(?::\w+)?)\t(\S*)$")
_RPM = compile_late(
    r"^([A-Za-z0-9][\w+.\-]*?)-((?:\d+:)?\d[\w.+~^]*)-([\w.+~^]+)\.(?:x86_64|aarch64|noarch)\b"
)
_MATTERS = compile_late(r"(?i)nvidia|cuda|fabric-?manager|dcgm|nccl|mlnx|ofed|nvlsm")
_UPSTREAM = compile_late(r"^(?:\d+:)?(\d[\d.]*\d)")
_FEW = 3


def recognise(head: bytes) -> float:
    """Tell how many of the first lines are a package with its version."""
    lines = [line for line in head[:8192].decode("utf-8", "replace").splitlines()[:40] if line]
    if len(lines) > 1 and not head.endswith(b"\n"):
        lines.pop()
    found = sum(1 for line in lines if _DEB.match(line) or _RPM.match(line))
    return 0.93 if lines and found == len(lines) and (found >= _FEW or _names_gpu(lines)) else 0.0


def _names_gpu(lines: list[str]) -> bool:
    return any(_MATTERS.search(line) for line in lines)


def parse(printed: Printed) -> Iterator[Typed]:
    """Read what matters to GPUs, and once how many packages the list holds."""
    count = 0
    for number, line in enumerate(printed.text.splitlines(), 1):
        match = _DEB.match(line) or _RPM.match(line)
        if match is None:
            continue
        name, version = match.group(1).partition(":")[0], match.group(2)
        upstream = _UPSTREAM.match(version)
        count += 1
        if _MATTERS.search(name) and upstream:  # a removed package is listed without a version
            values = {"name": name, "version": version, "upstream": upstream.group(1)}
            yield Typed("package", {**values}, number)
    yield Typed("package_list", {"count": count})


READER = CommandReader("installed-packages", recognise, parse)
