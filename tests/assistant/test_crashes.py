"""A host that went down without a word did so between its last line and its next boot."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.event import Event
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.handbook import shipped

END = datetime(2026, 6, 17, 10, tzinfo=UTC)
BANNER = "kernel: Linux version 6.8.0-60-generic (buildd@lcy02-amd64-101)"
GONE = "NCCL WARN socketProgress: Connection closed by remote peer {host}<50012>"
Said = list[tuple[datetime, str]]


def at(seconds: float) -> datetime:
    """Return a moment by its distance from the host's last line."""
    return END + timedelta(seconds=seconds)


def lived(until: float = 0.0) -> Said:
    """Return what a host says while it is up."""
    text = "systemd[1]: Started session-{}.scope - Session {} of User alice."
    return [(at(until - 20 * n), text.format(n, n)) for n in range(30)]


def crashed(until: float = 0.0, boot: float = 250.0) -> Said:
    """Return a host's log that ends in mid-sentence and goes on with a boot."""
    return [*lived(until), (at(boot), BANNER), *lived(boot + 640)]


def left(peer: str, after: float = 20.0) -> Said:
    """Return what a rank says whose peer is gone."""
    return [*lived(), (at(after), f"train[4410]: n:4410:4502 [3] {GONE.format(host=peer)}")]


def syslog(folder: Path, host: str, said: Said) -> None:
    """Write a host's log."""
    rows = [f"{moment:%Y-%m-%dT%H:%M:%S+00:00} {host} {text}\n" for moment, text in sorted(said)]
    (folder / f"{host}.log").write_text("".join(rows))


def export(folder: Path, host: str, said: Said) -> None:
    """Write it as the journal's export."""
    with (folder / f"{host}.export").open("w") as out:
        for moment, text in sorted(said):
            tag, _, message = text.partition(": ")
            way = "kernel" if tag == "kernel" else "syslog"
            out.write(
                f"__CURSOR=s\n__REALTIME_TIMESTAMP={moment.timestamp():.0f}000000\n"
                f"_TRANSPORT={way}\n_HOSTNAME={host}\nSYSLOG_IDENTIFIER={tag.partition('[')[0]}\n"
                f"MESSAGE={message}\n\n"
            )


def read(folder: Path) -> Investigation:
    """Look into all of it."""
    return investigate([folder], Incident(), shipped())


def boots(found: Investigation) -> Mapping[str, Event]:
    """Return the reboots by host."""
    return {e.entity.id: e for e in found.timeline.events if e.page == "node-rebooted"}


@pytest.mark.parametrize("write", [syslog, export])
def test_a_crash_explains_what_its_peers_said_before_the_boot(
    tmp_path: Path, write: Callable[[Path, str, Said], None]
) -> None:
    """It is the first anomaly, though its first line is the last of all."""
    write(tmp_path, "gpu-07", crashed())
    write(tmp_path, "gpu-08", left("gpu-07"))
    found = read(tmp_path)
    (boot,) = boots(found).values()
    assert (boot.latest - boot.earliest) == pytest.approx(250, abs=2)
    assert found.diagnosis is not None
    assert found.diagnosis.first_anomaly == boot.id
    assert [root.event for root in found.diagnosis.root_causes] == [boot.id]
    assert not found.diagnosis.unexplained


@pytest.mark.parametrize(
    "log",
    [
        [*crashed(), (at(-1), "systemd-logind[902]: System is rebooting.")],
        [*crashed(), (at(-1), "systemd[1]: Reached target reboot.target - System Reboot.")],
        [*crashed(), (at(-1), "systemd-shutdown[1]: Syncing filesystems and block devices.")],
        [*crashed(), (at(-1), "rsyslogd: [origin] exiting on signal 15.")],
        [*crashed(), (at(-400), "systemd-logind[902]: The system will power off now!")],
        [(at(n * 3600), "kernel: nvme nvme0: 64/0/0 queues") for n in (-3, -2, -1, 0)]
        + [(at(3000), BANNER)],
    ],
    ids=["logind", "target", "shutdown", "rsyslogd", "asked-before", "kernel-only"],
)
def test_a_boot_after_an_order_or_a_sparse_log_is_dated_at_its_line(
    tmp_path: Path, log: Said
) -> None:
    """Nothing says that the host was dead before."""
    syslog(tmp_path, "gpu-07", log)
    (boot,) = boots(read(tmp_path)).values()
    assert boot.before_s == 0.0
    assert "silence_s" not in boot.fields


@pytest.mark.parametrize("said", ["System is rebooting the pool", "Journal stopped"])
def test_a_program_that_speaks_of_its_own_end_ordered_no_boot(tmp_path: Path, said: str) -> None:
    """Only init, the kernel and the loggers speak for their host."""
    syslog(tmp_path, "gpu-07", [*crashed(), (at(-1), f"python3[777]: {said}")])
    (boot,) = boots(read(tmp_path)).values()
    assert boot.fields["silence_s"] == pytest.approx(251, abs=2)


@pytest.mark.parametrize("write", [syslog, export])
def test_a_host_that_crashed_right_after_an_ordered_boot_crashed(
    tmp_path: Path, write: Callable[[Path, str, Said], None]
) -> None:
    """What stands before the boot before is of that one."""
    order = (at(-1), "systemd-logind[902]: System is rebooting.")
    short = [(at(120.0 + n), f"systemd[1]: Started unit-{n}.service.") for n in range(20)]
    boot = [(at(100), BANNER), *short, (at(1100), BANNER)]
    write(tmp_path, "gpu-07", [*lived(), order, *boot, *lived(1800)])
    seen = [e for e in read(tmp_path).timeline.events if "kernel" in e.channels]
    assert [e.fields.get("silence_s") for e in seen if e.start.utc == at(1100)] == [961.0]


def test_a_boot_that_says_its_banner_often_is_looked_into_once(tmp_path: Path) -> None:
    """Each within seconds is the same boot's, and tells the same."""
    syslog(tmp_path, "gpu-07", [*lived(), *[(at(250 + n), BANNER) for n in range(9)], *lived(900)])
    (boot,) = boots(read(tmp_path)).values()
    assert boot.fields["silence_s"] == 250.0


def test_a_log_of_many_hosts_tells_of_each(tmp_path: Path) -> None:
    """Hundreds of others' lines lie between the old boot's last line and the new one's first."""
    rows = [(moment, "gpu-07", text) for moment, text in crashed()]
    rows += [
        (at(n / 4), f"gpu-{n % 50 + 100}", f"systemd[1]: Started session-{n}.scope - Session {n}.")
        for n in range(2000)
    ]
    lines = (f"{at:%Y-%m-%dT%H:%M:%S+00:00} {host} {text}\n" for at, host, text in sorted(rows))
    (tmp_path / "syslog").write_text("".join(lines))
    assert boots(read(tmp_path))["gpu-07"].before_s == pytest.approx(250, abs=2)


@pytest.mark.parametrize(
    ("last", "silence"),
    [
        ([], 250.0),
        ([(at(-1), "systemd-logind[902]: System is rebooting.")], 0.0),
        ([(at(-1), "systemd[1]: Reached target reboot.target - System Reboot.")], 0.0),
        ([(at(-1), 'rsyslogd: [origin software="rsyslogd"] exiting on signal 15.')], 0.0),
        ([(at(-1), "systemd-journald[401]: Journal stopped")], 0.0),
        ([(at(-1), "python3[7]: Journal stopped")], 250.0),
    ],
    ids=["crash", "logind", "target", "rsyslogd", "journald", "a program's own"],
)
@pytest.mark.parametrize("write", [syslog, export])
def test_the_old_boot_may_end_in_a_file_of_its_own(
    tmp_path: Path, write: Callable[[Path, str, Said], None], last: Said, silence: float
) -> None:
    """A log is rotated, and a journal is saved boot by boot."""
    (tmp_path / "old").mkdir()
    write(tmp_path / "old", "gpu-07", [*lived(), *last])
    write(tmp_path, "gpu-07", [(at(250), BANNER), *lived(890)])
    (boot,) = {e.before_s for e in read(tmp_path).timeline.events if "kernel" in e.channels}
    assert boot == pytest.approx(silence, abs=2)


def test_the_end_of_one_daemons_file_is_not_its_hosts(tmp_path: Path) -> None:
    """It may have stopped alone, or writes elsewhere since."""
    (tmp_path / "old").mkdir()
    alone = [(at(-20.0 * n), f"slurmd[221]: debug: health check {n}") for n in range(30)]
    syslog(tmp_path / "old", "gpu-07", alone)
    syslog(tmp_path, "gpu-07", [(at(250), BANNER), *lived(890)])
    assert {e.before_s for e in read(tmp_path).timeline.events if "kernel" in e.channels} == {0.0}


@pytest.mark.parametrize("page", ["kernel-panic", "host-reset-by-watchdog", "host-power-lost"])
def test_what_brought_a_host_down_leads_where_it_was_seen(tmp_path: Path, page: str) -> None:
    """The crash is its consequence, and the peers' errors are the crash's."""
    panic = "kernel: Kernel panic - not syncing: Fatal exception in interrupt"
    rows = {
        "host-reset-by-watchdog": "Watchdog2 #0x71 | Hard reset",
        "host-power-lost": "Power Unit Pwr Unit Status | AC lost",
    }
    syslog(tmp_path, "gpu-07", crashed() + [(at(0.5), panic)] * (page == "kernel-panic"))
    syslog(tmp_path, "gpu-08", left("gpu-07"))
    if page in rows:
        sel = tmp_path / "host" / "gpu-07" / "ipmitool-sel.txt"
        sel.parent.mkdir(parents=True)
        sel.write_text(f"   4 | 06/17/2026 | 10:01:02 UTC | {rows[page]} | Asserted\n")
    found = read(tmp_path)
    assert found.diagnosis is not None
    (root,) = found.diagnosis.root_causes
    assert root.page == page
    assert boots(found)["gpu-07"].id in root.explains
    assert not found.diagnosis.unexplained


def test_a_server_that_crashed_is_why_its_clients_waited(tmp_path: Path) -> None:
    """They call it by its host's name, and nobody need infer what was seen."""
    syslog(tmp_path, "nfs01", crashed())
    for host in ("gpu-01", "gpu-02", "gpu-03"):
        stalled = (at(180), "kernel: nfs: server nfs01 not responding, still trying")
        syslog(tmp_path, host, [*lived(600), stalled])
    found = read(tmp_path)
    assert found.diagnosis is not None
    assert [root.event for root in found.diagnosis.root_causes] == [boots(found)["nfs01"].id]
    assert not found.diagnosis.unexplained


def rack(folder: Path, ends: Sequence[float]) -> Investigation:
    """Let hosts of one rack go down at these times, and others lose their peers."""
    rows = [(f"gpu-{n:02d}", "r1" if n < len(ends) else "r2") for n in range(2 * len(ends))]
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": host, "labels": {"topology.example.com/rack": name}},
        }
        for host, name in rows
    ]
    told = {"apiVersion": "v1", "kind": "List", "items": nodes}
    (folder / "nodes.json").write_text(json.dumps(told))
    for n, end in enumerate(ends):
        syslog(folder, f"gpu-{n:02d}", crashed(end, 1500 + 40.0 * n))
        syslog(folder, f"gpu-{n + len(ends):02d}", left(f"gpu-{n:02d}", end + 20 + n))
    return read(folder)


def test_hosts_of_a_rack_that_stop_at_once_lost_what_they_share(tmp_path: Path) -> None:
    """One cause at the rack, and nothing of the peers' comes first."""
    found = rack(tmp_path, (-3, 3, 0, 1, -2, 2))
    assert found.diagnosis is not None
    (root,) = found.diagnosis.root_causes
    assert (root.page, root.entity.id) == ("rack-power-lost", "r1")
    assert set(root.explains) >= {boot.id for boot in boots(found).values()}
    assert "6 affected" in root.where.text.en
    assert found.diagnosis.first_anomaly in {boot.id for boot in boots(found).values()}
    assert not found.diagnosis.unexplained


def test_hosts_that_stop_one_after_the_other_share_no_power(tmp_path: Path) -> None:
    """That somebody started them at one time says nothing of why each had stopped."""
    found = rack(tmp_path, (0, 500, 1000))
    assert found.diagnosis is not None
    assert "rack-power-lost" not in {root.page for root in found.diagnosis.root_causes}
