"""Logs of one job share their zone, their steps bound a stall, and no stall ends by itself."""

from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

STEPS = (
    "2025-03-06 04:00:01,220 INFO train.py:88 step 15200 loss 2.1133\n"
    "2025-03-06 04:00:31,801 INFO train.py:88 step 15210 loss 2.1098\n"
)
WAITED = (
    "[rank{0}]:[E ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum=88213, OpType=ALLREDUCE, NumelIn=1342, NumelOut=1342, "
    "Timeout(ms)=600000) ran for 600027 milliseconds before timing out.\n"
    "2025-03-06 04:10:38,902 ERROR terminate called after throwing an instance\n"
)
KILLED = (
    "2025-03-06 04:00:36,411 ERROR train.py:140 uncaught exception\n"
    "Traceback (most recent call last):\n"
    '  File "/app/train.py", line 133, in main\n'
    "    loss.backward()\n"
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 2 has a total "
    "capacity of 79.15 GiB of which 1.20 GiB is free.\n"
)


@pytest.fixture(name="found")
def _found(tmp_path: Path) -> Investigation:
    """Diagnose four ranks of which one ran out of GPU memory."""
    folder = tmp_path / "train"
    folder.mkdir()
    for rank in range(4):
        end = KILLED if rank == 2 else WAITED.format(rank)
        (folder / f"rank{rank}.log").write_text(STEPS + end)
    return investigate([folder], Incident(), shipped())


def test_the_rank_that_died_is_first_though_no_zone_is_known(found: Investigation) -> None:
    """The waiting began after the last step, a time-out before it was told."""
    assert found.diagnosis is not None
    events = {event.id: event for event in found.timeline.events}
    first = events[found.diagnosis.first_anomaly]

    assert (first.page, first.entity.id) == ("cuda-out-of-memory", "train/2")
    (link,) = found.diagnosis.chain
    assert link.delay_s + link.delay_uncertainty_s < 30.0


def test_a_wait_is_no_older_than_the_last_step(found: Investigation) -> None:
    """Every rank logged a good step before it."""
    waits = [e for e in found.timeline.events if e.page == "nccl-watchdog-timeout"]

    assert len(waits) == 3
    for event in waits:
        own = event.earliest + event.start.common_s
        assert f"{own:.0f}" == "1741233632"  # 04:00:31.801


def test_a_job_that_died_is_not_recovered(found: Investigation) -> None:
    """All ranks are gone at the end of the logs."""
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == "ongoing"


def test_the_line_that_tells_is_cited(found: Investigation) -> None:
    """An unstamped line of its own is no part of the step before it."""
    wait = next(e for e in found.timeline.events if e.page == "nccl-watchdog-timeout")

    assert wait.citations[0].line == 3
    assert wait.citations[0].text.startswith("[rank")
