"""Each check on a bundle where all is well but for one thing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.inspection import Round, build_inspection_request, inspect, worst
from knowledge.inspection import load_inspections
from tests.assistant import healthy_host as well
from tests.assistant.healthy_host import HOST, UUIDS, Host, gpu, nvml
from tools.bundle import Bundle
from tools.evidence import Window

CHECKS = tuple(each for each in load_inspections() if not each.over_weeks)
PEERS = ("n8", "n9")


@pytest.fixture(name="host")
def _host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def go_round(host: Host, *, gpus_per_node: int = 0) -> Round:
    """Inspect the bundle."""
    with Bundle.open([host.write()]) as bundle:
        items = list(bundle.read(build_inspection_request(CHECKS, Window())))
    return inspect(items, CHECKS, gpus_per_node=gpus_per_node)


def levels(found: Round) -> dict[str, str]:
    return {each.inspection.id: each.level for each in found.answers}


def told(found: Round, check: str) -> str:
    answer = next(each for each in found.answers if each.inspection.id == check)
    return answer.worst[0].text.en


def add_peers(host: Host, *offsets: str) -> None:
    """Add hosts of which only the clock was looked at."""
    for name, offset in zip(PEERS, offsets, strict=True):
        text = well.CHRONY.replace("0.000412000", offset)
        host.files[f"host/{name}/chronyc-tracking.txt"] = ("chronyc -n tracking", text)


def test_where_all_was_seen_and_is_well_nothing_but_the_lone_clock_is_unknown(host: Host) -> None:
    """One host has no other clock to agree with; everything else is ok."""
    found = go_round(host)

    not_ok = {name: level for name, level in levels(found).items() if level != "ok"}
    assert not_ok == {"clocks-agree": "unknown"}, [told(found, name) for name in not_ok]
    assert found.exit_code == 3


def test_every_finding_cites_a_capture_that_is_listed(host: Host) -> None:
    """Whoever doubts a level can repeat the command."""
    found = go_round(host)
    cited = {name for a in found.answers for f in a.findings for name in f.evidence}

    assert cited == {each.id for each in found.evidence}
    assert all(each.command for each in found.evidence)


@pytest.fixture(scope="module", name="before")
def _before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The levels where nothing was taken away."""
    return levels(go_round(Host(tmp_path_factory.mktemp("whole"))))


@pytest.mark.parametrize("path", sorted(well.files()))
def test_what_was_not_seen_is_never_well(host: Host, before: dict[str, str], path: str) -> None:
    """Take any capture away: some check is unknown that was ok, and none becomes better."""
    del host.files[path]
    after = levels(go_round(host))

    changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    if path == f"host/{HOST}/timedatectl.txt":
        assert changed == {"time-zone": ("ok", "unknown")}
    assert changed
    assert {level for _, level in changed.values()} == {"unknown"}


Change = Callable[[Host], None]


def text(path: str, old: str, new: str) -> Change:
    """Replace words in a host's capture."""

    def change(host: Host) -> None:
        place = path if "/" in path else f"host/{HOST}/{path}.txt"
        assert old in host.files[place][1]
        host.say(place, host.files[place][1].replace(old, new))

    return change


def one_gpu(**values: object) -> Change:
    """Change the second GPU."""
    return lambda host: host.say(f"nvml/{HOST}.json", nvml(gpu(0), gpu(1, **values)))


def nodes(**values: object) -> Change:
    """Change the node."""
    return lambda host: host.say("k8s/nodes.json", well.listed(well.node(values)))


def samples(query: str, labels: dict[str, str], *values: float) -> Change:
    """Change a query's answer."""
    return lambda host: host.say(f"prometheus/{query}.json", well.answer(labels, *values))


NOT_READY = [{"type": "Ready", "status": "False", "lastTransitionTime": well.STAMP, "reason": "x"}]
LATCHED = [{"type": "GpuXidProblem", "status": "True", "lastTransitionTime": well.STAMP}]
PRESSED = [{"type": "DiskPressure", "status": "True", "reason": "low"}]
STUCK_NFS = f"{4242:>7} {1:>7} D    {'rpc_wait_bit_killable':<32} 2026-03-01T11:00:00Z python3\n"
WRONG: dict[str, tuple[Change, str, str, str]] = {
    "a soft mount that may be written": (
        text("mounts", "vers=4.2,hard", "vers=4.2,soft"), "nfs-mount-options", "critical", "lost"),
    "softerr loses writes as soft does": (
        text("mounts", "vers=4.2,hard", "vers=4.2,softerr"),
        "nfs-mount-options", "critical", "lost"),
    "a larger timeo only delays recovery": (
        text("mounts", "hard,proto=tcp,timeo=600", "hard,proto=tcp,timeo=1500"),
        "nfs-mount-options", "warning", "timeo=1500"),
    "NFS over UDP": (
        text("mounts", "hard,proto=tcp", "hard,proto=udp"), "nfs-mount-options", "warning", "UDP"),
    "a soft mount that gives up at once": (
        text("mounts", "soft,proto=tcp,timeo=600,retrans=2", "soft,proto=tcp,timeo=600,retrans=1"),
        "nfs-mount-options", "warning", "retrans=1"),
    "a health check that writes to shared storage": (
        text("gpu-healthcheck", "/var/tmp/gpu-health &&", "/data/.health &&"),
        "health-check-independent", "critical", "/data/.health"),
    "a health check that asks the GPU without limit": (
        text("gpu-healthcheck", "timeout 4 ", ""), "health-check-independent", "warning", "hung"),
    "a clock that is fast": (
        text("chronyc-tracking", "0.000412000", "0.080000000"), "time-sync", "warning", "80 ms"),
    "a clock that is slow by more than a second": (
        text("chronyc-tracking", "0.000412000 seconds fast", "2.5 seconds slow"),
        "time-sync", "critical", "-2.5 s"),
    "chrony without a source": (
        text("chronyc-tracking", "Normal", "Not synchronised"), "time-sync", "critical", "free"),
    "stratum 16": (
        text("chronyc-tracking", ": 3", ": 16"), "time-sync", "critical", "stratum 16"),
    "the system knows itself unsynchronised": (
        text("timedatectl", "=yes", "=no"), "time-sync", "critical", "not synchronised"),
    "etcd is usually above its bound": (
        samples("etcd_wal_fsync_p99", well.ETCD, 0.02, 0.03, 0.02),
        "etcd-wal-fsync", "warning", "20 ms"),
    "etcd once stalled for seconds": (
        samples("etcd_wal_fsync_p99", well.ETCD, 0.004, 6.9, 0.004),
        "etcd-wal-fsync", "critical", "6.9 s"),
    "slow commits": (
        samples("etcd_backend_commit_p99", well.ETCD, 0.06, 0.06),
        "etcd-backend-commit", "warning", "60 ms"),
    "no leader now": (
        samples("etcd_has_leader", well.ETCD, 1, 0), "etcd-leader", "critical", "no leader"),
    "no leader for a while": (
        samples("etcd_has_leader", well.ETCD, 1, 0, 1), "etcd-leader", "warning", "while"),
    "an old checkpoint": (
        text("k8s/logs/train/llm-0/trainer.log", "2026-03-01T11:30", "2026-03-01T09:00"),
        "checkpoint-age", "warning", "3.0 h"),
    "a checkpoint of yesterday": (
        text("k8s/logs/train/llm-0/trainer.log", "2026-03-01T11:30", "2026-02-28T11:30"),
        "checkpoint-age", "critical", "24"),
    "a journal in memory": (
        text("journal-header", "/var/log/", "/run/log/"), "log-retention", "critical", "memory"),
    "a journal of hours": (
        text("journal-header", "649c1d3d2f000", "64bf4c0e7c000"),
        "log-retention", "warning", "reaches back"),
    "a GPU that does not answer": (
        one_gpu(lost=True), "gpu-roster", "critical", "no answer of 1 GPU"),
    "another GPU than the inventory's": (
        one_gpu(uuid="GPU-other"), "gpu-roster", "critical", UUIDS[1]),
    "persistence mode off": (one_gpu(persistence=0), "gpu-persistence", "warning", "off"),
    "an old module under new libraries": (
        text("nvidia-version", "550.127.08", "535.183.01"),
        "driver-versions", "critical", "535.183.01"),
    "a fabric manager of another version": (
        text("packages", "550\t550.127.08", "550\t550.90.07"),
        "fabric-manager-version", "critical", "550.90.07"),
    "an uncorrectable error": (
        one_gpu(ecc_volatile_uncorrectable=2), "ecc-uncorrectable", "critical", "2"),
    "a pending remap": (one_gpu(remap_pending=True), "row-remap", "warning", "pending"),
    "a failed remap": (one_gpu(remap_failure=True), "row-remap", "critical", "failed"),
    "half the PCIe lanes": (one_gpu(pcie_width=8), "pcie-link", "critical", "x8 of x16"),
    "a port that is down": (text("ibstat", "Active", "Down"), "ib-ports", "critical", "Down"),
    "a disk that fills": (text("df", "42%", "88%"), "disk-space", "warning", "88 %"),
    "a full disk": (text("df", "42%", "99%"), "disk-space", "critical", "99 %"),
    "no inodes": (text("df-i", " 3%", "98%"), "disk-inodes", "critical", "98 %"),
    "a container's shm": (
        text("df", "504G     0  504G", "64M     0  64M"), "shm-size", "critical", "64 MiB"),
    "a process stuck on NFS": (
        text("stuck", well.STUCK, well.STUCK + STUCK_NFS),
        "stuck-processes", "critical", "rpc_wait_bit_killable"),
    "a node that is not ready": (
        nodes(status__conditions=NOT_READY), "node-conditions", "critical", "Ready is False"),
    "a latched GPU condition": (
        nodes(status__conditions=LATCHED), "node-conditions", "critical", "GpuXidProblem"),
    "disk pressure": (
        nodes(status__conditions=PRESSED), "node-conditions", "warning", "DiskPressure"),
    "a forgotten cordon": (nodes(spec__unschedulable=True), "node-taints", "warning", "cordoned"),
    "a taint of a detector": (
        nodes(spec__taints=[{"key": "gpu-health.x.io/unhealthy", "effect": "NoExecute"}]),
        "node-taints", "warning", "unhealthy:NoExecute"),
    "fewer GPUs allocatable than there are": (
        nodes(status__allocatable__gpu="1"), "gpu-allocatable", "critical", "1 of 2"),
    "a certificate of days": (
        text("certificates", "Dec 30, 2026", "Mar 05, 2026"), "certificates", "critical", "4"),
    "a job that retries for ever": (
        lambda host: host.say("k8s/jobs.json", well.listed(well.job(10_000))),
        "job-retry-limit", "warning", "10000"),
    "a container that loops": (
        lambda host: host.say(
            "k8s/pods.json", well.listed(well.pod(9, waiting={"reason": "CrashLoopBackOff"}))),
        "pods-steady", "critical", "CrashLoopBackOff"),
    "a new Xid": (
        samples("gpu_new_xid", {"Hostname": HOST, "UUID": UUIDS[0]}, 0, 79, 0),
        "no-new-xid", "critical", "Xid 79"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_one_thing_that_is_wrong_is_found_and_nothing_else(host: Host, name: str) -> None:
    """The check of that thing says so, in its words; no other is worse than before."""
    change, check, level, words = WRONG[name]
    before = levels(go_round(host))
    change(host)
    found = go_round(host)
    after = levels(found)

    assert after[check] == level, told(found, check)
    assert words in told(found, check)
    worse = {n for n in after if worst([before[n], after[n]]) != before[n]}  # type: ignore[list-item]  # of levels
    assert worse - {check} <= {"gpu-allocatable", "pcie-link"}
    assert found.exit_code == {"warning": 1, "critical": 2}[level]


def test_a_wrong_check_of_every_judged_kind_is_tried() -> None:
    """No check is shipped that no example has ever failed."""
    tried = {check for _, check, _, _ in WRONG.values()} | {
        "clocks-agree", "time-zone", "hung-commands",
    }  # fmt: skip
    assert tried == {each.id for each in CHECKS}


def test_clocks_that_disagree_are_found_by_the_others(host: Host) -> None:
    """The middle of the others is the measure, not true time."""
    add_peers(host, "0.000100000", "0.700000000")
    found = go_round(host)

    assert levels(found)["clocks-agree"] == "warning"
    answer = next(a for a in found.answers if a.inspection.id == "clocks-agree")
    assert [each.host for each in answer.worst] == ["n9"]


def test_a_host_of_which_less_was_seen_is_unknown_by_name(host: Host) -> None:
    """Its disks were not looked at: that is said of it, not of the host that is well."""
    add_peers(host, "0.000100000", "0.000200000")
    answer = next(a for a in go_round(host).answers if a.inspection.id == "disk-space")

    assert {each.host: each.level for each in answer.findings} == {
        HOST: "ok", "n8": "unknown", "n9": "unknown",
    }  # fmt: skip


def test_hosts_with_another_zone_than_most_are_found(host: Host) -> None:
    """Two in Shanghai, one in Berlin; UTC needs no translation and is never wrong."""
    for name, zone in (("n8", "Asia/Shanghai"), ("n9", "Asia/Shanghai"), ("n10", "Europe/Berlin")):
        host.files[f"host/{name}/timedatectl.txt"] = ("timedatectl show", f"Timezone={zone}\n")
    answer = next(a for a in go_round(host).answers if a.inspection.id == "time-zone")

    assert {each.host: each.level for each in answer.findings} == {
        HOST: "ok", "n8": "ok", "n9": "ok", "n10": "warning",
    }  # fmt: skip


def test_a_command_that_hung_is_critical(host: Host) -> None:
    """It is an observation, often the decisive one."""
    host.files[f"host/{HOST}/df-mount-0.txt"] = ("df -h /data", "")
    host.outcomes[f"host/{HOST}/df-mount-0.txt"] = "hung"
    found = go_round(host)

    assert levels(found)["hung-commands"] == "critical"
    assert "df -h /data" in told(found, "hung-commands")


def test_the_expected_number_may_come_from_the_configuration(host: Host) -> None:
    """Without an inventory a number for all nodes does; without either nothing is known."""
    host.files.pop("topology.json")
    assert levels(go_round(host))["gpu-roster"] == "unknown"
    assert levels(go_round(host, gpus_per_node=2))["gpu-roster"] == "ok"
    assert levels(go_round(host, gpus_per_node=8))["gpu-roster"] == "critical"


def test_a_slower_generation_counts_only_under_load(host: Host) -> None:
    """An idle GPU lowers its link by itself."""
    alike = [gpu(0), gpu(0, uuid="GPU-b"), gpu(0, uuid="GPU-c")]
    for use, level in ((0, "ok"), (80, "warning")):
        slow = gpu(1, pcie_generation=1, utilization_percent=use)
        host.say(f"nvml/{HOST}.json", nvml(*alike, slow))
        assert levels(go_round(host))["pcie-link"] == level


def test_a_number_and_its_noun_agree(host: Host) -> None:
    """One GPU, two GPUs; nobody reads "GPU(s)"."""
    for lost, words in ((1, "no answer of 1 GPU, 1 answer"), (0, "2 of 2")):
        host.say(f"nvml/{HOST}.json", nvml(gpu(0), gpu(1, lost=bool(lost))))
        assert words in told(go_round(host), "gpu-roster")


def test_what_is_wrong_stands_above_what_is_not_known() -> None:
    """Unknown never hides a warning; of nothing nothing is known."""
    assert worst(["ok", "unknown", "warning"]) == "warning"
    assert worst(["ok", "unknown"]) == "unknown"
    assert worst([]) == "unknown"
