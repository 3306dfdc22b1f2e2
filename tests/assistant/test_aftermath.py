"""What logs that go on after a fault say of how it stands, and of the urgency."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped
from tools.evidence import Window

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


@pytest.mark.parametrize("works", [True, False])
def test_what_is_over_while_work_goes_on_asks_only_to_be_verified(
    tmp_path: Path, *, works: bool
) -> None:
    """Nothing is to be stopped for it, and it is less urgent, as the rule says; else as before."""
    step = {3000: "train[1]: step 10 loss 1.0"} if works else {}
    found = _read(tmp_path, step | {
        605: "kernel: nfs: server nfs01.lab not responding, still trying",
        625: "kernel: nfs: server nfs01.lab OK",
    })  # fmt: skip
    assert found.diagnosis is not None
    assert found.priority is not None
    told = " ".join(row.text.en for row in found.diagnosis.contain_now)
    assert ("verify" in told, "Stop sending" in told) == (works, not works)
    assert found.priority.level == ("P2" if works else "P1")
    assert ("over" in found.priority.rule.en) == works


XID_79 = "kernel: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus."
ENDED = {1810: "kernel: Linux version 5.15.0-113-generic (buildd@x)"}
DOWN = {1800: "systemd-logind[880]: System is rebooting."}


@pytest.mark.parametrize(
    ("odd", "state"),
    [
        ({3000: "train[1]: step 10 loss 1.0", 1200: XID_79}, "ongoing"),
        ({3590: XID_79}, "ongoing"),
        ({3400: DOWN[1800], 3440: ENDED[1810]}, "recovered"),
        ({3535: DOWN[1800]}, "ongoing"),
        ({3000: "train[1]: step 10 loss 1.0", 1200: XID_79} | DOWN | ENDED, "recovered"),
        ({
            3500: "slurmctld[9]: _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=4411 uid 5011",
            3501: "slurmctld[9]: _job_complete: JobId=4411 WTERMSIG 15",
        }, "recovered"),
        ({
            3000: "kernel: mlx5_core 0000:17:00.0 ibs1: Link down",
            3002: "kernel: mlx5_core 0000:17:00.0 ibs1: Link up",
        }, "recovered"),
    ],
    ids=["card lost", "just lost", "booted", "going down", "card back", "cancelled", "link back"],
)  # fmt: skip
def test_the_state_is_that_of_what_was_hurt(
    tmp_path: Path, odd: dict[int, str], state: str
) -> None:
    """A card is back after a boot, a boot is over once the host is heard, an order once done."""
    found = _read(tmp_path, odd)
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == state


def test_work_on_another_host_is_no_recovery(tmp_path: Path) -> None:
    """That a neighbour goes on tells nothing of a card that is gone."""
    (tmp_path / "n2").write_text("2025-06-20T02:59:58+00:00 n2 train[1]: step 10 loss 1.0\n")
    _read(tmp_path, {3590: XID_79})
    found = investigate([tmp_path / "syslog", tmp_path / "n2"], Incident(), shipped())
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == "ongoing"


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


def test_the_state_is_not_of_a_time_after_the_one_asked_about(tmp_path: Path) -> None:
    """A server that is away at the end of the window is away, though it came back later."""
    _read(tmp_path, {
        605: "kernel: nfs: server nfs01.lab not responding, still trying",
        1640: "kernel: nfs: server nfs01.lab OK",
    })  # fmt: skip
    until = BEGIN + timedelta(minutes=15)
    asked = Incident(window=Window(since=BEGIN, until=until))
    found = investigate([tmp_path / "syslog"], asked, shipped())
    assert found.diagnosis is not None
    assert (found.diagnosis.state.now, found.diagnosis.state.as_of) == ("ongoing", until)
