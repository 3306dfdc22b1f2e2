"""A row of `kubectl get pods` shows the conditions that the same state shows as JSON."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 3, tzinfo=UTC)
TABLE = """\
NAMESPACE   NAME      READY   STATUS   RESTARTS   AGE
train       w-0       0/1     {status}     {restarts}          {age}
"""
UNPLACED = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}


def pages(folder: Path, name: str, text: str) -> set[str]:
    (folder / name).write_text(text)
    found = investigate([folder / name], Incident(), shipped(), now=NOW)
    return {event.page for event in found.timeline.events}


def pod(phase: str, *, conditions: tuple[object, ...] = (), **container: object) -> str:
    status: dict[str, object] = {"phase": phase, "conditions": list(conditions)}
    if container:
        status["containerStatuses"] = [{"name": "main", "ready": False, **container}]
    meta = {"namespace": "train", "name": "w-0", "uid": "u1"}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "status": status})


def waiting(reason: str) -> dict[str, object]:
    return {"waiting": {"reason": reason}}


@pytest.mark.parametrize(
    ("status", "restarts", "as_json"),
    [
        ("ImagePullBackOff", 0, pod("Pending", state=waiting("ImagePullBackOff"), restartCount=0)),
        ("ErrImagePull", 0, pod("Pending", state=waiting("ErrImagePull"), restartCount=0)),
        ("CreateContainerConfigError", 0,
         pod("Pending", state=waiting("CreateContainerConfigError"), restartCount=0)),
        ("CrashLoopBackOff", 14,
         pod("Running", state=waiting("CrashLoopBackOff"), restartCount=14)),
        ("Pending", 0, pod("Pending", conditions=(UNPLACED,))),
        ("OOMKilled", 3,
         pod("Running", state={"terminated": {"reason": "OOMKilled"}}, restartCount=3)),
    ],
)  # fmt: skip
def test_a_row_shows_what_the_object_shows(
    tmp_path: Path, status: str, restarts: int, as_json: str
) -> None:
    """Whoever reads a table for people loses no condition."""
    row = TABLE.format(status=status, restarts=restarts, age="50m")
    shown = pages(tmp_path, "pods.txt", row)
    assert shown
    assert shown == pages(tmp_path, "pod.json", as_json)


@pytest.mark.parametrize(
    ("status", "age"), [("Pending", "3s"), ("Pending", "<unknown>"), ("ContainerCreating", "9s")]
)
def test_a_pod_on_its_way_is_no_condition(tmp_path: Path, status: str, age: str) -> None:
    """Every pod waits for its place a moment."""
    assert not pages(tmp_path, "pods.txt", TABLE.format(status=status, restarts=0, age=age))


def test_a_pod_that_has_its_node_is_placed(tmp_path: Path) -> None:
    """It waits for its kubelet, and not for the scheduler."""
    wide = TABLE.format(status="Pending", restarts=0, age="50m").replace("AGE", "AGE   NODE")
    placed, unplaced = (wide.rstrip() + f"   {node}\n" for node in ("gpu-01", "<none>"))
    assert "pods-unschedulable" not in pages(tmp_path, "a.txt", placed)
    assert "pods-unschedulable" in pages(tmp_path, "b.txt", unplaced)
