"""What a repair put an end to is the past, and it stays with the card that it befell."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.event import Event
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
OLD, NEW = (f"GPU-{digit * 8}-77d1-4a90-9b7e-2f5c0e1a8d11" for digit in "09")

FORMER = f"2025-04-01T00:00:09+00:00 gpu-12 kernel: NVRM: GPU at PCI:0000:9b:00: {OLD}\n"
LOST = """\
2025-04-02T03:11:09+00:00 gpu-12 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', \
name=<unknown>, GPU has fallen off the bus.
"""
SPENT = """\
2025-04-02T03:11:09+00:00 gpu-12 kernel: NVRM: Xid (PCI:0000:9b:00): 64, pid='<unknown>', \
name=<unknown>, Row Remapper Error: (0x00000002eebc4100) - All reserved rows for bank are remapped
"""
BOOT = "2025-04-03T14:02:00+00:00 gpu-12 kernel: Linux version 5.15.0-105-generic\n"
SAME = f"2025-04-03T14:02:25+00:00 gpu-12 kernel: NVRM: GPU at PCI:0000:9b:00: {OLD}\n"
OTHER = SAME.replace(OLD, NEW)
WORK = "".join(
    f"2025-04-03T{hour}:00:00+00:00 gpu-12 train[5210]: step {hour}00 loss 2.9 2.9s/it\n"
    for hour in (15, 16, 17)
)


def _diagnose(folder: Path, *parts: str) -> Investigation:
    log = folder / "messages.log"
    log.write_text("".join(parts))
    return investigate([log], Incident(), shipped(), now=NOW)


def _only(found: Investigation, page: str) -> Event:
    (event,) = (e for e in found.timeline.events if e.page == page)
    return event


def test_a_fault_of_a_card_that_was_replaced_is_over(tmp_path: Path) -> None:
    """It is not the new card's, asks for no act, and sets no priority."""
    found = _diagnose(tmp_path, LOST, BOOT, OTHER, WORK)
    lost = _only(found, "xid-79-fell-off-bus")
    assert lost.entity.id == "gpu-12/0000:9b:00"
    assert lost.is_closed
    assert lost.known
    assert found.diagnosis is not None
    assert not [one for one in found.diagnosis.contain_now if one.page == lost.page]
    assert found.priority is not None
    assert found.priority.level not in {"P0", "P1"}


def test_each_card_keeps_its_own_faults(tmp_path: Path) -> None:
    """Where both are logged, the first is the one that fell off the bus."""
    lost = _only(_diagnose(tmp_path, FORMER, LOST, BOOT, OTHER, WORK), "xid-79-fell-off-bus")
    assert (lost.entity.id, lost.is_closed) == (OLD, True)


def test_a_reboot_alone_ends_nothing(tmp_path: Path) -> None:
    """Nobody saw the host at work again."""
    lost = _only(_diagnose(tmp_path, FORMER, LOST, BOOT, SAME), "xid-79-fell-off-bus")
    assert (lost.entity.id, lost.is_closed) == (OLD, False)


def test_what_stays_with_a_card_ends_with_the_card(tmp_path: Path) -> None:
    """A bank without spare rows is none the better for a reboot; another card is."""
    kept = _only(_diagnose(tmp_path, FORMER, SPENT, BOOT, SAME, WORK), "xid-64-row-remap-failure")
    gone = _only(_diagnose(tmp_path, FORMER, SPENT, BOOT, OTHER, WORK), "xid-64-row-remap-failure")
    assert (kept.is_closed, gone.is_closed) == (False, True)


def test_a_reset_that_was_refused_repaired_nothing(tmp_path: Path) -> None:
    """The order in sudo's log looks the same; what nvidia-smi answered tells."""
    fault = (
        "2025-04-03T13:00:00+00:00 gpu-12 kernel: NVRM: Xid (PCI:0000:9b:00): 95, pid=4471,"
        " name=python3, Uncontained: FBHUB. RST: Yes, D-RST: No\n"
    )
    order = (
        "2025-04-03T14:02:00+00:00 gpu-12 sudo:      ops : TTY=pts/0 ; PWD=/home/ops ;"
        " USER=root ; COMMAND=/usr/bin/nvidia-smi --gpu-reset -i 3\n"
    )
    answer = (
        "2025-04-03T14:02:01+00:00 gpu-12 reset-gpu[88]: GPU Reset couldn't run because GPU"
        " 00000000:9B:00.0 is the primary GPU.\n"
    )
    done = _only(_diagnose(tmp_path, fault, order, WORK), "xid-95-uncontained-ecc")
    left = _only(_diagnose(tmp_path, fault, order, answer, WORK), "xid-95-uncontained-ecc")
    assert (done.is_closed, left.is_closed) == (True, False)


_RESET = "2025-04-03T14:02:00+00:00 gpu-12 sudo: ops : TTY=pts/0 ; PWD=/ ; USER=root ; COMMAND={}\n"


@pytest.mark.parametrize(
    ("command", "other", "own"),
    [
        ("/usr/bin/nvidia-smi --gpu-reset", True, True),
        ("/usr/bin/tee /sys/bus/pci/devices/0000:9b:00.0/reset", False, True),
        ("/usr/bin/nvidia-smi -i 00000000:9B:00.0 -r", False, True),
        (f"/usr/bin/nvidia-smi --gpu-reset -i {OLD}", False, True),
        (f"/usr/bin/nvidia-smi --gpu-reset --id={NEW}", False, False),
        ("/usr/bin/tee /sys/bus/pci/devices/0000:1a:00.0/reset", True, False),
        ("/usr/bin/nvidia-smi --gpu-reset -i 3", False, False),
    ],
)
def test_a_reset_of_one_card_ends_nothing_of_another(
    tmp_path: Path, command: str, *, other: bool, own: bool
) -> None:
    """Where two had a fault, an index does not tell which of them it is."""
    log = (FORMER, LOST, LOST.replace("9b", "1a"), _RESET.format(command), WORK)
    lost = (e for e in _diagnose(tmp_path, *log).timeline.events if "xid-79" in e.page)
    assert {e.entity.id: e.is_closed for e in lost} == {OLD: own, "gpu-12/0000:1a:00": other}


def test_two_resets_at_once_end_the_faults_of_both_cards(tmp_path: Path) -> None:
    """Each order names its own."""
    device = "/usr/bin/tee /sys/bus/pci/devices/0000:{}:00.0/reset"
    orders = [_RESET.format(device.format(bus)) for bus in ("1a", "9b")]
    found = _diagnose(tmp_path, LOST, LOST.replace("9b", "1a"), *orders, WORK)
    lost = [e.is_closed for e in found.timeline.events if e.page == "xid-79-fell-off-bus"]
    assert lost == [True, True]
