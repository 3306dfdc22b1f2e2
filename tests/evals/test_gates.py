"""The gates of the bench: what they find is held against a bound."""

from pathlib import Path

from evals.bench.gates import BOUNDS, Gates
from tests.assistant.handbook import shipped
from tests.evals.conftest import SEED

NAME = "cgroup-oom-137"


def test_what_a_gate_counts_has_a_bound(tmp_path: Path) -> None:
    """Hidden roots and planted false ones; without a bound, it would be counted for nothing."""
    gates = Gates(shipped(), tmp_path, seeds=(SEED,)).gates(NAME)
    counted = {tick.gate for gate in ("hidden", "decoys") for tick in gates[gate](NAME, SEED)}
    assert len(counted) == 5
    assert counted < {gate for gate, *_ in BOUNDS}
