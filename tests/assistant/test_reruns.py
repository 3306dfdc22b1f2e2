"""What a container's status remembers from days ago, when it has long run again, is the past."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
FAULT = (
    "2025-10-11T02:10:01.220000+00:00 gpu-01 kernel: NVRM: Xid (PCI:0000:9d:00): 31, pid=7194,"
    " name=python3, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted"
    " @ 0x7f8a_c4000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n"
)


def _described(state: str, killed: str) -> str:
    return f"""\
Name:             vllm-0
Namespace:        serve
Node:             gpu-02/10.0.0.2
Start Time:       Wed, 01 Oct 2025 01:00:00 +0000
Status:           Running
Containers:
  vllm:
    Container ID:   containerd://aaa
    State:          {state}
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Wed, 01 Oct 2025 02:40:00 +0000
      Finished:     {killed}
    Ready:          True
    Restart Count:  1
"""


LONG_AGO = "Sun, 05 Oct 2025 02:49:50 +0000"
RUNS = "Running\n      Started:      Sun, 05 Oct 2025 02:50:00 +0000"


def _diagnose(folder: Path, **files: str) -> Investigation:
    for name, text in files.items():
        (folder / f"{name}.txt").write_text(text)
    return investigate([folder], Incident(), shipped(), now=NOW)


def _lead(found: Investigation) -> str:
    assert found.diagnosis is not None
    return found.diagnosis.root_causes[0].page


def test_a_kill_of_last_week_is_no_lead_beside_a_fault_of_now(tmp_path: Path) -> None:
    """However much graver it was: it stays on the timeline, and nobody need act on it."""
    found = _diagnose(tmp_path, pod=_described(RUNS, LONG_AGO), kernel=FAULT)
    assert _lead(found) == "xid-31-mmu-fault"
    old = [event for event in found.timeline.events if event.page != "xid-31-mmu-fault"]
    assert {event.page for event in old} == {"pod-oomkilled", "pod-failed"}
    assert all(event.known and event.is_closed for event in old)


def test_a_kill_of_last_week_that_nothing_undid_still_leads(tmp_path: Path) -> None:
    """The container waits to this day."""
    waits = "Waiting\n      Reason:       CrashLoopBackOff"
    assert _lead(_diagnose(tmp_path, pod=_described(waits, LONG_AGO), kernel=FAULT)) == (
        "pod-oomkilled"
    )


def test_alone_it_is_what_there_is_to_tell(tmp_path: Path) -> None:
    """A look back at it asks about just this."""
    assert _lead(_diagnose(tmp_path, pod=_described(RUNS, LONG_AGO))) == "pod-oomkilled"
