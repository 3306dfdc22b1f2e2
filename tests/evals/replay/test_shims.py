"""Recorded commands answer in the place of a node's own programs."""

import os
import subprocess
from pathlib import Path

import pytest

from evals.bundle_edit import read_lines
from evals.model import Recording
from evals.replay.shims import install


@pytest.fixture
def node(astra: tuple[Path, Recording], tmp_path: Path) -> tuple[dict[str, str], str]:
    """Install the shims of a node whose `df` hung."""
    folder, _ = astra
    host = next(str(e["target"]) for e in read_lines(folder) if e["outcome"] == "hung")
    place = install(folder, host, tmp_path / "bin")
    return {"PATH": f"{place}:{os.environ['PATH']}"}, host


def test_a_recorded_command_prints_what_it_printed(node: tuple[dict[str, str], str]) -> None:
    """`chronyc tracking` speaks of the host's clock."""
    done = subprocess.run(
        ["chronyc", "tracking"], env=node[0], capture_output=True, text=True, check=True
    )
    assert "NTP time" in done.stdout


def test_a_recorded_hang_hangs_and_ignores_polite_signals(node: tuple[dict[str, str], str]) -> None:
    """`df -h` outlives a SIGTERM, as a process that waits for a dead server does."""
    process = subprocess.Popen(["df", "-h"], env=node[0], stdout=subprocess.DEVNULL)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.terminate()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
    finally:
        process.kill()
        process.wait()


def test_what_was_not_recorded_says_so(node: tuple[dict[str, str], str]) -> None:
    """Another argument is no recording."""
    done = subprocess.run(
        ["chronyc", "sources"], env=node[0], capture_output=True, text=True, check=False
    )
    assert done.returncode == 127
    assert "no recording" in done.stderr
