"""Damaged evidence through the command line: an answer or a clear word, never a traceback."""

import json
import random
from pathlib import Path

import pytest

from tests.integrations.cli.conftest import Run
from tests.seeds import draw
from tests.tools.readers.samples import ALL
from tests.tools.readers.test_damaged_inputs import MUTATIONS

DONE = {0, 5}
"""Exit codes of a diagnosis that was carried out."""


def _damaged(count: int, purpose: str) -> list[tuple[str, bytes]]:
    rng = random.Random(draw(1, purpose)[0])  # noqa: S311  # repeatable by the run's seed
    names = sorted(ALL)
    return [
        (f"{number}-{mutate.__name__}", mutate(ALL[names[number % len(names)]], rng))
        for number, mutate in ((n, rng.choice(MUTATIONS)) for n in range(count))
    ]


def _diagnose_each(run: Run, home: Path, inputs: list[tuple[str, bytes]]) -> None:
    for name, data in inputs:
        path = home / name
        path.write_bytes(data)
        code, out, err = run("diagnose", str(path), "-o", "json", "--no-model")
        path.unlink()
        assert "Traceback" not in err, name
        assert code in DONE or (code == 1 and json.loads(out)["error"]["message"]), (name, code)
        assert json.loads(out).get("schema_version") or "error" in json.loads(out), name


def test_damaged_inputs_get_an_answer_or_a_clear_word(run: Run, home: Path) -> None:
    """A sample of broken files of every format: one JSON document each, exit code by contract."""
    _diagnose_each(run, home, _damaged(40, "damage"))


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_five_hundred_damaged_inputs(run: Run, home: Path) -> None:
    """The same for five hundred."""
    _diagnose_each(run, home, _damaged(500, "much damage"))
