"""A reboot that was asked for and ended well is a change, and no fault."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

ASKED = "sudo[4410]:    alice : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/sbin/shutdown -r now"
PORT = "kernel: mlx5_core 0000:1b:00.0 mlx5_0: Port: 1 Link DOWN"
BANNER = "kernel: Linux version 6.8.0-60-generic (buildd@lcy02-amd64-101)"
DOWN = {
    "04:01:44": ASKED,
    "04:01:45": "systemd-logind[1102]: The system will reboot now!",
    "04:01:46": "systemd-logind[1102]: System is rebooting.",
    "04:01:47": "systemd[1]: Stopping kubelet: The Kubernetes Node Agent...",
    "04:01:50": PORT,
    "04:01:53": "systemd-shutdown[1]: Syncing filesystems and block devices.",
}
UP = {
    "04:06:02": BANNER,
    "04:06:31": "systemd[1]: Started kubelet: The Kubernetes Node Agent.",
    "04:50:00": "systemd[1]: Started Session 7 of User alice.",
}
BEGIN = datetime(2026, 6, 17, 2, tzinfo=UTC)
WORK = {
    f"{BEGIN + timedelta(minutes=minute):%H:%M:%S}": f"train[5210]: step {minute} loss 2.9 2.9s/it"
    for minute in range(175)
    if not 121 <= minute <= 128
}


def _read(folder: Path, said: dict[str, str]) -> Investigation:
    lines = sorted(f"2026-06-17T{clock}+00:00 gpu-w5 {text}\n" for clock, text in said.items())
    (folder / "syslog").write_text("".join(lines))
    return investigate([folder], Incident(), shipped())


def test_it_explains_the_link_that_went_down_with_the_host(tmp_path: Path) -> None:
    """The port has its link back with the next boot, and the urgency is the change's own."""
    found = _read(tmp_path, DOWN | UP)
    assert found.diagnosis is not None
    assert found.diagnosis.root_causes[0].page == "node-shutting-down"
    assert not found.diagnosis.unexplained
    assert found.diagnosis.state.now == "recovered"
    (port,) = (e for e in found.timeline.events if e.page == "ib-link-down")
    assert port.end is not None
    assert f"{port.end.utc:%H:%M:%S}" == "04:06:02"
    assert port.id in found.diagnosis.root_causes[0].explains
    assert found.priority is not None
    assert found.priority.level == "P2"


def test_where_work_went_on_all_is_well(tmp_path: Path) -> None:
    """The reboot is told among the changes."""
    found = _read(tmp_path, DOWN | UP | WORK)
    assert found.diagnosis is not None
    assert found.diagnosis.verdict == "healthy"
    assert "node-rebooted" in {change.page for change in found.diagnosis.changes}
    assert found.priority is not None
    assert found.priority.level == "P3"


def test_what_was_broken_before_the_reboot_is_not_mended_by_it(tmp_path: Path) -> None:
    """Nobody saw the link come back."""
    said = {"03:55:00": PORT} | DOWN | UP
    del said["04:01:50"]
    found = _read(tmp_path, said)
    (port,) = (e for e in found.timeline.events if e.page == "ib-link-down")
    assert not port.is_closed


def test_what_breaks_after_the_boot_stays_open(tmp_path: Path) -> None:
    """The cluster tells of the reboot for long: the host was up when its kernel said so."""
    told = {
        "apiVersion": "v1", "kind": "Event", "reason": "Rebooted", "type": "Warning",
        "metadata": {"name": "gpu-w5.1", "namespace": "default"},
        "message": "Node gpu-w5 has been rebooted, boot id: 9c1d2e3f-4a5b-6c7d-8e9f-0a1b2c3d4e5f",
        "involvedObject": {"kind": "Node", "name": "gpu-w5"}, "count": 2,
        "firstTimestamp": "2026-06-17T04:06:40Z", "lastTimestamp": "2026-06-17T04:14:00Z",
    }  # fmt: skip
    (tmp_path / "events.json").write_text(json.dumps({"kind": "List", "items": [told]}))
    failed = {"04:07:31": "systemd[1]: kubelet.service: Failed with result 'exit-code'."}
    found = _read(tmp_path, DOWN | UP | failed)
    (kubelet,) = (e for e in found.timeline.events if e.page == "kubelet-not-running")
    assert not kubelet.is_closed
    assert not kubelet.known


def test_a_host_that_did_not_come_back_is_not_well(tmp_path: Path) -> None:
    """Its port is down, and nothing says that it started again."""
    found = _read(tmp_path, DOWN)
    (port,) = (e for e in found.timeline.events if e.page == "ib-link-down")
    assert not port.is_closed
    assert not port.known


def test_a_reboot_that_nobody_asked_for_is_no_order(tmp_path: Path) -> None:
    """A crash ends in mid-sentence; work that went on afterwards makes it none the better."""
    crash = {"04:01:50": PORT, "04:06:02": BANNER}
    found = _read(tmp_path, crash | WORK)
    assert found.diagnosis is not None
    assert found.diagnosis.verdict != "healthy"
