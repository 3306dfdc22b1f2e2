"""What Kubernetes says in its own words leads to the condition it means, with shipped pages."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from assistant.event import Event
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)


class Diagnose(Protocol):
    """Writes texts and objects by name and diagnoses them."""

    def __call__(self, **contents: object) -> Investigation:
        """Return what they show."""


@pytest.fixture(name="diagnose")
def _diagnose(tmp_path: Path) -> Diagnose:
    """Write texts and objects by name and diagnose them."""

    def do(**contents: object) -> Investigation:
        for name, content in contents.items():
            text = content if isinstance(content, str) else json.dumps(content)
            path = tmp_path / name.replace("___", "/").replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return investigate([tmp_path], Incident(), shipped(), now=NOW)

    return do


def _event(reason: str, message: str, kind: str = "Pod", **more: object) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{reason}.1", "namespace": "ml"},
        "involvedObject": {"kind": kind, "name": "a-0", "namespace": "ml"},
        "reason": reason,
        "message": message,
        "type": "Warning",
        "firstTimestamp": "2026-11-30T02:10:00Z",
        "lastTimestamp": "2026-11-30T02:10:00Z",
        "source": {"component": "kubelet", "host": "gpu-07"},
        **more,
    }


def _pod(name: str = "a-0", **status: object) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "ml", "uid": "u1"},
        "spec": {"nodeName": "gpu-07", "containers": [{"name": "main"}]},
        "status": status,
    }


def _pages(found: Investigation) -> dict[str, Event]:
    return {event.page: event for event in found.timeline.events}


KILLED = (
    "2026-11-30T02:29:40.000000+00:00 gpu-07 kernel: Memory cgroup out of memory: Killed process "
    "51211 (python) total-vm:91234567kB, anon-rss:66900000kB, file-rss:1200kB, shmem-rss:0kB\n"
)


def test_one_kill_that_two_sources_tell_is_one_cause(diagnose: Diagnose) -> None:
    """A kernel line without a control group names no pod; node and moment do."""
    end = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-30T02:29:40Z"}
    last = {"name": "main", "restartCount": 4, "lastState": {"terminated": end}}
    found = diagnose(
        journal___gpu07__log=KILLED, pods__json=_pod(phase="Running", containerStatuses=[last])
    ).diagnosis
    assert found is not None
    assert [cause.page for cause in found.root_causes] == ["cgroup-oom-kill"]
    commands = [check.command for check in found.next_checks]
    assert "kubectl get pod a-0 -n ml -o json" in commands


UNBOUND = (
    "0/4 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/4 "
    "nodes are available: 4 Preemption is not helpful for scheduling."
)
PENDING = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": UNBOUND,
    "lastTransitionTime": "2026-11-30T02:10:00Z",
}


def test_a_pod_that_still_waits_has_not_recovered(diagnose: Diagnose) -> None:
    """It waits until the scheduler places it, whatever else the evidence speaks of since."""
    later = _event("Pulled", "x", lastTimestamp="2026-11-30T05:00:00Z")
    found = diagnose(pods__json=_pod(phase="Pending", conditions=[PENDING]), events__json=later)
    assert found.diagnosis is not None
    assert found.diagnosis.state.now == "ongoing"


def test_the_schedulers_reason_and_count_are_kept(diagnose: Diagnose) -> None:
    """A volume that is missing is one of its reasons; being placed ends the wait."""
    told = _event("FailedScheduling", UNBOUND, count=30, lastTimestamp="2026-11-30T02:40:00Z")
    waits = _pages(diagnose(events__json=told))["pods-unschedulable"]
    assert (waits.count, waits.fields["message"]) == (
        30,
        "pod has unbound immediate PersistentVolumeClaims",
    )
    placed = _event(
        "Scheduled",
        "Successfully assigned ml/a-0 to gpu-07",
        firstTimestamp="2026-11-30T02:50:00Z",
        lastTimestamp="2026-11-30T02:50:00Z",
    )
    over = _pages(diagnose(events__json=told, placed__json=placed))["pods-unschedulable"]
    assert over.end is not None
    assert over.end.utc == datetime(2026, 11, 30, 2, 50, tzinfo=UTC)


CRASH = """\
2026-11-30T02:20:29Z Traceback (most recent call last):
2026-11-30T02:20:29Z   File "/app/serve.py", line 3, in <module>
2026-11-30T02:20:29Z ModuleNotFoundError: No module named 'flash_attn'
"""


def test_a_rollout_is_tied_to_the_pods_that_it_made(diagnose: Diagnose) -> None:
    """The event names the replica set, the pod its owner; the log says what ended it."""
    scaled = _event(
        "ScalingReplicaSet", "Scaled up replica set a-7f to 2 from 0", "Deployment", source={}
    )
    scaled["involvedObject"] = {"kind": "Deployment", "name": "a", "namespace": "ml"}
    back = _event(
        "BackOff",
        "Back-off restarting failed container main in pod a-0_ml(u1)",
        firstTimestamp="2026-11-30T02:10:30Z",
        lastTimestamp="2026-11-30T02:22:00Z",
    )
    end = {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-30T02:20:30Z"}
    pod = _pod(
        phase="Running",
        containerStatuses=[{"name": "main", "lastState": {"terminated": end}}],
    )
    pod["metadata"] = {
        "name": "a-0", "namespace": "ml", "uid": "u1",
        "ownerReferences": [{"kind": "ReplicaSet", "name": "a-7f"}],
    }  # fmt: skip
    found = diagnose(
        events__json={"apiVersion": "v1", "kind": "List", "items": [scaled, back]},
        pods__json=pod,
        **{"k8s/logs/ml/a-0/main.previous.log": CRASH},
    ).diagnosis
    assert found is not None
    assert [(change.entity.id, change.scope_match) for change in found.changes] == [("ml/a", True)]
    assert found.root_causes[0].page == "python-exception"
    assert not [check.command for check in found.next_checks if "{" in check.command]


PULL = (
    'Failed to pull image "reg.corp/infer:v2": failed to pull and unpack image "reg.corp/infer:v2":'
    " failed to resolve reference: "
)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("reg.corp/infer:v2: not found", "image-not-found"),
        ("unexpected status from HEAD request to https://reg.corp/v2/: 401 Unauthorized",
         "image-access-denied"),
        ('Head "https://reg.corp/v2/": dial tcp: lookup reg.corp on 10.96.0.10:53: no such host',
         "image-registry-name-unknown"),
        ("dial tcp 10.0.0.30:443: i/o timeout", "image-registry-unreachable"),
        ("write /var/lib/containerd/ingest/4f1c/data: no space left on device", "disk-full"),
    ],
)  # fmt: skip
def test_why_an_image_was_not_pulled_is_the_cause(
    diagnose: Diagnose, words: str, page: str
) -> None:
    """The registry's or the runtime's own words tell apart what asks for different repairs."""
    found = diagnose(events__json=_event("Failed", PULL + words, count=4)).diagnosis
    assert found is not None
    assert [cause.page for cause in found.root_causes] == [page]
    assert found.unexplained == ()


def test_a_resolver_that_does_not_answer_is_not_the_registry(diagnose: Diagnose) -> None:
    """Nobody could ask the registry: the pull ended at its name."""
    words = "dial tcp: lookup reg.corp on 10.96.0.10:53: server misbehaving"
    found = diagnose(events__json=_event("Failed", PULL + words, count=4))
    assert "image-registry-unreachable" not in _pages(found)
    assert found.diagnosis is not None
    assert found.diagnosis.hypotheses[0].page == "name-resolution-failing"


def test_a_pod_that_waits_for_its_image_says_so_by_its_state(diagnose: Diagnose) -> None:
    """Without any event the container's reason for waiting is all there is."""
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}
    pod = _pod(phase="Pending", containerStatuses=[{"name": "main", "state": waiting}])
    assert "image-pull-failed" in _pages(diagnose(pods__json=pod))


def test_rows_of_a_table_that_wait_say_what_for(diagnose: Diagnose) -> None:
    """A table has the reason alone: what is missing stands in the pod's own state."""
    found = diagnose(
        pods__txt="NAMESPACE  NAME  READY  STATUS                      RESTARTS  AGE\n"
        "ml         a-0   0/1    ImagePullBackOff            0         20m\n"
        "ml         b-0   0/1    CreateContainerConfigError  0         20m\n"
    )
    assert {(e.page, e.entity.id) for e in found.timeline.events} == {
        ("image-pull-failed", "ml/a-0"),
        ("container-start-failed", "ml/b-0"),
    }


def test_a_containers_last_words_name_the_cause(diagnose: Diagnose) -> None:
    """The status of a plugin that cannot start says why, without any log."""
    end = {
        "exitCode": 1,
        "reason": "Error",
        "finishedAt": "2026-11-30T02:09:00Z",
        "message": "Failed to initialize NVML: Driver/library version mismatch",
    }
    last = {"name": "main", "restartCount": 14, "lastState": {"terminated": end}}
    found = diagnose(pods__json=_pod(phase="Running", containerStatuses=[last])).diagnosis
    assert found is not None
    assert [cause.page for cause in found.root_causes] == ["driver-library-mismatch"]
