"""What only time shows: many processes over one folder, killed at any moment."""

import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from knowledge.search.folder import ABSENT, DAMAGED
from tests.knowledge.search.soak_worker import THERE, ask, close, open_version, versions

SECONDS = 60
PROCESSES = 4
MOST_PAUSE_S = 0.5
"""A process that says nothing for so long, at most, is killed: in the midst of whatever it does."""
MOST_FILES = 12
"""Two versions with their locks, turns and what is being built or is worn, and the vectors."""


@pytest.mark.soak
@pytest.mark.timeout(SECONDS * 5)
def test_four_processes_share_one_index_through_kills_and_rebuilds(tmp_path: Path) -> None:
    """No error, no wrong result, and nothing piles up."""
    root, said = tmp_path / "shared", tmp_path / "said"
    said.mkdir()
    expected = json.dumps(
        {name: _ask_alone(tmp_path / name, name) for name in versions()}, ensure_ascii=False
    )
    counts = list(_run(root, said, expected))

    rounds = Counter(line for each in said.glob("*.out") for line in each.read_text().splitlines())
    assert set(rounds) == {THERE, ABSENT, DAMAGED}, rounds
    assert {each.read_text("utf-8") for each in said.glob("*.err")} == {""}
    assert rounds.total() > 2 * PROCESSES
    assert max(counts) <= MOST_FILES

    close(open_version(root, versions()["short"]))
    assert len(list(root.iterdir())) <= MOST_FILES // 2


def _ask_alone(root: Path, name: str) -> object:
    opened = open_version(root, versions()[name])
    found = ask(opened)
    close(opened)
    return found


@dataclass(frozen=True)
class _Life:
    """A process that lives until a pause between its words is too long for it."""

    process: "subprocess.Popen[bytes]"
    said: Path
    rest_s: float

    def is_over(self, now: float) -> bool:
        """Tell whether to kill it."""
        heard = self.said.with_suffix(".out").stat()
        return heard.st_size > 0 and now - heard.st_ctime > self.rest_s

    def kill(self) -> None:
        """End it without notice; by itself it never ends."""
        assert self.process.poll() is None, self.said.with_suffix(".err").read_text()
        self.process.kill()
        self.process.wait()


def _run(root: Path, said: Path, expected: str) -> Iterator[int]:
    """Keep the processes running, each for a life of its own length; yield how many files lie."""
    rng = random.Random(7)  # noqa: S311 -- no secret
    number, until = 0, time.monotonic() + SECONDS
    lives: list[_Life] = []
    while time.monotonic() < until:
        while len(lives) < PROCESSES:
            number += 1
            process = _start(root, said / str(number), expected, number)
            lives.append(_Life(process, said / str(number), rng.uniform(0, MOST_PAUSE_S)))
        for life in [life for life in lives if life.is_over(time.time())]:
            life.kill()
            lives.remove(life)
        yield len(list(root.glob("*")))
        time.sleep(0.02)
    for life in lives:
        life.kill()


def _start(root: Path, said: Path, expected: str, seed: int) -> "subprocess.Popen[bytes]":
    module = "tests.knowledge.search.soak_worker"
    argv = [sys.executable, "-m", module, str(root), expected, str(seed)]
    with said.with_suffix(".out").open("wb") as out, said.with_suffix(".err").open("wb") as err:
        return subprocess.Popen(argv, stdout=out, stderr=err)
