"""A fault of weeks ago that a reboot or a reset undid is neither harm nor the question."""

from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

FELL = """\
2026-05-20T02:30:01+00:00 gpu-01 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', \
name=<unknown>, GPU has fallen off the bus.
"""
BOOT = "2026-05-20T02:45:01+00:00 gpu-01 kernel: Linux version 6.8.0-60-generic\n"
RESET = (
    "2026-05-20T02:45:01+00:00 gpu-01 sudo[77]: root : PWD=/root ; USER=root ;"
    " COMMAND=/usr/bin/nvidia-smi -r\n"
)
WORK = "".join(
    f"2026-05-20T{hour:02d}:00:00+00:00 gpu-01 train[5210]: step {hour}00 loss 2.9 2.9s/it\n"
    for hour in (4, 5, 6)
)
STALL = """\
2026-06-17T02:30:01+00:00 gpu-01 kernel: nfs: server 10.0.0.10 not responding, still trying
2026-06-17T02:32:03+00:00 gpu-01 kernel: INFO: task python3:22331 blocked for more than 120 seconds.
2026-06-17T02:59:00+00:00 gpu-01 systemd[1]: Started Session 99 of User u.
"""
FAULT = """\
2026-06-17T02:30:01+00:00 gpu-01 kernel: NVRM: Xid (PCI:0000:1b:00): 31, pid=4410, name=python3, \
Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f12_34567000. \
Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ
2026-06-17T02:59:00+00:00 gpu-01 systemd[1]: Started Session 99 of User u.
"""


def _read(folder: Path, *parts: str) -> Investigation:
    (folder / "syslog").write_text("".join(parts))
    found = investigate([folder / "syslog"], Incident(), shipped())
    assert found.diagnosis is not None
    return found


def test_the_card_of_an_old_fault_is_not_among_the_hurt(tmp_path: Path) -> None:
    """Of the host's cards nothing is known but that one fell off the bus last month."""
    found = _read(tmp_path, FELL, BOOT, STALL).diagnosis
    assert found is not None
    assert (found.impact.nodes, found.impact.gpus) == (1, 0)


def test_a_card_that_is_at_fault_now_is_among_the_hurt(tmp_path: Path) -> None:
    """A host that is hurt takes the cards with it that are spoken of today."""
    found = _read(tmp_path, FELL, BOOT, FAULT).diagnosis
    assert found is not None
    assert found.impact.gpus == 1


def test_an_old_fault_does_not_draw_the_question_to_itself(tmp_path: Path) -> None:
    """It was graver, and the host has started since."""
    found = _read(tmp_path, FELL, BOOT, FAULT)
    assert found.window.since is not None
    assert found.window.since.month == 6
    assert found.diagnosis is not None
    assert [root.page for root in found.diagnosis.root_causes] == ["xid-31-mmu-fault"]
    assert not found.diagnosis.unexplained


def test_an_old_fault_that_nothing_undid_still_matters(tmp_path: Path) -> None:
    """The host never started again: the card is off the bus to this day."""
    found = _read(tmp_path, FELL, FAULT)
    assert found.window.since is not None
    assert found.window.since.month == 5


def test_a_reset_ends_what_befell_the_card_as_a_boot_does(tmp_path: Path) -> None:
    """Where work was seen on the host afterwards."""
    for undone, work, over in ((RESET, WORK, True), (RESET, "", False)):
        found = _read(tmp_path, FELL, undone, work, STALL)
        (fell,) = (e for e in found.timeline.events if e.page == "xid-79-fell-off-bus")
        assert (fell.is_closed, fell.known) == (over, over)
