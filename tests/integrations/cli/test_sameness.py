"""The same input reads the same twice, whatever order a set happens to have."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.kept_pages import cache_home

NFS = "kernel: nfs: server 10.0.0.10 not responding, still trying"
BLOCKED = "kernel: INFO: task python:4711 blocked for more than 120 seconds."
CODE = "from integrations.cli.main import run; run()"


def _diagnose(log: Path, seed: str) -> dict[str, object]:
    environment = {
        **os.environ,
        "PYTHONHASHSEED": seed,
        "XDG_DATA_HOME": str(log.parent / seed),
        "XDG_CACHE_HOME": str(cache_home()),
    }
    done = subprocess.run(
        [sys.executable, "-c", CODE, "diagnose", str(log), "-o", "json"],
        env=environment,
        capture_output=True,
        check=False,
    )
    document: dict[str, object] = json.loads(done.stdout)
    return {name: part for name, part in document.items() if name != "generated_at"}


def test_the_whole_answer_is_the_same(tmp_path: Path) -> None:
    """Chain, ranking and every list in them, in two processes with different hashes."""
    log = tmp_path / "nodes.log"
    lines = [
        f"2025-06-20T02:2{n % 4 + 4}:{n:02d}+00:00 gpu-{n:02d} {text}"
        for n in range(12)
        for text in (NFS, BLOCKED)
    ]
    log.write_text("\n".join(sorted(lines)) + "\n")

    first, second = _diagnose(log, "1"), _diagnose(log, "2")

    assert first["hypotheses"]
    assert first == second
