"""Logs of several works that nobody names, side by side and one after the other."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.burst import STEP_S
from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.pace import find_course, find_stalls
from tests.assistant.diagnosis.outage import PROGRESS
from tests.assistant.diagnosis.world import event
from tests.assistant.handbook import shipped

T = datetime(2025, 10, 11, tzinfo=UTC)


def _log(begin: int, end: int, text: Callable[[int], str]) -> str:
    """Write a line a minute."""
    moments = ((n, (T + timedelta(minutes=n)).isoformat()) for n in range(begin, end))
    return "".join(f"{at} {text(n)}\n" for n, at in moments)


def _diagnose(folder: Path, **logs: str) -> Diagnosis:
    kernel = 'gpu-1 kernel: audit: type=1400 audit(1.0:1): apparmor="STATUS"'
    (folder / "gpu-1.log").write_text(_log(0, 120, lambda _: kernel))
    for name, text in logs.items():
        (folder / f"{name}.log").write_text(text)
    found = investigate([folder], Incident(), shipped(), now=T + timedelta(days=1)).diagnosis
    assert found is not None
    return found


def _steps(loss: float, begin: int = 0, end: int = 120) -> str:
    return _log(begin, end, lambda n: f"INFO step {n * 10} loss {loss}")


ODD = {
    "loss rose": _log(0, 120, lambda n: f"INFO step {n * 10} loss {2.0 if n < 60 else 40.0}"),
    "stood still": _log(0, 120, lambda n: f"INFO step {min(n, 59) * 10} loss 2.0"),
}


@pytest.mark.parametrize("what", ODD)
def test_a_log_that_goes_well_does_not_hide_another(tmp_path: Path, what: str) -> None:
    """Without a name of a job in it each file of one time is a work of its own."""
    found = _diagnose(
        tmp_path, a=_log(0, 120, lambda n: f"INFO step {9000 + n} loss 0.5"), b=ODD[what]
    )
    assert found.verdict == "inconclusive"
    assert any(what in row.what.en for row in found.missing_information)


def test_the_loss_of_one_log_is_no_measure_for_another(tmp_path: Path) -> None:
    """One job is ahead of another that began later."""
    found = _diagnose(tmp_path, a=_steps(0.5), b=_steps(6.0, begin=40))
    assert found.verdict == "healthy"


def test_a_log_that_ceases_beside_one_that_goes_on_is_asked_about(tmp_path: Path) -> None:
    """Nobody saw that it ended well."""
    found = _diagnose(tmp_path, a=_steps(0.5, end=60), b=_steps(6.0))
    assert not any("loss rose" in row.what.en for row in found.missing_information)
    assert any("ceased" in row.what.en for row in found.missing_information)


@pytest.mark.parametrize(("loss", "verdict"), [(2.0, "healthy"), (40.0, "inconclusive")])
def test_a_rotated_log_is_one_work(tmp_path: Path, loss: float, verdict: str) -> None:
    """The file that begins where another ends is its continuation, beside a second such pair."""
    found = _diagnose(
        tmp_path,
        a1=_log(0, 50, lambda n: f"INFO step {9000 + n} loss 0.5"),
        a2=_log(50, 120, lambda n: f"INFO step {9000 + n} loss 0.5"),
        b1=_steps(2.0, end=50),
        b2=_steps(loss, begin=50),
    )
    assert found.verdict == verdict


class Looked(dict[int, int]):
    """Steps that count how often somebody goes through them."""

    looks = 0

    def __iter__(self) -> Iterator[int]:
        """Go through them once more."""
        self.looks += 1
        return super().__iter__()


@pytest.mark.parametrize("many", [4, 400])
def test_no_process_is_compared_with_each_other_one(many: int) -> None:
    """A host restarts its workers thousands of times; each is looked at as often as of few."""
    numbers = {("gpu-1", f"train[{n}]"): Looked({n: n, n + 1: n + 1}) for n in range(many)}
    assert not find_stalls(numbers)
    assert max(steps.looks for steps in numbers.values()) <= 12


def test_of_many_processes_the_one_without_an_heir_is_told() -> None:
    """One program's restarts are no heirs of another's."""
    numbers = {("gpu-1", f"train[{n}]"): {n: n, n + 1: n + 1} for n in range(40)}
    numbers["gpu-1", "tune[7]"] = {3: 3, 4: 4}
    (found,) = find_stalls(numbers)
    assert (found.since.timestamp(), found.until.timestamp()) == (5 * STEP_S, 41 * STEP_S)


@pytest.mark.parametrize(("kind", "stalls"), [("pod", 0), ("node", 1)])
def test_two_captures_of_one_pod_are_one_work(kind: str, stalls: int) -> None:
    """The earlier one ends before the later does; on a host they may be two jobs' logs."""
    steps = {("[E1]", n): n for n in range(4)} | {("[E2]", n): n for n in range(12)}
    work = event("a", PROGRESS, 0, node="", anchors=[(kind, "a/b")], steps=steps)
    assert len(find_course([work], {PROGRESS.id}).stalls) == stalls
