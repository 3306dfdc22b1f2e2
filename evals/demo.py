"""Builds the evidence that `firstfault demo` ships: the Astra outage, seed 1, little noise.

Run by hand after the scenario changed: ``python -m evals.demo``. Nothing of the truth goes in.
"""

import io
import sys
import tarfile
import tempfile
from pathlib import Path

import zstandard

from evals.scenarios.build import build

SCENARIO, SEED, SCALE = "astra-storage-failover", 1, 0.06
TARGET = Path(__file__).parents[1] / "integrations" / "cli" / "demo" / "astra.tar.zst"
MOST_BYTES = 3 << 20
LEVEL = 19


def pack(folder: Path) -> bytes:
    """Pack a folder so that the same files give the same bytes."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            info = tarfile.TarInfo(str(path.relative_to(folder)))
            info.size = path.stat().st_size
            with path.open("rb") as stream:
                archive.addfile(info, stream)
    return zstandard.ZstdCompressor(level=LEVEL).compress(plain.getvalue())


def build_demo(target: Path = TARGET) -> int:
    """Write the demo's bundle and return its size in bytes.

    Raises:
        ValueError: it became larger than the repository should carry.
    """
    with tempfile.TemporaryDirectory(prefix="firstfault-demo-") as scratch:
        folder = Path(scratch) / "astra"
        build(SCENARIO, SEED, folder, scale=SCALE)
        body = pack(folder)
    if len(body) > MOST_BYTES:
        raise ValueError(f"the demo's bundle has {len(body)} bytes, more than {MOST_BYTES}")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(body)
    return len(body)


if __name__ == "__main__":
    sys.stdout.write(f"{TARGET}: {build_demo()} bytes\n")
