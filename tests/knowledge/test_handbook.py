import pytest

from knowledge.lint import lint
from knowledge.page import MetricSignature, TextSignature
from knowledge.pattern import compile_pattern, encode
from tests.assistant.handbook import shipped
from tools.entity import ENTITY_KINDS

GST = (1001, 1002, 1003, 2001, 2002, 2003, 3001, 3002, 3003, 4001, 4002, 4003)


@pytest.mark.uncounted  # of pages, not of code: each rule has its own tests
def test_the_shipped_handbook_has_no_error() -> None:
    """Every pattern, sample, link and sentence of every page is proven."""
    problems = [p for p in lint(shipped(), ENTITY_KINDS) if p.level == "error"]
    assert problems == []


@pytest.mark.parametrize("number", GST)
def test_each_platform_code_has_one_page(number: int) -> None:
    """Found by its code, standing for conditions, with the source named and its claims as traps."""
    (page,) = shipped().by_code(f"GST-{number}")
    assert page.id == f"gst-{number}"
    assert page.stands_for
    assert page.traps
    assert any(origin.trust == "handbook" for origin in page.sources)
    assert any(origin.trust != "handbook" for origin in page.sources)


@pytest.mark.parametrize(
    ("number", "claim", "fact"),
    [
        (1001, "dcgm diag -g 0", "dcgmi"),
        (1002, "10 correctable errors an hour", "no such defaults"),
        (1002, "greps the kernel log for nvidia", "NVRM"),
        (1003, "timestampslice", "sharing.timeSlicing"),
        (2001, "NCCL_TIMEOUT", "init_process_group(timeout=)"),
        (2001, "NCCL_NET_IB_DISABLE", "does not exist"),
        (2002, "underflow", "overflow"),
        (3002, "8192", "2048"),
        (4001, "df -h", "mountstats"),
    ],
)
def test_wrong_claims_of_the_source_are_traps(number: int, claim: str, fact: str) -> None:
    """The claim stands beside the fact that corrects it."""
    page = shipped().page(f"gst-{number}")
    assert any(claim in trap.en and fact in trap.en for trap in page.traps)


def test_kernel_kills_are_told_apart() -> None:
    """One line each: the container's limit, and the host's memory."""
    for page_id, constraint in (("cgroup-oom-kill", "MEMCG"), ("host-oom-kill", "NONE")):
        page = shipped().page(page_id)
        lines = [s.examples[0] for s in page.signatures if isinstance(s, TextSignature)]
        assert any(f"CONSTRAINT_{constraint}" in line for line in lines)


def test_every_line_is_known_in_two_spellings() -> None:
    """One sample only shows that a pattern matches what it was written from."""
    alone = [
        (page.id, signature.id)
        for page, signature in shipped().signatures()
        if isinstance(signature, TextSignature) and len(set(signature.examples)) < 2
    ]
    assert alone == []


@pytest.mark.parametrize(
    ("alert", "page_id"),
    [
        ("KubeNodeNotReady", "node-not-ready"),
        ("KubeNodeUnreachable", "node-not-ready"),
        ("KubeletPlegDurationHigh", "kubelet-pleg-unhealthy"),
        ("KubePodCrashLooping", "pod-failed"),
        ("KubeContainerWaiting", "image-pull-failed"),
        ("KubeJobFailed", "job-failed"),
        ("KubePersistentVolumeFillingUp", "disk-full"),
        ("NodeFilesystemAlmostOutOfSpace", "disk-full"),
        ("NodeFilesystemAlmostOutOfFiles", "disk-full"),
        ("NodeClockSkewDetected", "clock-unsynchronised"),
        ("NodeClockNotSynchronising", "clock-unsynchronised"),
        ("NodeSystemdServiceFailed", "fabric-manager-failed"),
        ("KubeAPIErrorBudgetBurn", "apiserver-slow"),
        ("KubeAPITerminatedRequests", "apiserver-slow"),
        ("etcdHighFsyncDurations", "etcd-slow-disk"),
        ("etcdHighCommitDurations", "etcd-slow-disk"),
        ("etcdNoLeader", "etcd-leader-lost"),
        ("etcdHighNumberOfLeaderChanges", "etcd-leader-lost"),
        ("TargetDown", "exporter-down"),
    ],
)
def test_alerts_of_the_common_rule_sets_lead_to_a_page(alert: str, page_id: str) -> None:
    """Names as kubernetes-mixin, node_exporter, etcd and kube-prometheus spell them."""
    samples = [
        example
        for signature in shipped().page(page_id).signatures
        if isinstance(signature, TextSignature) and signature.source == "alert"
        for example in signature.examples
    ]
    assert any(sample.startswith(f"{alert}: ") for sample in samples)


@pytest.mark.parametrize(
    "path",
    [
        "/kubepods/burstable/pod8f1c2d3e-4a5b-4c6d-8e7f-9a0b1c2d3e4f/{container}",
        "/system.slice/docker-{container}.scope",
        "/docker/{container}",
    ],
)
def test_a_kill_names_its_container_whoever_made_the_group(path: str) -> None:
    """Kubernetes, Docker under systemd, Docker alone: the id is the last long number."""
    group = path.format(container="5d" * 32)
    victim = f"oom_memcg={group},task_memcg={group},task=python3,pid=7,uid=0"
    line = f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),{victim}"
    (kill,) = (s for s in shipped().page("cgroup-oom-kill").signatures if s.id == "constraint")
    assert isinstance(kill, TextSignature)
    found = compile_pattern(kill.regex).search(encode(line))
    assert found is not None
    assert found["container_id"] == "5d" * 32


def test_a_change_of_the_gauge_of_xids_only_repeats_the_kernel() -> None:
    """The driver prints the line, the exporter tells its number on: on every page that reads it."""
    told = [
        (page.id, signature.echoes)
        for page, signature in shipped().signatures()
        if isinstance(signature, MetricSignature) and signature.query == "gpu_new_xid"
    ]
    assert len(told) > 1
    assert [page for page, echoes in told if not echoes] == []
