"""Work that goes on, but far slower than it did."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tools.evidence import Window

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
T = datetime(2025, 10, 11, tzinfo=UTC)
BREAKS = T + timedelta(hours=2, minutes=5)


def _kernel() -> str:
    """Write a quiet host's kernel log from one to four."""
    return "".join(
        f"{(T + timedelta(minutes=60 + 5 * n)).isoformat()} gpu-01 kernel: audit: type=1400"
        f' audit({n}): apparmor="STATUS"\n'
        for n in range(37)
    )


def _steps(step_s: Callable[[datetime], float]) -> str:
    """Write the steps of a job from half past one to half past three."""
    moment, lines = T + timedelta(minutes=90), []
    while moment < T + timedelta(minutes=210):
        lines.append(f"{moment.isoformat()} INFO step {len(lines)} loss 2.31\n")
        moment += timedelta(seconds=step_s(moment))
    return "".join(lines)


def _diagnose(folder: Path, log: str) -> Diagnosis:
    (folder / "journal").mkdir()
    (folder / "app").mkdir()
    (folder / "journal" / "gpu-01.log").write_text(_kernel())
    (folder / "app" / "train.log").write_text(log)
    window = Window(since=T + timedelta(hours=2), until=T + timedelta(hours=3))
    found = investigate([folder], Incident(window=window), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


@pytest.mark.parametrize("usual_s", [1, 10])
def test_steps_that_take_ten_times_as_long_are_not_healthy(tmp_path: Path, usual_s: int) -> None:
    """They go on, in a window that somebody asked about: what slowed them is the question."""
    slow = _steps(lambda at: usual_s if at < BREAKS else 10 * usual_s)
    found = _diagnose(tmp_path, slow)
    assert found.verdict == "inconclusive"
    assert any("usual pace" in row.what.en for row in found.missing_information)


def test_a_checkpoint_of_ten_minutes_is_no_loss_of_pace(tmp_path: Path) -> None:
    """Nor are steps that merely vary."""

    def step_s(at: datetime) -> float:
        pause = BREAKS <= at < BREAKS + timedelta(seconds=10)
        return 600 if pause else 8 + at.minute % 5

    assert _diagnose(tmp_path, _steps(step_s)).verdict == "healthy"


def _every_minute(text: Callable[[int], str], minutes: int = 120) -> str:
    moments = [(n, T + timedelta(minutes=90 + n)) for n in range(minutes)]
    return "".join(f"{moment.isoformat()} gpu-01 {text(n)}\n" for n, moment in moments)


@pytest.mark.parametrize(
    "step",
    [
        pytest.param(lambda n: min(n, 50) * 10, id="stands-still"),
        pytest.param(lambda n: 100 + n % 5 * 10, id="falls-back-in-minutes"),
        pytest.param(lambda n: 100 + n % 25 * 10, id="falls-back-in-half-hours"),
    ],
)
def test_a_number_that_does_not_rise_is_no_progress(
    tmp_path: Path, step: Callable[[int], int]
) -> None:
    """The same step again, or a restart from the same checkpoint over and over, gets nowhere."""
    found = _diagnose(tmp_path, _every_minute(lambda n: f"step {step(n)} loss 2.8"))
    assert found.verdict == "inconclusive"
    assert any("stood still" in row.what.en for row in found.missing_information)


def test_one_restart_from_a_checkpoint_is_work(tmp_path: Path) -> None:
    """What falls back once and goes on from there makes good what was lost."""
    log = _every_minute(lambda n: f"step {(n if n < 60 else n - 20) * 10} loss 2.8")
    assert _diagnose(tmp_path, log).verdict == "healthy"


def test_lines_as_frequent_as_ever_can_tell_of_few_steps(tmp_path: Path) -> None:
    """A job that prints by the clock shows its pace in the step numbers alone."""
    log = _every_minute(lambda n: f"step {n * 10 if n < 60 else 540 + n} loss 2.8")
    found = _diagnose(tmp_path, log)
    assert found.verdict == "inconclusive"
    assert any("usual pace" in row.what.en for row in found.missing_information)


def _an_hour(folder: Path, step: Callable[[int], int]) -> Diagnosis:
    """Diagnose an hour of steps that is all there is."""
    log = _every_minute(lambda n: f"train[1]: step {step(n)} loss 2.8", minutes=60)
    kernel = _every_minute(lambda n: f"kernel: EXT4-fs (sda{n}): re-mounted.", minutes=60)
    (folder / "syslog").write_text(
        "".join(sorted([*log.splitlines(True), *kernel.splitlines(True)]))
    )
    found = investigate([folder / "syslog"], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("step", "verdict"),
    [
        pytest.param(lambda n: 50 * n, "healthy", id="steady"),
        pytest.param(lambda n: 50 * min(n, 20) + 2 * n, "inconclusive", id="slower"),
        pytest.param(lambda n: 50 * n - 1490 * (n >= 30), "inconclusive", id="undone"),
        pytest.param(lambda n: 50 * n - 490 * (n >= 30), "healthy", id="done-again"),
    ],
)
def test_an_hour_is_long_enough_to_show_a_pace(
    tmp_path: Path, step: Callable[[int], int], verdict: str
) -> None:
    """A fall to a fraction of the pace, or to a number half an hour back, is no health."""
    assert _an_hour(tmp_path, step).verdict == verdict


def _two_processes(tmp_path: Path, other: Callable[[int], str]) -> Diagnosis:
    log = _every_minute(lambda n: f"trainA[5]: step {n} loss 3.0")
    return _diagnose(tmp_path, log + _every_minute(other))


def test_a_process_that_goes_on_does_not_hide_another_that_ceased(tmp_path: Path) -> None:
    """Where no job is named, each process is a work of its own."""
    found = _two_processes(
        tmp_path, lambda n: f"trainB[6]: step {n} loss 3.0" if n < 50 else "cron[9]: ok"
    )
    assert found.verdict == "inconclusive"


def test_a_process_that_another_of_its_program_follows_has_not_ceased(tmp_path: Path) -> None:
    """A restart gives a program a new number."""
    found = _two_processes(tmp_path, lambda n: f"trainB[{6 if n < 50 else 7}]: step {n} loss 3.0")
    assert found.verdict == "healthy"


def test_steps_with_an_exploded_loss_are_not_healthy(tmp_path: Path) -> None:
    """Gradients that are not finite at a loss in the thousands are no skipped step."""
    bad = "loss 81920.0 grad_norm inf"
    log = _every_minute(lambda n: f"step {n} {bad if n > 60 else 'loss 2.7 grad_norm 0.9'}")
    assert _diagnose(tmp_path, log).verdict != "healthy"


def test_one_skipped_step_of_a_loss_scaler_is_healthy(tmp_path: Path) -> None:
    """At a usual loss, gradients that overflow make it halve its scale."""
    log = _every_minute(lambda n: f"step {n} loss 2.7 grad_norm {'inf' if n == 60 else 0.9}")
    assert _diagnose(tmp_path, log).verdict == "healthy"


def test_steps_that_each_epoch_counts_anew_are_progress(tmp_path: Path) -> None:
    """Beside an epoch, a step number that falls back is no restart."""
    log = _every_minute(lambda n: f"epoch {n // 10} step {n % 10 * 50} loss 2.8")
    assert _diagnose(tmp_path, log).verdict == "healthy"
