"""What kubectl prints for people: tables and descriptions become objects and events."""

import json
from pathlib import Path

from tests.tools.readers.conftest import Read, read_paths

PODS = """\
NAMESPACE     NAME                     READY   STATUS             RESTARTS        AGE   IP            NODE
ml            train-0                  1/1     Running            0               3h    10.1.0.10     gpu-01
ml            train-2                  0/1     CrashLoopBackOff   5 (2m ago)      3h    10.1.0.12     gpu-03
ml            train-3                  0/1     OOMKilled          1 (9s ago)      3h    10.1.0.13     gpu-04
kube-system   nvidia-device-plugin-x   0/1     Error              9 (1m ago)      8d    10.1.0.13     gpu-03
ml            prep-0                   0/1     Completed          0               8d    <none>        gpu-03
ml            old-1                    0/1     Evicted            0               8d    <none>        gpu-03
"""  # noqa: E501  # as the program prints it
NODES = """\
NAME     STATUS                        ROLES    AGE    VERSION
gpu-01   Ready                         <none>   120d   v1.29.4
gpu-03   NotReady,SchedulingDisabled   <none>   120d   v1.29.4
"""
EVENTS = """\
NAMESPACE   LAST SEEN          TYPE      REASON         OBJECT        MESSAGE
ml          2m (x12 over 20m)  Warning   BackOff        pod/train-2   Back-off restarting failed container main in pod train-2_ml(u2)
default     5m                 Warning   NodeNotReady   node/gpu-03   Node gpu-03 status is now: NodeNotReady
"""  # noqa: E501  # as the program prints it


def test_a_table_of_pods_tells_their_states(read: Read) -> None:
    """Columns are found by the heading; each row is an object with the line it stands on."""
    reads = read("$ kubectl get pods -A -o wide\n" + PODS, "pods.txt")
    told = {s.name: s.content for s in reads.states}
    assert len(told) == 6
    states = {name: json.dumps(content["status"]) for name, content in told.items()}
    assert '"waiting": {"reason": "CrashLoopBackOff"}' in states["train-2"]
    assert '"terminated": {"reason": "OOMKilled"}' in states["train-3"]
    assert '"exitCode": 0' in states["prep-0"]
    assert '"phase": "Failed", "reason": "Evicted"' in states["old-1"]
    assert told["train-2"]["spec"] == {"nodeName": "gpu-03"}
    assert [(s.namespace, s.line) for s in reads.states][1] == ("ml", 4)
    assert reads.evidence[0].source == "kubernetes"
    assert reads.accounted("E1") == reads.evidence[0].size


def test_a_pod_that_stays_unready_is_told_from_one_that_starts(read: Read) -> None:
    """Only its age tells: one that is young, or was just restarted, may be on its way."""
    rows = [
        ("a", "0/1", "ContainerCreating", "0", "66m"),
        ("b", "0/1", "Init:0/1", "0", "2d"),
        ("c", "0/1", "Running", "0", "2d"),
        ("d", "1/2", "Running", "4 (2d ago)", "9d"),
        ("e", "0/1", "ContainerCreating", "0", "40s"),
        ("f", "0/1", "Running", "4 (20s ago)", "9d"),
        ("g", "1/1", "Running", "0", "9d"),
        ("h", "0/1", "Completed", "0", "9d"),
    ]
    heading = ("NAME", "READY", "STATUS", "RESTARTS", "AGE")
    text = "\n".join("   ".join(row) for row in [heading, *rows]) + "\n"
    unready = [s.name for s in read(text, "pods.txt").states if "conditions" in str(s.content)]
    assert unready == ["a", "b", "c", "d"]


def test_a_table_without_namespace_is_of_the_default_one(read: Read) -> None:
    """Unless the command that stands above it says otherwise."""
    text = "NAME      READY   STATUS    RESTARTS   AGE\ntrain-0   1/1     Running   0          3h\n"
    assert [s.namespace for s in read(text).states] == ["default"]
    assert [s.namespace for s in read("$ kubectl get pods -n ml\n" + text).states] == ["ml"]


def test_a_table_of_nodes_tells_who_is_ready(read: Read) -> None:
    """NotReady and SchedulingDisabled are kept."""
    reads = read(PODS + "\n" + NODES, "all.txt")
    nodes = {s.name: s.content for s in reads.states if s.kind == "Node"}
    assert nodes["gpu-01"]["status"]["conditions"] == [{"type": "Ready", "status": "True"}]  # type: ignore[index]  # a parsed document
    assert nodes["gpu-03"]["status"]["conditions"] == [{"type": "Ready", "status": "NotReady"}]  # type: ignore[index]  # a parsed document
    assert nodes["gpu-03"]["spec"] == {"unschedulable": True}


def test_a_table_of_events_has_ages_but_no_times(read: Read) -> None:
    """Relative ages date nothing unless the time of the look is known."""
    backoff, ready = read(EVENTS, "events.txt").records
    assert (backoff.channel, backoff.time, backoff.line) == ("event", None, 2)
    assert backoff.fields["reason"] == "BackOff"
    assert (backoff.fields["namespace"], backoff.fields["pod"]) == ("ml", "train-2")
    assert backoff.fields["count"] == "12"
    assert (ready.fields["kind"], ready.fields["node"]) == ("Node", "gpu-03")
    assert ready.text == "Node gpu-03 status is now: NodeNotReady"


def _captured(folder: Path, name: str, text: str) -> Path:
    """Put a capture of a known time into a bundle."""
    line = {
        "path": name, "source": "kubernetes", "command": f"kubectl {name}", "outcome": "ok",
        "started": "2026-11-30T02:10:00Z", "ended": "2026-11-30T02:10:00Z",
    }  # fmt: skip
    (folder / "manifest.jsonl").write_text(json.dumps(line) + "\n")
    (folder / name).write_text(text)
    return folder


def test_ages_are_dated_by_the_capture(tmp_path: Path) -> None:
    """A manifest that says when the command ran dates events and last restarts."""
    backoff, _ = read_paths(_captured(tmp_path, "events.txt", EVENTS)).records
    assert backoff.time is not None
    assert backoff.time.utc.isoformat() == "2026-11-30T02:08:00+00:00"
    assert backoff.fields["first_time"] == "2026-11-30T01:50:00Z"


DESCRIBED = """\
Name:             train-2
Namespace:        ml
Priority:         0
Service Account:  default
Node:             gpu-03/10.1.0.3
Start Time:       Mon, 30 Nov 2026 01:30:05 +0000
Labels:           job-name=train
                  team=research
Status:           Running
IP:               10.1.0.12
Controlled By:    Job/train
Containers:
  main:
    Container ID:   containerd://abc
    Image:          repo/train:v1
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
      Started:      Mon, 30 Nov 2026 02:01:00 +0000
      Finished:     Mon, 30 Nov 2026 02:05:00 +0000
    Ready:          False
    Restart Count:  5
    Limits:
      memory:          64Gi
      nvidia.com/gpu:  8
    Environment:
      API_TOKEN:  hunter2
Conditions:
  Type              Status
  Ready             False
Events:
  Type     Reason   Age                 From     Message
  ----     ------   ----                ----     -------
  Warning  BackOff  2m (x12 over 20m)   kubelet  Back-off restarting failed container main in pod
"""


def test_a_described_pod_is_an_object(read: Read) -> None:
    """Node, owner, limits, states with exit code and times; nothing of the environment."""
    reads = read(DESCRIBED, "desc.txt")
    (pod,) = reads.states
    assert (pod.kind, pod.namespace, pod.name, pod.line) == ("Pod", "ml", "train-2", 1)
    assert pod.content["spec"] == {
        "nodeName": "gpu-03",
        "containers": [
            {
                "name": "main",
                "image": "repo/train:v1",
                "resources": {"limits": {"memory": "64Gi", "nvidia.com/gpu": "8"}},
            }
        ],
    }
    metadata, status = pod.content["metadata"], pod.content["status"]
    assert metadata["labels"] == {"job-name": "train", "team": "research"}  # type: ignore[index]  # a parsed document
    assert metadata["ownerReferences"] == [{"kind": "Job", "name": "train"}]  # type: ignore[index]  # a parsed document
    (container,) = status["containerStatuses"]  # type: ignore[index]  # a parsed document
    assert container["state"] == {"waiting": {"reason": "CrashLoopBackOff"}}
    assert container["lastState"]["terminated"] == {
        "reason": "OOMKilled",
        "exitCode": 137,
        "startedAt": "2026-11-30T02:01:00Z",
        "finishedAt": "2026-11-30T02:05:00Z",
    }
    assert (container["restartCount"], container["ready"]) == (5, False)
    assert "hunter2" not in json.dumps(pod.content)
    (event,) = reads.records
    assert (event.fields["reason"], event.fields["pod"], event.line) == ("BackOff", "train-2", 36)


DESCRIBED_NODE = """\
Name:               gpu-03
Roles:              <none>
Labels:             kubernetes.io/hostname=gpu-03
CreationTimestamp:  Mon, 01 Sep 2025 00:00:00 +0000
Taints:             node.kubernetes.io/unreachable:NoExecute
                    health=bad:NoSchedule
Unschedulable:      true
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----             ------    -----------------                 ------------------                ------              -------
  MemoryPressure   False     Mon, 30 Nov 2026 02:04:00 +0000   Mon, 01 Sep 2025 00:00:00 +0000   KubeletHasMemory    kubelet has memory
  Ready            Unknown   Mon, 30 Nov 2026 02:04:00 +0000   Mon, 30 Nov 2026 02:05:00 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
Addresses:
  InternalIP:  10.1.0.3
Capacity:
  memory:          2Ti
  nvidia.com/gpu:  8
Allocatable:
  nvidia.com/gpu:  7
Events:              <none>
"""  # noqa: E501  # as the program prints it


def test_a_described_node_is_an_object(read: Read) -> None:
    """Conditions with their times, taints and what can be allocated."""
    reads = read(DESCRIBED + "\n\n" + DESCRIBED_NODE, "desc.txt")
    node = reads.states[1]
    assert (node.kind, node.namespace, node.name, node.line) == ("Node", "", "gpu-03", 39)
    status, spec = node.content["status"], node.content["spec"]
    assert status["conditions"][1] == {  # type: ignore[index]  # a parsed document
        "type": "Ready",
        "status": "Unknown",
        "lastHeartbeatTime": "2026-11-30T02:04:00Z",
        "lastTransitionTime": "2026-11-30T02:05:00Z",
        "reason": "NodeStatusUnknown",
        "message": "Kubelet stopped posting node status.",
    }
    assert status["allocatable"] == {"nvidia.com/gpu": "7"}  # type: ignore[index]  # a parsed document
    assert spec == {
        "unschedulable": True,
        "taints": [
            {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"},
            {"key": "health", "value": "bad", "effect": "NoSchedule"},
        ],
    }


def test_a_failed_mount_says_why_at_the_margin(read: Read) -> None:
    """What mount printed belongs to the event, and a short description is one all the same."""
    text = (
        "Name:             loader-0\nNamespace:        train\nStatus:           Pending\nEvents:\n"
        "  Type     Reason       Age                From     Message\n"
        "  ----     ------       ----               ----     -------\n"
        "  Warning  FailedMount  2m (x11 over 19m)  kubelet  SetUp failed: exit status 32\n"
        "Mounting command: mount\n"
        "Output: mount.nfs: access denied by server while mounting 10.9.0.20:/export/data\n"
    )
    event = read(text).records[-1]
    assert (event.channel, event.line, event.fields["reason"]) == ("event", 7, "FailedMount")
    assert "access denied by server" in event.text
