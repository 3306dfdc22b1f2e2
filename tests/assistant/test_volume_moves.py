"""A volume of one writer whose pod moved away from a node that fell silent."""

import json
from datetime import UTC, datetime
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

REFUSED = (
    'Multi-Attach error for volume "pvc-5d2e77c1" Volume is already exclusively attached to one '
    "node and can't be attached to another"
)
WAITING = (
    "Unable to attach or mount volumes: unmounted volumes=[ckpt], unattached volumes=[ckpt "
    "kube-api-access-1]: timed out waiting for the condition"
)


def _event(kind: str, name: str, reason: str, message: str, at: str, **source: str) -> object:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{name}.{at}", "namespace": "train"},
        "involvedObject": {"kind": kind, "name": name, "namespace": "train"},
        "reason": reason,
        "message": message,
        "type": "Warning",
        "firstTimestamp": f"2026-11-30T02:{at}:00Z",
        "lastTimestamp": f"2026-11-30T02:{at}:00Z",
        "source": source,
    }


def _diagnose(folder: Path) -> Investigation:
    lost = "Node gpu-04 status is now: NodeNotReady"
    items = [
        _event("Node", "gpu-04", "NodeNotReady", lost, "15", component="node-controller"),
        _event("Pod", "meta-0", "FailedAttachVolume", REFUSED, "20", component="attachdetach"),
        _event("Pod", "meta-0", "FailedMount", WAITING, "27", component="kubelet", host="gpu-05"),
    ]
    path = folder / "events.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    now = datetime(2026, 11, 30, 3, tzinfo=UTC)
    return investigate([path], Incident(), shipped(), now=now)


def test_the_silent_node_comes_before_the_volume_that_it_holds(tmp_path: Path) -> None:
    """The refusal names only the new node; nothing of it is left without a cause."""
    found = _diagnose(tmp_path)
    pages = {event.id: event.page for event in found.timeline.events}
    assert found.diagnosis is not None
    chain = [(pages[step.source], pages[step.target]) for step in found.diagnosis.chain]

    assert chain[0] == ("node-not-ready", "volume-multi-attach")
    assert ("volume-multi-attach", "volume-mount-timeout") in chain
    assert found.diagnosis.unexplained == ()
    assert "nfs-mount-failed" not in pages.values()


def test_no_look_and_no_repair_is_aimed_at_the_node_that_only_asks(tmp_path: Path) -> None:
    """Whether the old node writes is not answered on the new one, and NFS was never spoken of."""
    found = _diagnose(tmp_path).diagnosis
    assert found is not None
    assert not [check.command for check in found.next_checks if "gpu-05" in check.command]
    repair = shipped().pages["volume-multi-attach"].remedies[0]
    assert "{node}" not in repair.command
    assert not [row.text.en for row in found.do_not if "NFS" in row.text.en]
