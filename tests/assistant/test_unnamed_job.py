"""A job that nobody names: one GPU dies, and ranks elsewhere only wait."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
QUIET = """\
2025-10-11T01:10:00+00:00 {node} kernel: audit: type=1400 audit(1): apparmor="STATUS"
2025-10-11T03:10:00+00:00 {node} kernel: audit: type=1400 audit(2): apparmor="STATUS"
"""
DEAD = """\
2025-10-11T02:10:01.220000+00:00 {node} kernel: NVRM: Xid (PCI:0000:9d:00): 94, pid=7194, \
name=pt_main_thread, Contained: FB DED (0x3, 0x1). RST: No, D-RST: Yes
2025-10-11T02:10:03.520000+00:00 {node} kernel: NVRM: Xid (PCI:0000:9d:00): 95, pid=7194, \
name=pt_main_thread, Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No
2025-10-11T02:10:09.520000+00:00 {node} kernel: NVRM: Xid (PCI:0000:9d:00): 79, \
pid='<unknown>', name=<unknown>, GPU has fallen off the bus.
2025-10-11T03:10:00+00:00 {node} kernel: audit: type=1400 audit(1): apparmor="STATUS"
"""


def _waits(rank: int) -> str:
    return (
        f"2025-10-11T02:20:02.{rank}00Z [rank{rank}]:[E1011 02:20:02.100 ProcessGroupNCCL.cpp:607]"
        f" [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580,"
        f" OpType=ALLREDUCE, NumelIn=466119168, NumelOut=466119168, Timeout(ms)=600000) ran for"
        f" 600060 milliseconds before timing out.\n"
    )


def _pod(number: int, env: list[dict[str, str]]) -> Mapping[str, object]:
    ended = {"exitCode": 6, "reason": "Error", "finishedAt": f"2025-10-11T02:2{number}:10Z"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"llm-{number}", "namespace": "train", "uid": f"uid-{number}"},
        "spec": {"nodeName": f"gpu-0{number + 1}", "containers": [{"name": "t", "env": env}]},
        "status": {
            "phase": "Failed",
            "containerStatuses": [{"name": "t", "state": {"terminated": ended}}],
        },
    }


def _diagnose(folder: Path, files: Mapping[str, str]) -> Diagnosis:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = investigate([folder], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def _bundle(*dead: str, env: list[dict[str, str]] | None = None) -> dict[str, str]:
    nodes = ("gpu-01", "gpu-02", "gpu-03", "gpu-04")
    files = {f"journal/{n}.log": (DEAD if n in dead else QUIET).format(node=n) for n in nodes}
    pods = {"kind": "List", "apiVersion": "v1", "items": [_pod(n, env or []) for n in range(4)]}
    return {**files, "k8s/pods.json": json.dumps(pods)}


def _logs(*ranks: int) -> dict[str, str]:
    return {f"k8s/logs/train/llm-{rank}/t.log": _waits(rank) for rank in ranks}


def test_the_one_host_whose_gpu_died_is_taken_for_the_rest_of_the_job(tmp_path: Path) -> None:
    """The escalation on its GPU is told as one chain; no more than likely, for nobody named it."""
    found = _diagnose(tmp_path, {**_bundle("gpu-01"), **_logs(1, 2, 3)})
    (root,) = found.root_causes
    assert (found.verdict, root.page, root.confidence) == (
        "fault",
        "xid-95-uncontained-ecc",
        "LIKELY",
    )
    assert root.entity.id.startswith("gpu-01/")
    assert not found.unexplained
    assert "gpu" in {link.scope for link in found.chain}


def test_of_two_hosts_whose_gpus_died_none_is_taken_for_the_rest_of_the_job(tmp_path: Path) -> None:
    """What waited stays open, whichever of them it waited for."""
    found = _diagnose(tmp_path, {**_bundle("gpu-01", "gpu-04"), **_logs(1, 2)})
    assert {root.entity.id.partition("/")[0] for root in found.root_causes} <= {"gpu-01", "gpu-04"}
    assert found.unexplained


def test_waiting_alone_makes_no_host_likely(tmp_path: Path) -> None:
    """A contained error elsewhere explains it by its time alone."""
    lines = DEAD.format(node="gpu-01").splitlines(keepends=True)
    quiet = QUIET.format(node="gpu-01").splitlines(keepends=True)
    files = _bundle()
    files["journal/gpu-01.log"] = quiet[0] + lines[0] + quiet[1]
    found = _diagnose(tmp_path, {**files, **_logs(1, 2, 3)})
    assert found.confidence == "INCONCLUSIVE"
    assert found.root_causes[0].page == "xid-94-contained-ecc"
    assert any("which job" in cap.en for cap in found.caps)


@pytest.mark.parametrize("met", [True, False])
def test_pods_that_meet_at_one_address_fail_together(tmp_path: Path, *, met: bool) -> None:
    """The address of their rendezvous ties them, and nothing else does."""
    env = [{"name": "MASTER_ADDR", "value": "llm-0.llm.train.svc"}] if met else None
    found = _diagnose(tmp_path, _bundle("gpu-01", env=env))
    (root,) = found.root_causes
    assert root.page == "xid-95-uncontained-ecc"
    assert bool(found.unexplained) is not met


STRANGER = """\
2025-10-11T02:15:40+00:00 db01 kernel: Out of memory: Killed process 999 (postgres) \
total-vm:912345678kB, anon-rss:951234567kB, file-rss:0kB, shmem-rss:0kB, UID:1000
2025-10-11T02:15:41+00:00 db01 systemd[1]: postgresql.service: A process of this unit has been \
killed by the OOM killer.
"""
WAITING = """\
2025-10-11T02:15:49+00:00 gpu-s train[3]: step 9 loss 1
2025-10-11T02:25:51+00:00 gpu-s train[3]: [rank8]:[E1011 02:25:51.000 ProcessGroupNCCL.cpp:616] \
[Rank 8] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88121, OpType=ALLREDUCE, \
NumelIn=33554432, NumelOut=33554432, Timeout(ms)=600000) ran for 600012 milliseconds before \
timing out.
"""


def test_a_kill_told_by_kernel_and_systemd_is_one_fact(tmp_path: Path) -> None:
    """A database's host was short of memory: nothing ties that to ranks that wait elsewhere."""
    found = _diagnose(tmp_path, {"db01.log": STRANGER, "gpu-s.log": WAITING})
    assert (found.verdict, found.confidence) == ("inconclusive", "INCONCLUSIVE")
    assert any("which job" in cap.en for cap in found.caps)
