"""A look is offered where it can be run: on the platform that the evidence shows."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.diagnosis.platforms import Platforms
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

KUBERNETES = Platforms(kubernetes=True, slurm=False)
SLURM = Platforms(kubernetes=False, slurm=True)
BOTH = Platforms(kubernetes=True, slurm=True)
PLAIN = Platforms(kubernetes=False, slurm=False)
PODS = ("kubectl", "get", "pods", "-A")
TIMEOUT = """\
2025-10-12T14:00:05+00:00 gpu-01 train[312]: [rank3]:[E1012 14:00:05.408 ProcessGroupNCCL.cpp:616] \
[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=119, OpType=ALLREDUCE, \
NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.
"""
KILLED = """\
2025-10-12T14:00:01+00:00 gpu-01 slurmstepd[311]: error: *** JOB 9001 ON gpu-01 CANCELLED AT \
2025-10-12T14:00:00 DUE TO TIME LIMIT ***
"""
FULL = """\
2025-10-12T14:00:00+00:00 gpu-01 train[77]: step 500 loss 2.0
2025-10-12T14:00:05+00:00 gpu-01 train[77]: OSError: [Errno 28] No space left on device: \
'/scratch/ckpt/iter_500/model.pt'
"""


@pytest.mark.parametrize(
    ("platforms", "command", "whole", "offered"),
    [
        (KUBERNETES, PODS, False, True),
        (SLURM, PODS, True, False),
        (BOTH, PODS, False, True),
        (PLAIN, PODS, True, True),
        (PLAIN, PODS, False, False),
        (PLAIN, ("timeout", "20", "kubectl", "get", "pods"), False, False),
        (KUBERNETES, ("sinfo", "-R"), True, False),
        (SLURM, ("sinfo", "-R"), True, True),
        (PLAIN, ("sinfo", "-R"), True, True),
        (SLURM, ("timeout", "20", "nvidia-smi", "-L"), True, True),
    ],
)
def test_a_platforms_own_programs_stay_with_it(
    platforms: Platforms, command: tuple[str, ...], *, whole: bool, offered: bool
) -> None:
    """Where none shows, one of Kubernetes is offered only if all that it names is known."""
    assert platforms.offer(command, whole=whole) is offered


def _looks(folder: Path, text: str) -> list[str]:
    (folder / "a.log").write_text(text)
    now = datetime(2026, 11, 30, 6, tzinfo=UTC)
    found = investigate([folder], Incident(), shipped(), now=now).diagnosis
    assert found is not None
    return [check.command for check in found.next_checks]


@pytest.mark.parametrize("text", [TIMEOUT, TIMEOUT + KILLED, FULL], ids=["plain", "slurm", "full"])
def test_hosts_without_kubernetes_are_not_asked_for_pods(tmp_path: Path, text: str) -> None:
    """Nobody there has the program, let alone the namespace."""
    looks = _looks(tmp_path, text)
    assert looks
    assert not [look for look in looks if look.startswith("kubectl")]


def test_a_write_that_was_refused_is_looked_at_where_it_was(tmp_path: Path) -> None:
    """Its folder may lie on a share, of which the list of local file systems knows nothing."""
    assert _looks(tmp_path, FULL)[0] == "timeout 5 df -P /scratch/ckpt/iter_500"


def test_room_is_made_by_owners_before_images_are_pruned() -> None:
    """What fills a scratch disk is no image; those are named as one place among others."""
    first, second = shipped().pages["disk-full"].remedies[:2]
    assert "image" not in first.title.en
    assert second.id == "free-images"
    assert second.title.en.startswith("Where the full file system holds them")
