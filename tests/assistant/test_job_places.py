"""Where Slurm itself says that a job runs: two jobs that fail at once stay two."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

ALLOCATED = """\
[2026-11-30T01:00:01.100] sched: Allocate JobId=101 NodeList=gpu[01-02] #CPUs=256 Partition=train
[2026-11-30T01:00:05.100] sched/backfill: _start_job: Started JobId=102 in train on gpu[03-04]
"""
EARLIER = """\
[2026-11-29T23:00:01.100] sched: Allocate JobId=99 NodeList=gpu[01-04] #CPUs=512 Partition=train
[2026-11-29T23:50:01.100] _job_complete: JobId=99 WEXITSTATUS {status}
"""
FELL = (
    "2026-11-30T02:10:00+00:00 gpu01 kernel: NVRM: Xid (PCI:0000:1a:00): 79, pid='<unknown>',"
    " name=<unknown>, GPU has fallen off the bus.\n"
)
WAITED = (
    "2026-11-30T02:20:1{n}+00:00 gpu0{n} train[77]: [rank{n}]:[E1130 02:20:1{n}.101"
    " ProcessGroupNCCL.cpp:607] [Rank {n}] Watchdog caught collective operation timeout:"
    " WorkNCCL(SeqNum=8841, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576,"
    " Timeout(ms)=600000) ran for 600012 milliseconds before timing out.\n"
)


def _diagnose(folder: Path, controller: str) -> Investigation:
    if controller:
        (folder / "slurmctld.log").write_text(controller)
    for n in range(1, 5):
        (folder / f"gpu0{n}.log").write_text((FELL if n == 1 else "") + WAITED.format(n=n))
    now = datetime(2026, 11, 30, 6, tzinfo=UTC)
    return investigate([folder], Incident(), shipped(), now=now)


def _jobs(found: Investigation) -> dict[str, set[str]]:
    waits = (e for e in found.timeline.events if e.page == "nccl-watchdog-timeout")
    return {e.entity.id: {a.id for a in e.anchors if a.kind == "job"} for e in waits}


def test_a_dead_card_of_one_job_does_not_explain_another_job(tmp_path: Path) -> None:
    """The controller's lines say who waits for whom; what only fell together stays open."""
    found = _diagnose(tmp_path, ALLOCATED)
    assert _jobs(found) == {
        "gpu01": {"slurm:101"},
        "gpu02": {"slurm:101"},
        "gpu03": {"slurm:102"},
        "gpu04": {"slurm:102"},
    }
    assert found.diagnosis is not None
    left = {e.entity.id for e in found.timeline.events if e.id in found.diagnosis.unexplained}
    assert left == {"gpu03", "gpu04"}


def test_where_nobody_says_who_ran_where_nothing_is_left_open(tmp_path: Path) -> None:
    """Ranks of an unnamed job may all have waited for the dead card."""
    found = _diagnose(tmp_path, "")
    assert _jobs(found) == {f"gpu0{n}": set() for n in range(1, 5)}
    assert found.diagnosis is not None
    assert found.diagnosis.unexplained == ()


@pytest.mark.parametrize(("status", "kept"), [(0, False), (1, True)])
def test_a_job_that_ended_well_lets_its_hosts_go(
    tmp_path: Path, *, status: int, kept: bool
) -> None:
    """Else yesterday's job would tie the hosts of two of today's; one that failed may matter."""
    found = _diagnose(tmp_path, EARLIER.format(status=status) + ALLOCATED)
    assert ("slurm:99" in _jobs(found)["gpu03"]) is kept


REQUEUED = """\
[2026-11-30T01:00:01.100] sched: Allocate JobId=101 NodeList=gpu[01-02] #CPUs=256 Partition=train
{why}
[2026-11-30T02:40:01.100] sched: Allocate JobId=101 NodeList=gpu[05-06] #CPUs=256 Partition=train
[2026-11-30T02:50:01.100] sched: Allocate JobId=102 NodeList=gpu[01-02] #CPUs=256 Partition=train
[2026-11-30T04:50:01.100] _job_complete: JobId=101 WEXITSTATUS 0
"""


@pytest.mark.parametrize(
    "why",
    [
        "[2026-11-30T02:30:01.100] requeue JobId=101 due to failure of node gpu01",
        "[2026-11-30T02:30:01.100] _slurm_rpc_requeue: JobId=101 by user alice",
    ],
)
def test_a_job_that_ended_well_elsewhere_keeps_the_host_that_it_left(
    tmp_path: Path, why: str
) -> None:
    """The card that died under its first attempt is why that attempt waited."""
    found = _diagnose(tmp_path, REQUEUED.format(why=why))
    assert "slurm:101" in _jobs(found)["gpu01"]


def test_a_job_that_ended_well_keeps_a_host_that_nobody_was_given_since(tmp_path: Path) -> None:
    """What befell the host is the only job's that ran there."""
    ended = "[2026-11-30T04:50:01.100] _job_complete: JobId=101 WEXITSTATUS 0\n"
    assert _jobs(_diagnose(tmp_path, ALLOCATED + ended))["gpu01"] == {"slurm:101"}
