"""What went wrong first is neither the victim that complained nor the last word of the launcher."""

from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)

TIMEOUT = (
    "[rank{0}]:[E1003 02:07:08.40{0}100000 ProcessGroupNCCL.cpp:607] [Rank {0}] Watchdog caught"
    " collective operation timeout: WorkNCCL(SeqNum=1580, OpType=ALLREDUCE, NumelIn=466119168,"
    " NumelOut=466119168, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n"
)
LAUNCHER = (
    "W1003 02:07:15.100000 124 torch/distributed/elastic/multiprocessing/api.py:897] Sending"
    " process 3120 closing signal SIGTERM\n"
    "E1003 02:07:15.900000 124 torch/distributed/elastic/multiprocessing/api.py:869] failed"
    " (exitcode: -6) local_rank: 0 (pid: 3119) of binary: /opt/conda/bin/python\n"
)
COMPLAINT = (
    "2025-10-07T01:12:41+00:00 node3 train[3911]: node3:3911:4021 [5] NCCL WARN NET/IB : Got"
    " completion from peer 10.4.2.7<52311> with status=12 opcode=129 len=0 vendor err 129 (Recv)"
    " hca mlx5_5\n"
)
FLAP = (
    "2025-10-07T01:12:09+00:00 node7 kernel: mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link DOWN\n"
    "2025-10-07T01:12:49+00:00 node7 kernel: mlx5_core 0000:ab:00.0 mlx5_5: Port: 1 Link ACTIVE\n"
)


def _diagnose(folder: Path, **files: str) -> Investigation:
    for name, text in files.items():
        (folder / f"{name}.log").write_text(text)
    return investigate([folder], Incident(), shipped(), now=NOW)


def _first(found: Investigation) -> str:
    assert found.diagnosis is not None
    return next(e.page for e in found.timeline.events if e.id == found.diagnosis.first_anomaly)


def test_a_wait_is_no_consequence_of_the_kill_that_ended_it(tmp_path: Path) -> None:
    """One clock stamped both, so that its unknown zone leaves their order certain."""
    found = _diagnose(tmp_path, rank=TIMEOUT.format(0) + TIMEOUT.format(1) + LAUNCHER)
    assert _first(found) == "nccl-watchdog-timeout"


def test_a_port_that_failed_meanwhile_leads_before_the_one_who_missed_it(tmp_path: Path) -> None:
    """Nothing says whose address it is: a lead, and no more than that."""
    found = _diagnose(tmp_path, node3=COMPLAINT, node7=FLAP)
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == "inconclusive"
    (root,) = found.diagnosis.root_causes
    assert (root.entity.id, root.confidence) == ("node7/mlx5_5", "INCONCLUSIVE")
    assert any("10.4.2.7" in cap.en for cap in found.diagnosis.caps)
    assert _first(found) == "ib-link-down"


def test_lines_name_the_host_they_come_from(tmp_path: Path) -> None:
    """Pasted from two hosts, without the files' names or times."""
    event = (
        "node7:4410:4533 [5] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port"
        " error\n"
    )
    _, _, complaint = COMPLAINT.partition("train[3911]: ")
    found = _diagnose(tmp_path, pasted=event + complaint)
    nodes = {e.page: {a.id for a in e.anchors if a.kind == "node"} for e in found.timeline.events}
    assert nodes["ib-link-down"] == {"node7"}
    assert nodes["nccl-ib-completion-error"] == {"node3"}


HOT = """\
2025-10-05T09:40:00+00:00 gpu-03 ipmievd[900]: Fan sensor Fan 4          Lower Critical going low  \
Asserted (Reading 0 < Threshold 800 RPM)
2025-10-05T10:00:02+00:00 gpu-03 kernel: NVRM: Xid (PCI:0000:97:00): 62, pid=1203, name=python3, \
2027a 0000dd91 00000000 2027a2c4
2025-10-05T10:00:08+00:00 gpu-03 kernel: NVRM: Xid (PCI:0000:97:00): 119, pid=318442, \
name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 76 \
(GSP_RM_CONTROL) (0x20801348 0x410).
"""


def test_a_fan_that_failed_stands_before_the_card_that_stopped(tmp_path: Path) -> None:
    """It may be why: the chain begins there, and the card stays the place."""
    found = _diagnose(tmp_path, gpu03=HOT)
    assert found.diagnosis is not None
    assert _first(found) == "fan-failed"
    assert found.diagnosis.root_causes[0].page == "xid-62-pmu-halt"
    assert found.diagnosis.chain[0].source == found.diagnosis.first_anomaly
