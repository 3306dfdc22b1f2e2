"""A ring buffer that nothing ties to wall time: distances are known, the place in time is not."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped
from tools.evidence import UNKNOWN_ZONE_S, Window

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)
FALL = datetime(2025, 6, 20, 2, 0, 10, tzinfo=UTC)
PORT = "pcieport 0000:97:01.0"
RING = f"""\
[    1.500000] pci 0000:97:01.0: [8086:352a] type 01 class 0x060400
[200455.100000] {PORT}: AER: Multiple Corrected error received: 0000:97:01.0
[200455.100020] {PORT}: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)
[200462.600000] {PORT}: AER: Uncorrected (Fatal) error received: 0000:97:01.0
[200462.600030] {PORT}: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer
[200462.640000] NVRM: GPU at PCI:0000:9b:00: GPU-11111111-2222-3333-4444-555555555555
[200462.650000] NVRM: Xid (PCI:0000:9b:00): 79, pid=48213, GPU has fallen off the bus.
[200463.900000] NVRM: Xid (PCI:0000:9b:00): 154, GPU recovery action changed \
from 0x0 (None) to 0x2 (Node Reboot Required)
"""


def read(tmp_path: Path, *more: Path) -> Investigation:
    (tmp_path / "dmesg.txt").write_text(RING)
    return investigate([tmp_path / "dmesg.txt", *more], Incident(), shipped(), now=NOW)


def test_delays_within_the_ring_are_exact(tmp_path: Path) -> None:
    """Order and delay come from the boot clock; the fatal link error is the likely cause."""
    found = read(tmp_path)
    diagnosis = found.diagnosis
    assert diagnosis is not None
    assert (diagnosis.verdict, diagnosis.confidence) == ("fault", "LIKELY")
    assert [root.page for root in diagnosis.root_causes] == ["pcie-link-failure"]
    page = {event.id: event.page for event in found.timeline.events}
    delays = {
        page[link.target]: (link.delay_s, link.delay_uncertainty_s) for link in diagnosis.chain
    }
    assert delays == {
        "pcie-link-failure": (7.5, 0.0),
        "xid-79-fell-off-bus": (0.05, 0.0),
        "xid-154-recovery-action": (1.25, 0.0),
    }


def test_what_nothing_dates_has_no_date(tmp_path: Path) -> None:
    """Neither the epoch nor the file's age: no event, no window and no state has a time."""
    found = read(tmp_path)
    assert found.diagnosis is not None
    assert "1970" not in found.model_dump_json()
    assert not any(event.start.dated for event in found.timeline.events)
    assert found.timeline.unresolved_zones
    assert found.window == Window()
    assert (found.diagnosis.state.now, found.diagnosis.state.as_of) == ("unknown", None)


LOADED = """\
[   20.331201] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.124.06
[   21.101200] NVRM: The NVIDIA GPU 0000:b3:00.0
               NVRM: (PCI ID: 10de:26b5) installed in this system has
               NVRM: fallen off the bus and is not responding to commands.
[   21.102000] NVRM: The NVIDIA probe routine failed for 1 device(s).
"""


def test_a_change_that_nothing_dates_has_no_date(tmp_path: Path) -> None:
    """The driver was loaded in this boot: that is all that the ring says of the time."""
    (tmp_path / "dmesg.txt").write_text(LOADED)
    found = investigate([tmp_path / "dmesg.txt"], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    assert [(change.page, change.at) for change in found.changes] == [("driver-regression", None)]


def test_a_log_of_no_known_time_is_asked_for_from_the_boot_on(tmp_path: Path) -> None:
    """A line that nothing dates tells no moment from which on another log is needed."""
    (tmp_path / "smi.txt").write_text(
        "Unable to determine the device handle for GPU 0000:97:00.0: Unknown Error\n"
    )
    found = investigate([tmp_path / "smi.txt"], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    asked = [one.what.en for one in found.missing_information]
    assert asked[0].startswith("The kernel log of ")
    assert asked[0].endswith(" from its last boot on.")


def test_a_copy_of_the_file_changes_nothing(tmp_path: Path) -> None:
    """An older file of the same bytes says the same."""
    young = read(tmp_path)
    os.utime(tmp_path / "dmesg.txt", (1.7e9, 1.7e9))
    old = investigate([tmp_path / "dmesg.txt"], Incident(), shipped(), now=NOW)
    assert old.diagnosis == young.diagnosis
    assert old.window == young.window


def test_other_evidence_lends_no_date(tmp_path: Path) -> None:
    """A log of another day stands beside it; the order between both is unknown."""
    found = beside(tmp_path, "2025-03-09T10:07:00Z gpu-01 systemd[1]: Started Daily apt.\n")
    assert found.diagnosis is not None
    assert {event.start.dated for event in found.timeline.events} == {False}
    assert [root.page for root in found.diagnosis.root_causes] == ["pcie-link-failure"]
    assert found.diagnosis.state.now == "unknown"


def test_a_capture_bounds_it(tmp_path: Path) -> None:
    """Where a manifest says when the ring was read, no line of it is younger."""
    told = {"path": "dmesg.txt", "source": "host", "command": "dmesg", "target": "gpu-07",
            "started": NOW.isoformat(), "ended": NOW.isoformat(), "outcome": "ok"}  # fmt: skip
    (tmp_path / "manifest.jsonl").write_text(json.dumps(told) + "\n")
    (tmp_path / "dmesg.txt").write_text(RING)
    found = investigate([tmp_path], Incident(), shipped(), now=NOW)
    last = found.timeline.events[-1].start
    assert (last.utc, last.zone, last.dated) == (NOW, "unknown", True)


SYSLOG = """\
{stamp} gpu-07 kernel: [200462.650000] NVRM: Xid (PCI:0000:9b:00): 79, pid=48213, \
GPU has fallen off the bus.
{stamp} gpu-07 systemd[1]: Started Session 138 of User ubuntu.
"""


def beside(tmp_path: Path, syslog: str) -> Investigation:
    (tmp_path / "messages").write_text(syslog)
    return read(tmp_path, tmp_path / "messages")


def test_a_line_with_both_times_places_the_ring(tmp_path: Path) -> None:
    """The very line of the ring, in a log that stamps it: time and host of all the ring."""
    found = beside(tmp_path, SYSLOG.format(stamp="2025-06-20T02:00:10.000000+00:00"))
    by_page = {event.page: event for event in found.timeline.events}
    reset = by_page["xid-154-recovery-action"]
    assert (reset.start.utc, reset.start.zone) == (FALL + timedelta(seconds=1.25), "stated")
    assert {a.id for a in reset.anchors if a.kind == "node"} == {"gpu-07"}
    assert len(by_page) == len(found.timeline.events)
    assert not found.timeline.unresolved_zones


def test_a_line_of_unknown_zone_places_it_in_that_zone(tmp_path: Path) -> None:
    """Distances stay exact, the place is as unsure as the zone."""
    found = beside(tmp_path, SYSLOG.format(stamp="Jun 20 02:00:10"))
    reset = next(e for e in found.timeline.events if e.page == "xid-154-recovery-action")
    assert (reset.start.utc, reset.start.zone) == (FALL + timedelta(seconds=1.25), "unknown")
    assert UNKNOWN_ZONE_S < reset.start.uncertainty_s < UNKNOWN_ZONE_S + 10
    assert found.timeline.unresolved_zones == ("host:gpu-07",)
    fall = next(e for e in found.timeline.events if e.page == "xid-79-fell-off-bus")
    assert fall.shared_s(reset) >= UNKNOWN_ZONE_S


def test_a_line_of_another_boot_places_nothing(tmp_path: Path) -> None:
    """It is not in the ring, so that it may be of any boot and any host."""
    stamp = "2025-06-20T02:00:10.000000+00:00"
    found = beside(tmp_path, SYSLOG.replace("200462.65", "300462.65").format(stamp=stamp))
    reset = next(e for e in found.timeline.events if e.page == "xid-154-recovery-action")
    assert reset.start.zone == "unknown"
