"""A ring buffer that nothing ties to wall time: distances are known, the place in time is not."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from knowledge.catalog import load_catalog

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)
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


def read(tmp_path: Path) -> Investigation:
    (tmp_path / "dmesg.txt").write_text(RING)
    return investigate([tmp_path / "dmesg.txt"], Incident(), load_catalog(), now=NOW)


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


def test_no_line_is_dated_to_the_epoch(tmp_path: Path) -> None:
    """The last line is at most as young as the file, and its zone stays unknown."""
    found = read(tmp_path)
    assert "1970" not in found.model_dump_json()
    last = found.timeline.events[-1].start
    assert (last.utc, last.zone) == (NOW, "unknown")
    assert found.timeline.unresolved_zones
