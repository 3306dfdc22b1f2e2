"""What logs that go on after a fault say of how it stands, and of the urgency."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

BEGIN = datetime(2025, 6, 20, 2, tzinfo=UTC)


def _read(tmp_path: Path, odd: dict[int, str]) -> Investigation:
    lines = {60 * minute: "systemd[1]: Started Session 7 of User ubuntu." for minute in range(60)}
    text = "".join(
        f"{BEGIN + timedelta(seconds=second):%Y-%m-%dT%H:%M:%S}+00:00 n1 {said}\n"
        for second, said in sorted((lines | odd).items())
    )
    (tmp_path / "syslog").write_text(text)
    return investigate([tmp_path / "syslog"], Incident(), shipped())


def test_a_server_that_answered_again_is_no_ongoing_fault(tmp_path: Path) -> None:
    """The log is quiet for 49 minutes after "OK", and that was read."""
    found = _read(tmp_path, {
        605: "kernel: nfs: server nfs01.lab not responding, still trying",
        640: "kernel: nfs: server nfs01.lab OK",
    })  # fmt: skip
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == "recovered"
    assert found.diagnosis.state.as_of == BEGIN + timedelta(minutes=59)


def test_a_task_that_waited_for_what_is_back_does_not_keep_the_fault_open(tmp_path: Path) -> None:
    """Nothing says that a blocked task went on; what it waited for was said to be back."""
    found = _read(tmp_path, {
        3005: "kernel: nfs: server nfs01.lab not responding, still trying",
        3125: "kernel: INFO: task python3:22331 blocked for more than 120 seconds.",
        3450: "kernel: nfs: server nfs01.lab OK",
    })  # fmt: skip
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == "recovering"


def test_a_flushed_cache_is_no_step_of_the_clock(tmp_path: Path) -> None:
    """systemd-resolved says so at every setting of the clock, and nothing of a step."""
    flushed = "systemd-resolved[812]: Clock change detected. Flushing caches."
    found = _read(tmp_path, dict.fromkeys((27, 153, 162), flushed))
    assert "clock-stepped" not in {event.page for event in found.timeline.events}
