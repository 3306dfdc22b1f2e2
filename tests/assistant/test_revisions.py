"""A DaemonSet's or StatefulSet's new revision is a change, like a Deployment's new replica set."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
SET = "nvidia-device-plugin-daemonset"


def _revision(number: int, made: str, of: str = SET) -> Mapping[str, object]:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": of, "controller": True}
    name = {"name": f"{of}-{number}f5b", "namespace": "gpu-operator", "creationTimestamp": made}
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {**name, "ownerReferences": [owner]},
        "revision": number,
    }


def _pod(number: int) -> Mapping[str, object]:
    """Write a pod of the set that ends with an error since the roll-out."""
    ended = {"exitCode": 1, "reason": "Error", "finishedAt": f"2025-06-20T02:0{number + 6}:00Z"}
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": SET, "controller": True}
    status = {"name": "plugin", "restartCount": 4, "state": {"terminated": ended}}
    name = {"name": f"{SET}-x{number}", "namespace": "gpu-operator", "ownerReferences": [owner]}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": name,
        "spec": {"nodeName": f"gpu-0{number}"},
        "status": {"phase": "Running", "containerStatuses": [status]},
    }


def _diagnose(folder: Path, *things: Mapping[str, object]) -> Diagnosis:
    items: Sequence[Mapping[str, object]] = things
    (folder / "all.json").write_text(
        json.dumps({"kind": "List", "apiVersion": "v1", "items": items})
    )
    found = investigate([folder], Incident(), shipped(), now=NOW).diagnosis
    assert found is not None
    return found


def test_the_revision_of_a_set_whose_pods_fail_since_then_is_a_change(tmp_path: Path) -> None:
    """It is dated by its making, and what it made is in its scope."""
    pods = [_pod(number) for number in (1, 2, 3)]
    found = _diagnose(tmp_path, _revision(7, "2025-06-20T02:05:00Z"), *pods)
    (change,) = found.changes
    assert change.entity.id == f"gpu-operator/{SET}"
    assert change.at == datetime(2025, 6, 20, 2, 5, tzinfo=UTC)
    assert change.scope_match
    assert found.hypotheses[0].page == "rollout-changed"


def test_old_revisions_and_the_first_one_are_no_changes(tmp_path: Path) -> None:
    """A set keeps ten of them; what installed it replaced nothing."""
    pods = [_pod(number) for number in (1, 2, 3)]
    revisions = [_revision(1, "2025-06-20T02:04:00Z"), _revision(2, "2024-11-02T09:00:00Z")]
    assert not _diagnose(tmp_path, *revisions, *pods).changes
