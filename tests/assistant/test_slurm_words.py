"""What Slurm's own files say of nodes and jobs, from the file to the answer."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

KILLED = """\
[2026-11-30T02:17:32.101] error: Nodes gpu-n06 not responding
[2026-11-30T02:18:02.101] error: Nodes gpu-n06 not responding, setting DOWN
[2026-11-30T02:18:02.102] Killing JobId=63532 on failed node gpu-n06
[2026-11-30T02:31:11.302] error: slurmd error running JobId=63532 on node(s)=gpu-n03: Kill task \
failed
"""
REASONS = """\
REASON               USER      TIMESTAMP           NODELIST
GPU ECC errors       root      2026-11-30T02:31:11 gpu-n03
"""
REGISTERED = """\
[2025-12-01T03:00:02.000] update_node: node gpu-n04 reason set to: Low RealMemory
[2025-12-01T03:10:02.000] error: gres/gpu: count too low (7 < 8) for node gpu-n06
"""
NO_DEVICE = (
    "[2025-12-01T03:10:02.000] fatal: can't stat gres.conf file /dev/nvidia5: No such file or"
    " directory\n"
)
LIMIT = """\
step 12000 loss 1.98
slurmstepd: error: *** JOB 5512 ON gpu-n01 CANCELLED AT 2025-10-12T14:00:00 DUE TO TIME LIMIT ***
srun: error: gpu-n01: tasks 0-7: Terminated
"""
STEP = """\
step 12000 loss 1.98
slurmstepd: error: *** STEP 5512.0 ON gpu-n01 CANCELLED AT 2025-10-12T14:00:00 ***
srun: error: gpu-n01: tasks 0-7: Terminated
"""
EXITED = """\
+ srun python finetune.py --data /data/sft.jsonl
Traceback (most recent call last):
  File "finetune.py", line 88, in <module>
FileNotFoundError: Unable to find '/data/sft.jsonl'
srun: error: gpu-n02: task 0: Exited with exit code 1
"""
ENDED = """\
2025-10-12T14:00:01+00:00 node1 slurmstepd[311]: error: *** STEP 9001.0 ON node1 CANCELLED AT \
2025-10-12T14:00:00 ***
2025-10-12T14:00:02+00:00 node1 kernel: NVRM: Xid (PCI:0000:1a:00): 45, pid=312, name=python3, \
Ch 00000008
"""
ASKED = """\
[2025-10-12T14:00:00.100] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=9001 uid 1004
[2025-10-12T14:00:00.500] job_signal: 9 of running JobId=9001 successful 0x8004
"""


def _diagnose(folder: Path, **files: str) -> Investigation:
    for name, text in files.items():
        (folder / f"{name}.log").write_text(text)
    now = datetime(2026, 11, 30, 6, tzinfo=UTC)
    return investigate([folder], Incident(), shipped(), now=now)


@pytest.mark.parametrize(
    ("text", "pages"),
    [
        (REASONS, {"slurm-drained-for-gpu"}),
        (REGISTERED, {"slurm-node-resources-low", "slurm-gpu-count-low"}),
        (NO_DEVICE, {"slurmd-device-file-missing"}),
        (STEP, {"slurm-step-ended"}),
        (EXITED, {"job-failed"}),
    ],
    ids=["reasons", "registered", "no device", "step", "exited"],
)
def test_what_slurm_wrote_is_seen(tmp_path: Path, text: str, pages: set[str]) -> None:
    """Drain reasons, registrations, limits and ended tasks are findings."""
    found = _diagnose(tmp_path, x=text)
    assert pages <= {event.page for event in found.timeline.events if not event.benign}
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == "inconclusive"


@pytest.mark.parametrize("text", [LIMIT, STEP, EXITED], ids=["limit", "step", "exited"])
def test_a_job_that_was_killed_is_nothing_harmless(tmp_path: Path, text: str) -> None:
    """Steps before the end do not make the end an ordinary one."""
    priority = _diagnose(tmp_path, x=text).priority
    assert priority is not None
    assert priority.level == "P2"


def test_the_silent_node_leads_and_not_the_one_whose_task_outlived_the_kill(
    tmp_path: Path,
) -> None:
    """The job was killed because a node was lost; what that kill left elsewhere came of it."""
    diagnosis = _diagnose(tmp_path, ctld=KILLED).diagnosis
    assert diagnosis is not None
    assert [(root.page, root.entity.id) for root in diagnosis.root_causes] == [
        ("slurm-node-not-responding", "gpu-n06")
    ]
    assert not diagnosis.unexplained


def test_a_kill_on_request_is_the_cause_of_what_its_ranks_say(tmp_path: Path) -> None:
    """Xid 45 in the second after a request to kill is the kill, seen by the driver."""
    diagnosis = _diagnose(tmp_path, node1=ENDED, ctld=ASKED).diagnosis
    assert diagnosis is not None
    assert [root.page for root in diagnosis.root_causes] == ["slurm-job-cancelled"]
    assert not diagnosis.unexplained


def test_a_request_to_kill_alone_is_no_fault(tmp_path: Path) -> None:
    """Users cancel their jobs every day; one that was refused even ran on."""
    refused = (
        ASKED.splitlines()[0]
        + "\n"
        + (
            "[2025-10-12T14:00:00.100] error: Security violation, REQUEST_KILL_JOB RPC for "
            "JobId=9001 from uid 1004\n"
        )
    )
    found = _diagnose(tmp_path, ctld=refused)
    assert found.diagnosis is not None
    assert found.priority is not None
    assert not found.diagnosis.root_causes
    assert found.priority.level == "P3"
