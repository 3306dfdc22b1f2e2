"""Lines that call themselves no error, on a host that works, and yet no operator calls it well."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

START = datetime(2025, 6, 20, tzinfo=UTC)
STRAGGLERS = (
    "STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks"
)
REAPED = "oom_reaper: reaped process 8812 (python3), now anon-rss:0kB, file-rss:0kB"
NARROW = (
    "31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:3a:01.0"
    " (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)"
)
UNIT = "systemd[1]: gpu-healthcheck.service: "


def _line(minute: float, text: str) -> str:
    return f"{(START + timedelta(minutes=minute)).isoformat()} n1 {text}"


def _quiet(since: int = 0) -> Iterator[str]:
    """An hour or more of a host whose kernel says little and whose job steps on."""
    for minute in range(since, 61):
        yield _line(minute, f"train[42]: step {minute * 10 + 6000} loss 2.31 lr 0.0003")
        yield _line(minute, "kernel: EXT4-fs (nvme0n1p2): re-mounted. Quota mode: none.")


def _diagnose(folder: Path, more: Iterable[str], since: int = 0) -> Investigation:
    (folder / "syslog").write_text("\n".join(sorted([*_quiet(since), *more])) + "\n")
    return investigate([folder], Incident(), shipped(), now=START + timedelta(hours=1))


def _told(found: Investigation) -> tuple[str, set[str]]:
    assert found.diagnosis is not None
    assert not found.timeline.unread
    pages = {event.page for event in found.timeline.events} - {"training-progress"}
    return found.diagnosis.verdict, pages


@pytest.mark.parametrize(
    ("text", "page"),
    [
        (f"{UNIT}Main process exited, code=exited, status=1/FAILURE", "unit-failed"),
        (f"{UNIT}Failed with result 'exit-code'.", "unit-failed"),
        ("systemd[1]: Failed to start GPU health check.", "unit-failed"),
        (f"{UNIT}Start request repeated too quickly.", "unit-failed"),
        (
            "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
            "fabric-manager-failed",
        ),
        (
            "systemd[1]: kubelet.service: Main process exited, code=exited, status=1/FAILURE",
            "kubelet-not-running",
        ),
        ("systemd[1]: train.service: Failed with result 'oom-kill'.", "unit-oom-killed"),
        ("train[42]: device_count() = 7, expected 8", "gpu-count-below-expected"),
        ("train[42]: Found 7 GPUs, expected 8", "gpu-count-below-expected"),
        ("train[42]: rank 37 is 1.8x slower than median", "rank-straggler"),
        (f"train[42]: {STRAGGLERS}: [76, 13]", "rank-straggler"),
        (
            "train[42]: ucp_context.c:586  UCX  WARN  device 'mlx5_3:1' is not available",
            "rdma-device-unusable",
        ),
        ("kernel: bnxt_en 0000:31:00.0 ens1f0np0: NIC Link is Down", "ib-link-down"),
        (f"kernel: {REAPED}", "process-oom-killed"),
        (f"kernel: nvidia 0000:3b:00.0: {NARROW}", "pcie-bandwidth-limited"),
        (
            "kernel: NVRM: Xid (PCI:0000:3b:00): 92, pid=7, name=py, High single-bit ECC error",
            "xid-92-high-corrected-ecc",
        ),
        (
            "systemd-coredump[99]: Process 771 (python3) of user 0 dumped core.",
            "process-core-dumped",
        ),
        ("train[42]: Aborted (core dumped)", "process-core-dumped"),
        (
            "smartd[8]: Device: /dev/sda [SAT], 8 Currently unreadable (pending) sectors",
            "disk-failure-predicted",
        ),
        (
            "monit[70]: filesystem /data space usage 100.0% matches resource limit",
            "disk-full",
        ),
        (
            "train[42]: OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 1, reducing to 1",
            "training-diverged",
        ),
    ],
)
def test_such_a_line_is_known_and_forbids_healthy(tmp_path: Path, text: str, page: str) -> None:
    """One page takes it, the most particular there is."""
    assert _told(_diagnose(tmp_path, [_line(30, text)])) == ("inconclusive", {page})


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0", "mce-corrected"),
        (
            "pcieport 0000:97:01.0: AER: Corrected error received: 0000:9b:00.0",
            "pcie-aer-corrected",
        ),
        ("mce: [Hardware Error]: Corrected error, no action required.", "mce-corrected"),
    ],
)
@pytest.mark.parametrize(("count", "verdict"), [(9, "healthy"), (600, "inconclusive")])
def test_corrected_errors_are_harmless_one_by_one_and_no_flood_of_them_is(
    tmp_path: Path, text: str, page: str, count: int, verdict: str
) -> None:
    """The writer calls each of them information; hundreds within minutes are a part that fails."""
    flood = [_line(20 + n * 0.03, f"kernel: {text}") for n in range(count)]
    assert _told(_diagnose(tmp_path, flood)) == (verdict, {page})


def test_what_was_corrected_all_day_at_one_rate_is_no_news(tmp_path: Path) -> None:
    """Two lines a minute for eight hours, no oftener at the end."""
    text = "kernel: pcieport 0000:97:01.0: AER: Corrected error received: 0000:9b:00.0"
    hum = [_line(n / 2 - 420, text) for n in range(960)]
    assert _told(_diagnose(tmp_path, hum, since=-420)) == ("healthy", {"pcie-aer-corrected"})
