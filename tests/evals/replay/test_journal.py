"""The real journalctl reads what a scenario's machines wrote."""

import json
import subprocess
from pathlib import Path

import pytest

from evals.model import Recording
from evals.replay import journal

pytestmark = pytest.mark.skipif(not journal.is_available(), reason="no systemd-journal-remote")


def test_journalctl_filters_a_replayed_journal(
    astra: tuple[Path, Recording], tmp_path: Path
) -> None:
    """Kernel lines of two hosts come back in order, with their hosts and true fields."""
    exports = [astra[0] / "journal" / f"astra-gpu-{n}.export" for n in ("07", "08")]
    folder = journal.build(exports, tmp_path / "journal")
    argv = ["journalctl", "-D", str(folder), "-q", "-o", "json", "_TRANSPORT=kernel"]
    done = subprocess.run([*argv, "--grep=nfs: server"], capture_output=True, check=True)
    entries = [json.loads(line) for line in done.stdout.splitlines()]
    assert {entry["_HOSTNAME"] for entry in entries} == {"astra-gpu-07", "astra-gpu-08"}
    stamps = [int(entry["__REALTIME_TIMESTAMP"]) for entry in entries]
    assert stamps == sorted(stamps)
    assert all(entry["SYSLOG_IDENTIFIER"] == "kernel" for entry in entries)
