"""Work whose own lines say that it became slower."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.tempo import read_loss, read_tempo
from tests.assistant.handbook import shipped

T = datetime(2025, 10, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        (" iteration 1200/ 5000 | elapsed time per iteration (ms): 5123.4 | lm loss: 2.3", 5.1234),
        ("step=1200 loss=2.31 step_time=1.5s", 1.5),
        ("step 1200 loss 2.31 step time: 830 ms", 0.83),
        ("step=1200 loss=2.31 tokens/s=41,250", 1 / 41250),
        ("{'loss': 2.3, 'samples_per_sec': 8.0}", 1 / 8),
        ("step 1200 loss 2.31 4.0 it/s", 1 / 4),
        ("step 1200 loss 2.31 lr 3e-4", None),
        ("step=0 loss=2.31 tokens/s=0", None),
        pytest.param(f"step=0 loss=2.31 tokens/s={'9' * 320}", None, id="a rate beyond numbers"),
        pytest.param(f"step=0 loss=2.31 tokens/s={'9' * 300}", None, id="a rate that cannot be"),
        pytest.param(f"step=0 step_time={'9' * 320}s", None, id="a time beyond numbers"),
    ],
)
def test_a_line_tells_its_speed(text: str, cost: float | None) -> None:
    """As the time that a step took, or as a rate."""
    found = read_tempo(text)
    assert (found and round(found.cost, 8)) == (cost and round(cost, 8))


def _diagnose(folder: Path, tail: Callable[[int], str]) -> Diagnosis:
    """Diagnose forty minutes of a job, a line each half minute, too short to know its pace."""
    stamps = [(n, (T + timedelta(seconds=30 * n)).isoformat()) for n in range(81)]
    quiet = 'kernel: audit: type=1400 audit(1.0:1): apparmor="STATUS"'
    (folder / "gpu-1.log").write_text("".join(f"{at} gpu-1 {quiet}\n" for _, at in stamps))
    lines = [f"{at} gpu-1 step {n} loss 2.8 {tail(n)}\n" for n, at in stamps]
    (folder / "job.log").write_text("".join(lines))
    found = investigate([folder], Incident(), shipped(), now=T + timedelta(days=1)).diagnosis
    assert found is not None
    return found


@pytest.mark.parametrize("tail", ["step_time={:.1f}s", "tokens/s={:.0f}"])
def test_steps_that_say_they_became_several_times_slower_are_not_healthy(
    tmp_path: Path, tail: str
) -> None:
    """Their numbers rise as evenly as before: what became slower is asked about."""
    slower = 5.0 if "time" in tail else 0.2
    found = _diagnose(tmp_path, lambda n: tail.format(100 * (slower if n > 40 else 1.0)))
    assert found.verdict == "inconclusive"
    assert any("usual pace" in row.what.en for row in found.missing_information)


@pytest.mark.parametrize(
    "cost",
    [
        pytest.param(lambda n: 3.0 if n % 20 == 0 else 0.3, id="checkpoints"),
        pytest.param(lambda n: 4.0 if n < 15 else 0.3, id="warming up"),
        pytest.param(lambda n: 0.3 + n * 0.005, id="twice as slow"),
    ],
)
def test_steps_that_merely_vary_are_healthy(tmp_path: Path, cost: Callable[[int], float]) -> None:
    """Nor is a job ill that was slow at its start."""
    assert _diagnose(tmp_path, lambda n: f"step_time={cost(n):.2f}s").verdict == "healthy"


@pytest.mark.parametrize(
    ("text", "loss"),
    [
        ("step 1200 loss 2.31 lr 3e-4", 2.31),
        ("step=1200 loss=62.1 tokens/s=41,250", 62.1),
        ("{'loss': 2.3, 'grad_norm': 1.1, 'epoch': 0.1}", 2.3),
        (" iteration 1200/ 5000 | lm loss: 2.311E+00 | loss scale: 1.0 |", 2.311),
        ("step 1200 loss scale 65536.0", None),
        ("step 1200 val_loss=9.1", None),
        ("eval-loss: 9.1", None),
        ("step 1200 packet loss: high", None),
        ("step 1200 packet loss 30 ok", None),
        ("step 1200 val loss: 8.5", None),
        ("step 1200 validation loss = 8.5", None),
        ("step 1200 eval/loss: 8.5 loss: 2.31", 2.31),
        ("step 1200 aux_loss 0.01, val  loss 8.5, train loss 2.31", 2.31),
        ("step 1200 evaluation loss: 8.5", None),
        pytest.param(f"step 1200 loss {'9' * 320}", None, id="beyond numbers"),
    ],
)
def test_a_line_tells_its_loss(text: str, loss: float | None) -> None:
    """That of a step of training; a loss scale and the loss of validation are other numbers."""
    found = read_loss(text)
    assert (found and found.cost) == loss


def _learning(folder: Path, loss: Callable[[int], float]) -> Diagnosis:
    """Diagnose forty minutes of a job that prints its loss."""
    stamps = [(n, (T + timedelta(seconds=30 * n)).isoformat()) for n in range(81)]
    quiet = 'kernel: audit: type=1400 audit(1.0:1): apparmor="STATUS"'
    (folder / "gpu-1.log").write_text("".join(f"{at} gpu-1 {quiet}\n" for _, at in stamps))
    lines = [f"{at} gpu-1 step {n} loss {loss(n):.3f}\n" for n, at in stamps]
    (folder / "job.log").write_text("".join(lines))
    found = investigate([folder], Incident(), shipped(), now=T + timedelta(days=1)).diagnosis
    assert found is not None
    return found


def test_a_loss_that_rises_and_stays_is_not_healthy(tmp_path: Path) -> None:
    """Steps come as before, but nothing is learnt any more."""
    found = _learning(tmp_path, lambda n: 3.0 if n < 40 else 3.0 + (n - 40) * 1.5)
    assert found.verdict == "inconclusive"
    assert any("loss rose" in row.what.en for row in found.missing_information)


@pytest.mark.parametrize(
    "loss",
    [
        lambda n: 3.0 - n * 0.02,
        lambda n: 62.0 if 40 <= n < 55 else 3.0,
        lambda n: 0.02 if n < 40 else 0.5,
        lambda n: 40.0 if n % 3 else 3.0,
    ],
    ids=["falls", "a peak that passes", "a small loss wavers", "leaps about"],
)
def test_a_loss_that_falls_or_comes_back_is_healthy(
    tmp_path: Path, loss: Callable[[int], float]
) -> None:
    """Training wavers; what it had come down to is reached again."""
    assert _learning(tmp_path, loss).verdict == "healthy"
