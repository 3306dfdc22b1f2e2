"""Xids of one memory error: cause, first anomaly and chain begin at one event."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
XID_48 = (
    "48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected"
    " on GPU in the framebuffer at partition 6, subpartition 0."
)
XID_63 = (
    "63, pid=1896, name=nv-hostengine, Row Remapper: New row marked for remapping, reset gpu to"
    " activate."
)
XID_64 = (
    "64, pid='<unknown>', name=<unknown>, Row Remapper Error: (0x00000002eebc4100) - All reserved"
    " rows for bank are remapped"
)
XID_94 = "94, pid=7194, name=pt_main_thread, Contained: FB DED (0x3, 0x1). RST: No, D-RST: Yes"
XID_95 = "95, pid=7062, name=python3, Uncontained: FB DED (0x2, 0x1). RST: Yes, D-RST: No"
XID_43 = "43, pid=7194, name=pt_main_thread, Ch 00000008"


def _diagnose(tmp_path: Path, *xids: str) -> Investigation:
    lines = [
        f"2025-10-11T05:30:55.{120 + 2 * number}000+00:00 gpu-09 kernel: "
        f"NVRM: Xid (PCI:0000:5d:00): {xid}\n"
        for number, xid in enumerate(xids)
    ]
    log = tmp_path / "kern.log"
    log.write_text("".join(lines))
    return investigate([log], Incident(), shipped(), now=NOW)


def _begin(found: Diagnosis) -> tuple[str, str, str]:
    """Return where the cause, the first anomaly and the drawn tree stand."""
    targets = {link.target for link in found.chain}
    (head,) = {link.source for link in found.chain} - targets
    return found.root_causes[0].event, found.first_anomaly, head


def test_the_error_itself_comes_before_what_it_cost(tmp_path: Path) -> None:
    """48 is the error; 63 and 94 say what became of it, and 43 what that did to the process."""
    found = _diagnose(tmp_path, XID_48, XID_63, XID_94, XID_43)
    diagnosis = found.diagnosis
    assert diagnosis is not None
    pages = {event.id: event.page for event in found.timeline.events}
    assert [root.page for root in diagnosis.root_causes] == ["xid-48-double-bit-ecc"]
    assert len(set(_begin(diagnosis))) == 1
    drawn = {(pages[link.source], pages[link.target]) for link in diagnosis.chain}
    assert drawn == {
        ("xid-48-double-bit-ecc", "xid-63-row-remap"),
        ("xid-48-double-bit-ecc", "xid-94-contained-ecc"),
        ("xid-94-contained-ecc", "xid-43-channel-reset"),
    }
    assert all(link.delay_s >= 0 for link in diagnosis.chain)


def test_the_order_of_the_lines_of_one_error_does_not_turn_it_round(tmp_path: Path) -> None:
    """The driver may print the cost before the error."""
    found = _diagnose(tmp_path, XID_94, XID_48, XID_43).diagnosis
    assert found is not None
    assert found.root_causes[0].page == "xid-48-double-bit-ecc"
    assert len(set(_begin(found))) == 1


def test_a_bank_without_spares_is_where_its_errors_begin(tmp_path: Path) -> None:
    """64 with the error that found no spare row, in one moment."""
    found = _diagnose(tmp_path, XID_48, XID_64, XID_95).diagnosis
    assert found is not None
    assert found.root_causes[0].page == "xid-64-row-remap-failure"
    assert len(set(_begin(found))) == 1


def test_what_it_cost_sets_the_urgency(tmp_path: Path) -> None:
    """One process is a matter of the day, the whole GPU of the minute."""
    contained = _diagnose(tmp_path, XID_48, XID_63, XID_94, XID_43).priority
    spread = _diagnose(tmp_path, XID_48, XID_95).priority
    assert contained is not None
    assert spread is not None
    assert (contained.level, spread.level) == ("P1", "P0")


def _corrected(tmp_path: Path, errors: int) -> str:
    """Return why a line of so many corrected errors of the host's memory is called harmless."""
    log = tmp_path / "kern.log"
    log.write_text(
        f"2025-10-11T05:30:55.120000+00:00 gpu-09 kernel: EDAC MC0: {errors} CE memory read error"
        " on CPU_SrcID#0_MC#1_Chan#0_DIMM#0\n"
    )
    (event,) = investigate([log], Incident(), shipped(), now=NOW).timeline.events
    return event.benign


def test_thousands_of_corrected_errors_in_one_line_are_not_single_ones(tmp_path: Path) -> None:
    """The line's own number counts, not that it is one line."""
    assert _corrected(tmp_path, 1)
    assert not _corrected(tmp_path, 8812)
