"""A small part of a corpus to ship: of each shape of line the first ones, names made neutral."""

import platform
import re
import socket
import sys
from collections import Counter
from pathlib import Path

import zstandard

EACH = 3
"""Lines kept of one shape."""
_MOST = 2200
"""Lines kept of one file."""
_UNSHIPPED = frozenset({"chromium", "dpkg"})
"""One prints the keys that its packagers built in, the other lists what this machine has."""
_VARIABLE = re.compile(r"0x[0-9a-f]+|[0-9a-f]*\d[0-9a-f]*")
_PLACES = re.compile(r"[\w./]*/firstfault-benign-\w+")
_MOUNT = re.compile(r"(?<![\w/])/(?:mnt|media|run/media)/[\w./-]+")
_HOME = str(Path(sys.prefix))


def choose(text: str) -> list[str]:
    """Return the first lines of each shape, in their order; numbers do not make a shape."""
    seen: Counter[str] = Counter()
    chosen = []
    for line in text.splitlines():
        shape = _VARIABLE.sub("#", line)
        seen[shape] += 1
        if line.strip() and seen[shape] <= EACH:
            chosen.append(neutral(line))
    return chosen[:_MOST]


def neutral(line: str) -> str:
    """Name this machine and its folders as any other would be."""
    line = _PLACES.sub("/srv/rig", line).replace(_HOME, "/srv/venv")
    line = _MOUNT.sub("/mnt/data", line).replace(platform.release(), "6.1.0-18-amd64")
    return re.sub(rf"(?<![\w.-]){re.escape(socket.gethostname())}(?![\w.-])", "gpu-n01", line)


def pack(corpus: Path, out: Path) -> dict[str, int]:
    """Write the sample of a corpus, a compressed file per log; return lines by file."""
    out.mkdir(parents=True, exist_ok=True)
    counts = {}
    for log in sorted(corpus.glob("*/*.log")):
        if log.parent.name in _UNSHIPPED:
            continue
        lines = choose(log.read_bytes().decode("utf-8", "replace"))
        name = f"{log.parent.name}.{log.stem}.log.zst"
        packer = zstandard.ZstdCompressor(level=19)
        (out / name).write_bytes(packer.compress("".join(f"{line}\n" for line in lines).encode()))
        counts[name] = len(lines)
    return counts


def unpack(sample: Path, out: Path) -> int:
    """Lay a sample out as a corpus; return its lines."""
    total = 0
    for packed in sorted(sample.glob("*.log.zst")):
        component, log = packed.name.removesuffix(".log.zst").split(".", 1)
        data = zstandard.ZstdDecompressor().decompress(packed.read_bytes())
        (out / component).mkdir(parents=True, exist_ok=True)
        (out / component / f"{log}.log").write_bytes(data)
        total += data.count(b"\n")
    return total
