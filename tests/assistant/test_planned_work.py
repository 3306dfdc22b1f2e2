"""A host that was set aside for planned work is known to be away, and nothing else is."""

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
