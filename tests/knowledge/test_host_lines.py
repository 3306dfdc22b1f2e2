"""Real lines of hosts and programs, and the one condition that each of them shows."""

from functools import cache

import pytest

from knowledge.matching import Matcher
from tests.assistant.handbook import shipped

UE = (
    "EDAC MC0: 1 UE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1)"
)
CE = (
    "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x1)"
)
CPU = "mce: [Hardware Error]: CPU"


@cache
def matcher() -> Matcher:
    return Matcher(shipped())


def shown(channel: str, line: str, unit: str = "") -> set[str]:
    return {match.page for match in matcher().match_text(channel, unit, line)}


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("BUG: unable to handle page fault for address: ffffb0a000c0", "kernel-oops"),
        ("Kernel panic - not syncing: Fatal exception", "kernel-panic"),
        (UE, "host-memory-uncorrected"),
        (CE, "mce-corrected"),
        (f"{CPU} 7: Machine Check Exception: 5 Bank 0: b200000000030005", "host-hardware-error"),
        (f"{CPU} 2: Machine Check: 0 Bank 3: cc5eb2c000100135", "mce-corrected"),
        ("mce: [Hardware Error]: Machine check events logged", "machine-check-logged"),
        ("[Hardware Error]: Corrected error, no action required.", "mce-corrected"),
        ("[Hardware Error]: System Fatal error.", "host-hardware-error"),
        ("NVRM: Xid (PCI:0000:01:00): 8, pid=7, name=x, channel 0x7", "xid-8-engine-stopped"),
        ("NVRM: Xid (PCI:0000:01:00): 38, pid=1659,", "xid-not-in-handbook"),
        ("NVRM: Xid (PCI:0000:01:00): 48, pid=1659,", "xid-48-double-bit-ecc"),
    ],
)
def test_a_kernel_line_shows_one_condition(line: str, page: str) -> None:
    """What was corrected, what was not and what does not say are three conditions."""
    assert shown("kernel", line) == {page}


@pytest.mark.parametrize(
    ("line", "pages"),
    [
        ("JobThroughputLow: Training job slow", {"alert-firing"}),
        ("CPUThrottlingHigh", {"alert-firing"}),
        ("Watchdog: This is an alert meant to ensure", {"alert-always-firing"}),
        ("TargetDown: One or more targets are unreachable.", {"exporter-down", "alert-firing"}),
    ],
)
def test_an_alert_is_never_passed_over(line: str, pages: set[str]) -> None:
    """By its own page where one knows it, else by the one for the rest."""
    found = shown("alert", line)
    assert len(found) == 1
    assert found <= pages


def test_an_application_printing_a_panic_proves_none() -> None:
    """Only the kernel can say that it panicked."""
    assert shown("app", "Kernel panic - not syncing: Fatal exception") == set()
