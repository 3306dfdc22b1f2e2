"""A host that was set aside for planned work is known to be away, and nothing else is."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

SLURM = """\
[2026-06-17T09:00:00.120] update_node: node gpu[01-02] reason set to: {reason}
[2026-06-17T09:00:00.120] update_node: node gpu01 state set to DRAINING
[2026-06-17T09:00:00.120] update_node: node gpu02 state set to DRAINED
[2026-06-17T10:02:00.000] error: Nodes gpu[01-03] not responding
[2026-06-17T10:05:20.000] error: Nodes gpu[01-03] not responding, setting DOWN
[2026-06-17T10:40:12.000] error: validate_node_specs: Node gpu02 unexpectedly rebooted \
boot_time=1781692500 last response=1781690400
[2026-06-17T10:40:13.000] Node gpu02 now responding
[2026-06-17T10:50:00.000] update_node: node gpu[01-02] state set to IDLE
[2026-06-17T11:30:00.000] error: Nodes gpu02 not responding
"""
PLANNED = "planned PDU work"


def read(folder: Path, reason: str) -> Investigation:
    """Look into a controller's log in which nodes are drained for a reason."""
    (folder / "slurmctld.log").write_text(SLURM.format(reason=reason))
    return investigate([folder], Incident(), shipped())


def unknown(found: Investigation) -> set[tuple[str, str]]:
    """Return host and minute of what is not known."""
    rows = (e for e in found.timeline.events if not e.known and e.page != "node-in-repair")
    return {(e.entity.id, f"{e.start.utc:%H:%M}") for e in rows}


def test_what_was_announced_is_known_until_the_node_is_back(tmp_path: Path) -> None:
    """The neighbour that goes down with it, and the node after its return, are faults."""
    found = read(tmp_path, PLANNED)
    assert unknown(found) == {("gpu03", "10:02"), ("gpu03", "10:05"), ("gpu02", "11:30")}
    assert found.diagnosis is not None
    assert {r.entity.id for r in found.diagnosis.root_causes} <= {"gpu02", "gpu03"}
    assert {r.page for r in found.diagnosis.root_causes} == {"slurm-node-not-responding"}


@pytest.mark.parametrize(
    "reason", ["CHG-1042 disk replacement", "maintenance", "BIOS upgrade tonight"]
)
def test_work_is_planned_whose_reason_plans_or_is_nothing_but_work(
    tmp_path: Path, reason: str
) -> None:
    """A change, a window, or the word alone."""
    assert ("gpu01", "10:02") not in unknown(read(tmp_path, reason))


@pytest.mark.parametrize(
    "reason",
    [
        "unplanned outage",
        "Kill task failed",
        "Not responding",
        "mlx5_0 faulty, needs replacement",
        "driver upgrade failed, Xid 79",
        "CHG-1042 replacement of the flapping cable",
        "scheduled for repair after ECC errors",
        "disk replacement",
        "emergency maintenance",
        "计划内维护 CHG-7 更换故障网卡",
    ],
)
def test_a_node_that_was_drained_for_its_fault_is_no_planned_work(
    tmp_path: Path, reason: str
) -> None:
    """It failed, whoever drained it."""
    found = read(tmp_path, reason)
    assert not any(e.page == "node-in-repair" for e in found.timeline.events)
    assert {("gpu01", "10:02"), ("gpu02", "10:02"), ("gpu02", "10:40")} <= unknown(found)


DRAINED = """\
[2026-06-17T09:00:00.120] update_node: node gpu01 reason set to: planned PDU work
[2026-06-17T09:00:00.120] update_node: node gpu01 state set to DRAINED
{given}[{day}T12:02:00.000] error: Nodes gpu01 not responding
"""
ALLOCATED = """\
[2026-06-17T11:00:00.120] sched: Allocate JobId=771 NodeList=gpu[01-02] #CPUs=128 Partition=gpu
"""


@pytest.mark.parametrize(
    ("given", "day", "known"),
    [
        ("", "2026-06-17", True),
        (ALLOCATED, "2026-06-17", False),
        (ALLOCATED.replace("gpu[01-02]", "gpu02"), "2026-06-17", True),
        ("", "2026-06-20", False),
    ],
    ids=["same day", "given work", "another given work", "days later"],
)
def test_a_plan_ends_when_the_host_is_given_work_or_the_day_is_over(
    tmp_path: Path, given: str, day: str, *, known: bool
) -> None:
    """Nobody gives work to a host that is being worked on."""
    (tmp_path / "slurmctld.log").write_text(DRAINED.format(given=given, day=day))
    found = investigate([tmp_path], Incident(), shipped())
    assert (("gpu01", "12:02") not in unknown(found)) is known


@pytest.mark.parametrize(("begun", "known"), [("08:30", True), ("11:00", False)])
def test_steps_that_begin_on_a_host_after_it_was_set_aside_end_its_plan(
    tmp_path: Path, begun: str, *, known: bool
) -> None:
    """A job that ran there before may go on until it is done."""
    told = DRAINED.format(given="", day="2026-06-17").splitlines()
    lines = (f"{line[1:24]}000+00:00 head1 slurmctld[9]: {line[26:]}\n" for line in told)
    (tmp_path / "head1.log").write_text("".join(lines))
    first = datetime.fromisoformat(f"2026-06-17T{begun}:00+00:00")
    last = datetime.fromisoformat("2026-06-17T11:50:00+00:00")
    moments = (first + timedelta(minutes=n) for n in range((last - first) // timedelta(minutes=1)))
    steps = (
        f"{at.isoformat()} gpu01 train[7]: step {n} loss 2.1\n" for n, at in enumerate(moments)
    )
    (tmp_path / "train.log").write_text("".join(steps))
    found = investigate([tmp_path], Incident(), shipped())
    assert (("gpu01", "12:02") not in unknown(found)) is known
