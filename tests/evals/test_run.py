"""The product is right on every scenario, as it is and changed, with seeds drawn now."""

from pathlib import Path

import pytest

from evals import perturb
from evals.baselines import BASELINES
from evals.perturb import Perturbation
from evals.run import Case, Runner
from evals.scenarios.build import list_scenarios
from evals.score import score
from evals.truth import load_truth
from tests.assistant.handbook import shipped
from tests.evals.conftest import SEED, Shelf
from tests.seeds import draw

SEEDS = [SEED + index for index in range(20)]
SMALL = ("cgroup-oom-137", "healthy-old-noise", "xid79-pcie-prologue")


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(shipped(), tmp_path, scale=0.005, stored_queries=False)


@pytest.mark.parametrize("name", list_scenarios())
def test_the_true_root_is_first(name: str, runner: Runner) -> None:
    """Nothing forbidden, nothing unsafe, and every citation stands where it points."""
    result = runner.run(Case(name, SEED))
    assert result.miss is None, f"seed {SEED}: {result.miss}"
    assert result.scores["forbidden"] == result.scores["unsafe"] == 0


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", list_scenarios())
def test_twenty_seeds_have_the_true_root_first(name: str, runner: Runner) -> None:
    """No seed of twenty that were drawn now is missed."""
    misses = {seed: runner.run(Case(name, seed)).miss for seed in SEEDS}
    assert not {seed: why for seed, why in misses.items() if why}


@pytest.mark.parametrize("change", perturb.INVARIANT, ids=lambda change: change.name)
def test_what_must_not_matter_does_not(change: Perturbation, runner: Runner) -> None:
    """Names, a clock, a zone, noise, old faults, file names and the report change no root."""
    name = SMALL[draw(1, "scenario")[0] % len(SMALL)]
    result = runner.run(Case(name, SEED, change))
    assert result.miss is None, f"{name} seed {SEED}: {result.miss}"


@pytest.mark.parametrize("change", perturb.HIDDEN, ids=lambda change: change.name)
def test_a_hidden_source_never_makes_a_fault_healthy(change: Perturbation, runner: Runner) -> None:
    """Absence of evidence is not evidence of health."""
    result = runner.run(Case("cgroup-oom-137", SEED, change))
    assert result.answer.verdict != "healthy", f"seed {SEED}"


@pytest.mark.parametrize("name", ["cgroup-oom-137", "xid79-pcie-prologue"])
def test_without_the_roots_own_lines_no_wrong_root_is_likely(name: str, runner: Runner) -> None:
    """What cannot be seen is not made up."""
    result = runner.run(Case(name, SEED, perturb.ROOT_HIDDEN))
    assert result.miss is None, f"seed {SEED}: {result.miss}"


def test_the_baselines_are_beaten(shelf: Shelf) -> None:
    """Looking up the loudest line or the Xid is right on at most half of the scenarios."""
    catalog = shipped()
    right = dict.fromkeys(BASELINES, 0)
    for name in list_scenarios():
        truth = load_truth(name, shelf.recording(name).facts)
        for label, baseline in BASELINES.items():
            right[label] += score(baseline(shelf.bundle(name), catalog), truth)["root_exact"] == 1
    assert max(right.values()) <= len(list_scenarios()) / 2, right
