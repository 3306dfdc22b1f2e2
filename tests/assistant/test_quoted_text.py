"""A ticket that quotes the kernel is a claim: it leads, and it never confirms."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
RING = """\
2026-11-30T02:00:02.600000+00:00 gpu-07 kernel: pcieport 0000:97:01.0: AER: Uncorrected (Fatal) \
error received: 0000:97:01.0
2026-11-30T02:00:02.600030+00:00 gpu-07 kernel: pcieport 0000:97:01.0: PCIe Bus Error: \
severity=Uncorrected (Fatal), type=Transaction Layer
2026-11-30T02:00:02.640000+00:00 gpu-07 kernel: NVRM: GPU at PCI:0000:9b:00: \
GPU-11111111-2222-3333-4444-555555555555
2026-11-30T02:00:02.650000+00:00 gpu-07 kernel: NVRM: Xid (PCI:0000:9b:00): 79, pid=48213, \
GPU has fallen off the bus.
2026-11-30T02:00:03.900000+00:00 gpu-07 kernel: NVRM: Xid (PCI:0000:9b:00): 154, GPU recovery \
action changed from 0x0 (None) to 0x2 (Node Reboot Required)
"""
PROSE = "Hi team,\nthe job stands still.\nIs this a known fault?\nWe saw it twice.\n"
AFTER = "Please look.\nThanks a lot.\nWe wait.\n"


def diagnose(tmp_path: Path, text: str) -> Investigation:
    (tmp_path / "a.txt").write_text(text)
    return investigate([tmp_path / "a.txt"], Incident(), shipped(), now=NOW)


def test_a_quotation_leads_but_does_not_confirm(tmp_path: Path) -> None:
    """Same lines, same root, at the most LIKELY, and the reason is told."""
    log = diagnose(tmp_path, RING).diagnosis
    told = diagnose(tmp_path, PROSE + RING + AFTER).diagnosis
    assert log is not None
    assert told is not None
    assert [r.page for r in told.root_causes] == [r.page for r in log.root_causes]
    assert (log.confidence, told.confidence) == ("CONFIRMED", "LIKELY")
    assert "quotes the kernel" in told.model_dump_json()


def test_a_quotation_shows_nothing_by_its_silence(tmp_path: Path) -> None:
    """A person copies what struck them: what is not in it may have happened all the same."""
    told = diagnose(tmp_path, PROSE + RING + AFTER).diagnosis
    assert told is not None
    assert not told.ruled_out
