"""Which host, which card and since when: what the lines themselves say of it is taken."""

from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

PLEG = """\
E0701 00:54:11.120000    1822 kubelet.go:2359] "Skipping pod synchronization" \
err="PLEG is not healthy: pleg was last seen active 3m4.1s ago; threshold is 3m0s"
I0701 00:56:10.120000    1822 setters.go:568] "Node became not ready" node="gpu-02" \
condition={"type":"Ready","status":"False","reason":"KubeletNotReady",\
"message":"PLEG is not healthy: pleg was last seen active 5m3.2s ago; threshold is 3m0s"}
"""
SRUN = "srun: error: g02: tasks 8-15: Killed\n"
NODES = """\
NAME     STATUS                     ROLES    AGE   VERSION
gpu-01   Ready                      <none>   90d   v1.29.4
gpu-02   NotReady                   <none>   90d   v1.29.4
gpu-03   Ready,SchedulingDisabled   <none>   90d   v1.29.4
"""
DESCRIBED = """\
Name:               gpu-11
Roles:              <none>
Labels:             nvidia.com/gpu.count=8
Unschedulable:      true
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason
  ----    ------  -----------------                 ------------------                ------
  Ready   True    Fri, 20 Jun 2025 10:20:00 +0000   Thu, 01 May 2025 10:20:00 +0000   KubeletReady
Capacity:
  nvidia.com/gpu:     8
Allocatable:
  nvidia.com/gpu:     7
Events:              <none>
"""
RANK = """\
2025-06-12 14:12:20,512 INFO step=8812 loss=2.113 lr=1.2e-4
[rank3]: RuntimeError: DataLoader worker (pid(s) 44121) exited unexpectedly
[rank0]:[E612 14:22:27.118820471 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective \
operation timeout: WorkNCCL(SeqNum=120931, OpType=ALLREDUCE, NumelIn=134217728, \
NumelOut=134217728, Timeout(ms)=600000) ran for 600021 milliseconds before timing out.
"""
DRAINED = """\
REASON               USER      TIMESTAMP           NODELIST
Not responding       slurm     2025-06-20T10:09:58 c07
"""


def _read(folder: Path, text: str) -> Investigation:
    (folder / "x.txt").write_text(text)
    found = investigate([folder / "x.txt"], Incident(), shipped())
    assert found.diagnosis is not None
    return found


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [(PLEG, "node", "gpu-02"), (SRUN, "node", "g02"), (RANK, "rank", "x/3")],
    ids=["kubelet", "srun", "rank"],
)
def test_a_line_that_names_its_own_place_is_believed(
    tmp_path: Path, text: str, kind: str, name: str
) -> None:
    """No host is unnamed and no rank unknown where the line tells it."""
    events = [event for event in _read(tmp_path, text).timeline.events if event.damage]
    found = {a.id for event in events for a in event.anchors if a.kind == kind}
    assert name in found
    assert not any(one.startswith("unnamed") for one in found)


def test_a_node_that_lacks_one_card_hurts_one(tmp_path: Path) -> None:
    """Seven of eight are offered, and a cordon by hand takes none away from running work."""
    found = _read(tmp_path, DESCRIBED).diagnosis
    assert found is not None
    assert (found.impact.nodes, found.impact.gpus) == (1, 1)
    assert "node-cordoned" not in {one.page for one in found.hypotheses}


def test_a_cordon_by_hand_is_no_lead_beside_a_node_that_is_not_ready(tmp_path: Path) -> None:
    """It explains nothing, and the node that is not ready is what was asked about."""
    found = _read(tmp_path, NODES).diagnosis
    assert found is not None
    assert found.root_causes == found.hypotheses == ()


def test_a_drain_is_dated_by_its_reason_though_no_zone_stands_there(tmp_path: Path) -> None:
    """The hour is doubtful, the day is not."""
    (event, *_) = _read(tmp_path, DRAINED).timeline.events
    assert f"{event.start.utc:%Y-%m-%d %H:%M:%S}" == "2025-06-20 10:09:58"
    assert event.start.zone == "unknown"
