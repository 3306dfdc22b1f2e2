"""What one or two files of everyday kinds lead to, with the handbook as shipped."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
Diagnose = Callable[..., Investigation]


@pytest.fixture(name="diagnose")
def _diagnose(tmp_path: Path) -> Diagnose:
    """Write files by name and diagnose them."""

    def do(**files: str) -> Investigation:
        paths = [tmp_path / name.replace("__", ".") for name in files]
        for path, text in zip(paths, files.values(), strict=True):
            path.write_text(text)
        return investigate(paths, Incident(), shipped(), now=NOW)

    return do


def _first(found: Investigation) -> tuple[str, str, str]:
    assert found.diagnosis is not None
    cause = found.diagnosis.root_causes[0]
    return cause.page, cause.entity.id, cause.confidence


HOST_OOM = """\
2026-11-30T02:10:00+00:00 gpu-11 systemd[1]: Started Session 138 of User ubuntu.
2026-11-30T02:11:00+00:00 gpu-11 sshd[812]: Accepted publickey for ops
2026-11-30T02:20:12+00:00 gpu-11 kernel: python3 invoked oom-killer: gfp_mask=0x140cca, order=0
2026-11-30T02:20:12+00:00 gpu-11 kernel: oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),\
cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/user.slice/user-1000.slice/session-138.scope,\
task=python3,pid=91022,uid=1000
2026-11-30T02:20:12+00:00 gpu-11 kernel: Out of memory: Killed process 91022 (python3) \
total-vm:1056449324kB, anon-rss:1032004488kB, file-rss:0kB, shmem-rss:512kB, UID:1000
"""


@pytest.mark.parametrize(
    "told",
    [
        "systemd[1]: session-138.scope: A process of this unit has been killed by the OOM killer.",
        "slurmstepd[8700]: error: Detected 1 oom_kill event in StepId=5512.0. Some of the step",
    ],
    ids=["systemd", "slurm"],
)
def test_a_hosts_oom_kill_is_likely_once_another_tells_of_it(diagnose: Diagnose, told: str) -> None:
    """The kernel's block names victim and size; who counts kills counts this one as well."""
    found = diagnose(syslog=f"{HOST_OOM}2026-11-30T02:20:13+00:00 gpu-11 {told}\n")
    page, node, confidence = _first(found)
    assert (page, node) == ("host-oom-kill", "gpu-11")
    assert confidence in {"LIKELY", "CONFIRMED"}
    kill = next(e for e in found.timeline.events if e.page == "host-oom-kill")
    assert (kill.fields["task"], kill.fields["pid"]) == ("python3", 91022)
    assert kill.fields["anon_rss"] == 1032004488 * 1024
    assert "Killed process 91022 (python3)" in kill.text


def test_a_page_fault_alone_is_the_strongest_lead(diagnose: Diagnose) -> None:
    """An Xid that ends a program is a fault even if nothing else was seen."""
    line = (
        "2026-11-30T02:11:41+00:00 gpu-21 kernel: NVRM: Xid (PCI:0000:9b:00): {}, pid=4411, "
        "name=python3, {}\n"
    )
    for code, text, page in (
        (31, "Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS", "xid-31-mmu-fault"),
        (13, "Graphics SM Warp Exception on (GPC 0, TPC 1)", "xid-13-graphics-exception"),
    ):
        assert _first(diagnose(syslog=line.format(code, text)))[0] == page


def _pod(**status: object) -> dict[str, object]:
    limits = {"nvidia.com/gpu": "8", "memory": "64Gi"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "train-2", "namespace": "ml", "uid": "u2"},
        "spec": {
            "nodeName": "gpu-03",
            "containers": [{"name": "main", "resources": {"limits": limits}}],
        },
        "status": {"phase": "Running", "containerStatuses": [{"name": "main", **status}]},
    }


OOMKILLED = {"exitCode": 137, "reason": "OOMKilled", "finishedAt": "2026-11-30T02:05:00Z"}
BACKOFF = {
    "apiVersion": "v1",
    "kind": "Event",
    "metadata": {"name": "e1", "namespace": "ml"},
    "involvedObject": {"kind": "Pod", "name": "train-2", "namespace": "ml"},
    "reason": "BackOff",
    "message": "Back-off restarting failed container main in pod train-2_ml(u2)",
    "count": 12,
    "firstTimestamp": "2026-11-30T01:45:00Z",
    "lastTimestamp": "2026-11-30T02:06:00Z",
    "source": {"component": "kubelet", "host": "gpu-03"},
}


def test_an_oomkilled_pod_is_the_lead_and_its_open_question_is_said(diagnose: Diagnose) -> None:
    """Without the kernel's line the status is the lowest thing seen, above its own restarts."""
    pod = _pod(
        restartCount=5,
        state={"waiting": {"reason": "CrashLoopBackOff"}},
        lastState={"terminated": OOMKILLED},
    )
    found = diagnose(pods__json=json.dumps(pod), events__json=json.dumps(BACKOFF))
    assert _first(found) == ("pod-oomkilled", "ml/train-2", "INCONCLUSIVE")
    assert found.diagnosis is not None
    cause = found.diagnosis.root_causes[0]
    assert "memory limit" in cause.why.text.en
    pages = {e.id: e.page for e in found.timeline.events}
    assert "pod-failed" in {pages[name] for name in cause.explains}


def test_tables_for_people_show_what_they_say(diagnose: Diagnose) -> None:
    """Crash loops, ended containers, nodes that are not ready, and events of a plain table."""
    found = diagnose(
        pods__txt="NAMESPACE  NAME     READY  STATUS            RESTARTS     AGE\n"
        "ml         train-0  1/1    Running           0            3h\n"
        "ml         train-2  0/1    CrashLoopBackOff  5 (2m ago)   3h\n"
        "ml         train-3  0/1    OOMKilled         1 (9s ago)   3h\n",
        nodes__txt="NAME    STATUS    ROLES   AGE   VERSION\n"
        "gpu-03  NotReady  <none>  120d  v1.29\n",
        events__txt="LAST SEEN  TYPE     REASON        OBJECT       MESSAGE\n"
        "5m         Warning  NodeNotReady  node/gpu-04  Node gpu-04 status is now: NodeNotReady\n",
    )
    assert {(e.page, e.entity.id) for e in found.timeline.events} == {
        ("pod-failed", "ml/train-2"),
        ("pod-failed", "ml/train-3"),
        ("pod-oomkilled", "ml/train-3"),
        ("node-not-ready", "gpu-03"),
        ("node-not-ready", "gpu-04"),
    }


def test_a_described_pod_leads_to_its_oom_kill(diagnose: Diagnose) -> None:
    """The last state, its code, its time and its node are used."""
    text = (
        "Name:             train-2\nNamespace:        ml\nNode:             gpu-03/10.1.0.3\n"
        "Labels:           job-name=train\nStatus:           Running\nContainers:\n  main:\n"
        "    State:          Waiting\n      Reason:       CrashLoopBackOff\n"
        "    Last State:     Terminated\n      Reason:       OOMKilled\n"
        "      Exit Code:    137\n      Finished:     Mon, 30 Nov 2026 02:05:00 +0000\n"
        "    Restart Count:  5\n"
    )
    found = diagnose(desc__txt=text)
    assert _first(found) == ("pod-oomkilled", "ml/train-2", "INCONCLUSIVE")
    kill = next(e for e in found.timeline.events if e.page == "pod-oomkilled")
    assert kill.start.utc == datetime(2026, 11, 30, 2, 5, tzinfo=UTC)
    assert kill.fields["exit_code"] == 137
    lines = text.splitlines()
    assert lines[kill.citations[0].line - 1].split() == ["Reason:", "OOMKilled"]
    failed = next(e for e in found.timeline.events if e.page == "pod-failed")
    assert (failed.fields["restarts"], failed.fields["waiting"]) == (5, "CrashLoopBackOff")
    assert "CrashLoopBackOff" in {lines[c.line - 1].split()[-1] for c in failed.citations}
    assert found.diagnosis is not None
    (link,) = found.diagnosis.chain
    assert (link.delay_s, link.delay_uncertainty_s) == (0.0, 0.0)
    assert ("node", "gpu-03") in {(a.kind, a.id) for a in kill.anchors}


def test_an_object_is_cited_by_path_value_and_line(diagnose: Diagnose) -> None:
    """What a reader needs to check it: the field as the object names it, on the line it stands."""
    pod = _pod(state={"running": {}}, restartCount=1, lastState={"terminated": OOMKILLED})
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, BACKOFF]}, indent=1)
    found = diagnose(pods__json=text)
    kill = next(e for e in found.timeline.events if e.page == "pod-oomkilled")
    cited, limit = kill.citations
    path = "status.containerStatuses[0].lastState.terminated.reason"
    assert cited.text == f"Pod ml/train-2: {path}=OOMKilled"
    lines = text.splitlines()
    assert '"reason": "OOMKilled"' in lines[cited.line - 1]
    assert kill.fields["memory_limit"] == "64Gi"
    assert limit.text == "Pod ml/train-2: spec.containers[0].resources.limits.memory=64Gi"
    assert '"memory": "64Gi"' in lines[limit.line - 1]
    failed = next(e for e in found.timeline.events if e.page == "pod-failed")
    assert any(BACKOFF["message"] in lines[c.line - 1] for c in failed.citations)


REPORT = """\
==============NVSMI LOG==============

Timestamp                                 : Mon Nov 30 02:00:00 2026
Driver Version                            : 550.127.08
Attached GPUs                             : 1
GPU 00000000:9B:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    GPU UUID                              : GPU-11111111-2222-3333-4444-555555555555
    Remapped Rows
        Correctable Error                 : 0
        Pending                           : Yes
        Remapping Failure Occurred        : Yes
"""


def test_a_drivers_report_is_cited_by_its_own_line(diagnose: Diagnose) -> None:
    """The words are those of the report, on their line."""
    found = diagnose(smi__txt=REPORT)
    cited = [c for e in found.timeline.events for c in e.citations]
    assert cited
    lines = REPORT.splitlines()
    assert [" ".join(lines[c.line - 1].split()) for c in cited] == [c.text for c in cited]
    assert "Remapping Failure Occurred : Yes" in {c.text for c in cited}


COUNTED = """\
==============NVSMI LOG==============

Timestamp                                 : Mon Nov 30 02:00:00 2026
Attached GPUs                             : 1
GPU 00000000:0F:00.0
    Product Name                          : NVIDIA A100-SXM4-80GB
    GPU UUID                              : GPU-22222222-2222-3333-4444-555555555555
    ECC Errors
        Volatile
            DRAM Correctable              : 12
            DRAM Uncorrectable            : 3
        Aggregate
            DRAM Uncorrectable            : 9
    Remapped Rows
        Uncorrectable Error               : 4
        Pending                           : Yes
        Remapping Failure Occurred        : No
"""


def test_errors_counted_by_a_gpu_lead_to_what_contains_and_mends_them(diagnose: Diagnose) -> None:
    """One report is enough to say which GPU it is, what to do, and what was not yet looked at."""
    found = diagnose(smi__txt=COUNTED).diagnosis
    assert found is not None
    lead = found.hypotheses[0]
    assert (lead.page, lead.entity.id[:12]) == ("ecc-uncorrectable-count", "GPU-22222222")
    assert found.contain_now
    assert found.remedies
    assert found.next_checks
    assert not any(check.command.startswith("nvidia-smi -q") for check in found.next_checks)


def test_two_clients_of_one_server_point_to_it(diagnose: Diagnose) -> None:
    """They lose it and get it back within seconds; what else waited on one of them is no third."""
    found = diagnose(
        syslog="2025-03-07T01:20:11.12+00:00 gpu-05 kernel: nfs: server 10.9.0.4 not responding, "
        "still trying\n"
        "2025-03-07T01:20:12.88+00:00 gpu-06 kernel: nfs: server 10.9.0.4 not responding, "
        "still trying\n"
        "2025-03-07T01:22:14.00+00:00 gpu-05 kernel: INFO: task python3:22331 blocked for more "
        "than 120 seconds.\n"
        "2025-03-07T01:22:14.01+00:00 gpu-05 kernel:  nfs4_do_close+0x2b/0xd0 [nfsv4]\n"
        "2025-03-07T01:31:55.50+00:00 gpu-05 kernel: nfs: server 10.9.0.4 OK\n"
        "2025-03-07T01:31:56.10+00:00 gpu-06 kernel: nfs: server 10.9.0.4 OK\n"
    )
    assert found.diagnosis is not None
    cause = found.diagnosis.root_causes[0]
    assert (cause.entity.key, cause.observed) == ("storage_server:10.9.0.4", False)
    assert (cause.where.confidence, cause.why.confidence) == ("LIKELY", "INCONCLUSIVE")
    assert found.diagnosis.unexplained == ()


def test_a_device_that_is_gone_is_cited_by_the_line_that_lists_it(diagnose: Diagnose) -> None:
    """The words are lspci's own."""
    listed = (
        "0000:00:00.0 Host bridge: Intel Corporation Device 09a2 (rev 04)\n"
        "0000:5d:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff)\n"
    )
    found = diagnose(lspci__txt=listed)
    cited = [c for e in found.timeline.events for c in e.citations]
    assert [(c.line, c.text) for c in cited] == [(2, listed.splitlines()[1])]


SIDECAR = """\
2026-11-30T02:10:00.000000+00:00 g5 kernel: Memory cgroup out of memory: Killed process 5511 \
(fluent-bit) total-vm:812344kB, anon-rss:204800kB, file-rss:0kB, shmem-rss:0kB, UID:0
2026-11-30T02:10:05.000000+00:00 g5 kernel: mlx5_core 0000:17:00.0 ibs1: Link down
2026-11-30T02:10:06.000000+00:00 g5 train[77]: g5:77:99 [0] NCCL WARN NET/IB : mlx5_0:1 Got async \
event : port error
2026-11-30T02:10:20.000000+00:00 g5 train[77]: [rank3]: torch.distributed.DistBackendError: NCCL \
error in: ProcessGroupNCCL.cpp:2027, remote process exited or there was a network error, NCCL \
version 2.21.5
"""


def test_a_port_that_failed_explains_its_ranks_and_a_killed_sidecar_does_not(
    diagnose: Diagnose,
) -> None:
    """What the rank lost is the link's doing, and no consequence of the kill as well."""
    found = diagnose(syslog=SIDECAR)
    assert _first(found)[0] == "ib-link-down"
    lost = next(e for e in found.timeline.events if e.page == "nccl-remote-error")
    assert found.diagnosis is not None
    assert lost.id in found.diagnosis.root_causes[0].explains
    assert lost.id not in {*found.diagnosis.collateral, *found.diagnosis.unexplained}
