"""What would say why is truly missing, whatever is added later, and all else is there."""

from pathlib import Path

import pytest

from evals import perturb
from evals.bench.gates import Gates
from evals.bundle_edit import read_lines
from evals.command import list_variants
from evals.model import Recording, open_stream, read_epoch
from evals.scenarios.evidence_missing import spec
from evals.truth import load_truth
from evals.writers import bundle
from tests.assistant.handbook import shipped

SEEDS = range(8)


@pytest.fixture(scope="module")
def stories() -> list[Recording]:
    return [spec.record(seed, 0.001) for seed in SEEDS]


def test_four_kinds_of_loss_are_drawn(stories: list[Recording]) -> None:
    """The journal or the container's log, rotated away or refused."""
    kinds = {(loss.refusal != "", "journal") for story in stories for loss in story.losses.values()}
    kinds |= {
        ("Forbidden" in log.refusal, "log")
        for story in stories
        for log in story.pod_logs
        if log.refusal
    }
    assert len(kinds) == 4


def test_one_log_is_missing_and_it_is_the_one_that_decides(stories: list[Recording]) -> None:
    """Killed from outside: the kernel's. Ended by itself: its own."""
    for story in stories:
        refused = [log for log in story.pod_logs if log.refusal]
        assert len(story.losses) + len(refused) == 1
        killed = any("exitcode: -9" in text for log in story.pod_logs for _, text in log.lines)
        assert killed == bool(story.losses)
        assert {*story.losses, *(log.pod for log in refused)} == {story.facts["place"]}


def test_what_is_added_later_is_missing_as_well(
    stories: list[Recording], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More noise brings no rotated entry back."""
    monkeypatch.setattr(perturb, "BENIGN_LINES", 5_000)
    story = next(s for s in stories if s.losses)
    host = story.facts["host"]
    truth = load_truth(spec.ID, story.facts)
    perturb.add_noise(story, truth, open_stream(spec.ID, story.seed, "test"))
    death = read_epoch(story.facts["first_anomaly"])
    assert story.journal[host]
    assert all(entry.at > death + 60 for entry in story.kept(host))
    bundle.write(story, tmp_path / "b")
    line = next(e for e in read_lines(tmp_path / "b") if e["path"] == f"journal/{host}.export")
    assert line["outcome"] == ("denied" if story.losses[host].refusal else "ok")


def test_no_false_root_is_planted_where_nothing_else_is_seen(tmp_path: Path) -> None:
    """It would be the evidence that was missing; all other gates hold for it."""
    gates = Gates(shipped(), tmp_path, seeds=(1,))
    assert (spec.ID, 1) in list(gates.cases())
    assert {*gates.gates(spec.ID)} == {"noise", "hidden", "blind"}
    assert {*gates.gates("cgroup-oom-137")} == {"noise", "hidden", "blind", "decoys"}
    assert not [case for case in list_variants(spec.ID, 1, "all") if case.decoys]
