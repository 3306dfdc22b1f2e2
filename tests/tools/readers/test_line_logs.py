"""Line logs of every dialect: time, host, writer, channel, and messages of several lines."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.tools.readers import samples
from tests.tools.readers.conftest import Read, read_paths
from tools.evidence import Window
from tools.scan import BLOCK


def test_syslog_tells_kernel_from_daemons(read: Read) -> None:
    """The tag decides the channel; the boot clock before the kernel's text becomes a field."""
    reads = read(samples.SYSLOG, now="2026-01-01T00:00:00Z")
    told = [(r.channel, r.unit, r.host, r.line) for r in reads.records]
    assert told == [
        ("kernel", "kernel", "astra-gpu-07", 2),
        ("kernel", "kernel", "astra-gpu-07", 3),
        ("service", "kubelet", "astra-gpu-07", 4),
    ]
    assert reads.records[0].text.startswith("NVRM: Xid (PCI:0000:9b:00): 79")
    assert reads.records[0].fields["boot_s"] == "81231.102311"
    assert reads.records[0].clock == "host:astra-gpu-07"


def test_a_year_is_never_after_the_capture(read: Read) -> None:
    """December lines of a log taken in January belong to last year; zones stay unknown."""
    text = samples.SYSLOG.replace("Jun 20", "Dec 30")
    reads = read(text, now="2026-01-02T00:00:00Z")
    time = reads.records[0].time
    assert time is not None
    assert (time.utc.year, time.zone, time.uncertainty_s) == (2025, "unknown", 14 * 3600 + 1)


def test_a_configured_zone_is_assumed(read: Read) -> None:
    """A host's zone comes before the general one."""
    zones = {"zone": "UTC", "host_zones": {"astra-gpu-07": "Asia/Shanghai"}}
    reads = read(samples.SYSLOG, now="2026-01-01T00:00:00Z", **zones)
    time = reads.records[0].time
    assert time is not None
    assert (time.utc.isoformat(), time.zone) == ("2025-06-19T18:23:11+00:00", "assumed")


def test_iso_syslog_states_its_zone(read: Read) -> None:
    """Offsets are applied; RFC 5424 headers are understood."""
    reads = read(samples.SYSLOG_ISO)
    times = [r.time.utc.isoformat() for r in reads.records if r.time]
    assert times == ["2025-06-20T02:23:11.500000+00:00", "2025-06-20T02:23:12.003000+00:00"]
    assert [(r.host, r.unit) for r in reads.records][1] == ("astra-gpu-08", "kubelet")


def test_boot_clock_is_anchored_by_the_clock_that_was_set(read: Read) -> None:
    """`setting system clock to` ties boot seconds to wall time."""
    reads = read(samples.DMESG)
    first = reads.records[0]
    assert first.time is not None
    assert first.time.utc.isoformat() == "2025-06-20T02:23:20.296000+00:00"


def test_boot_clock_without_anchor_keeps_its_distances(read: Read) -> None:
    """They are all that is known: nothing dates it, least of all the file's age."""
    now = "2025-07-01T00:00:00Z"
    reads = read(samples.DMESG.replace("setting system clock", "whatever"), now=now)
    first, *_, last = [r for r in reads.records if r.time is not None]
    assert first.time is not None
    assert last.time is not None
    apart = (last.time.utc - first.time.utc).total_seconds()
    boot = [float(record.fields["boot_s"]) for record in (first, last)]
    assert apart == pytest.approx(boot[1] - boot[0])
    assert (first.time.zone, first.time.dated) == ("unknown", False)
    assert reads.evidence[0].window == Window()
    assert {r.clock for r in reads.records} == {"file:E1"}


def test_kernel_messages_of_several_lines_are_one(read: Read) -> None:
    """An AER block and the fall-off text are one record each."""
    texts = [r.text for r in read(samples.DMESG).records]
    assert len(texts) == 2
    assert texts[0].count("\n") == 3
    assert texts[0].endswith("[12] Replay Timer Timeout")
    assert "fallen off the bus" in texts[1]
    assert texts[1].startswith("NVRM: The NVIDIA GPU 0000:b3:00.0")


def test_a_block_is_joined_across_other_writers(read: Read) -> None:
    """Lines of daemons between an oom-kill's lines do not split it, nor get lost."""
    stamp = "Jun 20 02:23:11 gpu-1"
    text = (
        f"{stamp} kernel: oom-kill:constraint=CONSTRAINT_MEMCG,task=python3,pid=41\n"
        f"{stamp} kubelet[1]: PLEG is not healthy: x\n"
        f"{stamp} kernel: Memory cgroup out of memory: Killed process 41 (python3)\n"
        f"{stamp} kernel: nfs: server a not responding, still trying\n"
    )
    records = read(text).records
    assert [r.text.split(":")[0] for r in records] == ["oom-kill", "PLEG is not healthy", "nfs"]
    assert "Killed process 41" in records[0].text
    assert [r.line for r in records] == [1, 2, 4]


def test_wall_time_of_dmesg_has_no_zone(read: Read) -> None:
    """`dmesg -T` prints local time."""
    record = read(samples.DMESG_T).records[0]
    assert record.channel == "kernel"
    assert record.time is not None
    assert record.time.zone == "unknown"


def test_container_logs_join_tracebacks(read: Read) -> None:
    """Each line has its own stamp, the traceback is one record that begins with its first."""
    reads = read(samples.CRI, "k8s/logs/train/job-0/trainer.previous.log")
    (record,) = reads.records
    assert record.channel == "app"
    assert record.text.startswith("Traceback")
    assert record.text.endswith("uncorrectable ECC error encountered")
    assert record.line == 2
    assert record.fields["pod"] == "job-0"
    assert record.fields["previous"] == "true"
    assert record.clock == "pod:train/job-0"


def test_platform_pods_are_services(read: Read) -> None:
    """Logs of the platform's namespaces come from daemons, named by their container."""
    text = samples.CRI.replace("RuntimeError", "etcd: slow fdatasync RuntimeError")
    record = read(text, "k8s/logs/kube-system/etcd-1/etcd.log").records[0]
    assert (record.channel, record.unit) == ("service", "etcd")


def test_programs_stamps_are_read(read: Read) -> None:
    """Brackets, klog, Python, logfmt and JSON lines in one file; continuation lines joined."""
    reads = read(samples.APP, now="2025-06-21T00:00:00Z")
    by_text = {record.text[:12]: record for record in reads.records}
    assert set(by_text) == {"[rank7]:[E62", "2025-06-20 1", 'time="2025-0', '{"level":"wa'}
    watchdog = by_text["[rank7]:[E62"]
    assert watchdog.time is not None
    assert watchdog.time.utc.isoformat() == "2025-06-20T02:07:08.408123+00:00"
    assert watchdog.fields["rank"] == "7"
    assert by_text["2025-06-20 1"].text.endswith("\n  continued here")
    assert by_text['{"level":"wa'].time is not None
    assert by_text['{"level":"wa'].time.zone == "stated"


def test_appliance_logs_are_devices(read: Read) -> None:
    """By their folder, and by what they talk about where the name says nothing."""
    for name in ("storage/a.log", "x.bin"):
        record = read(samples.STORAGE, name).records[0]
        assert record.channel == "device", name
        assert record.clock == "file:E1"


def test_an_application_cannot_speak_for_the_kernel(read: Read) -> None:
    """A forged ring-buffer line in a workload's log stays the workload's."""
    text = "step 1 loss 2.0 rank 0\n" * 50 + "[  123.456789] NVRM: Xid (PCI:0000:9b:00): 79, x\n"
    assert [r.channel for r in read(text, "train.out").records] == ["app"]
    pod = text.replace("step", "2025-06-20T02:23:11.123456789Z stdout F step")
    assert [r.channel for r in read(pod, "k8s/logs/a/b/c.log").records] == ["app"]


KERNEL_LINE = "Nov 30 02:05:00 gpu-07 kernel: [9.1] NVRM: Xid (PCI:0000:9b:00): 79, lost\n"


def test_a_forged_syslog_line_among_a_programs_own_is_not_the_kernels(read: Read) -> None:
    """In a log of another dialect a kernel line is text: neither channel nor host is believed."""
    own = "".join(f"2026-11-30 02:00:{n:02d} INFO trainer: step {n} loss 2.0\n" for n in range(50))
    ring = "[12.345678] NVRM: Xid (PCI:0000:9b:00): 79, lost\n"
    records = read(own + KERNEL_LINE + ring + own, "trainer.log").records
    assert [(r.channel, r.host) for r in records] == [("app", ""), ("app", "")]
    asked = "2026-11-30 02:00:00 INFO trainer: NVIDIA bug report, please run nvidia-bug-report\n"
    assert read(asked + own + KERNEL_LINE, "trainer.log").records[-1].channel == "text"
    spans = read(own + KERNEL_LINE * 3 + own, "trainer.log").spans
    assert "kernel" not in {span.channel for span in spans}


@pytest.mark.parametrize("size", [12_000_000, 30_000_000])
def test_an_overlong_line_hides_no_neighbour(read: Read, size: int) -> None:
    """The kernel's line behind it is the kernel's, and what stands in the long one is its own."""
    long = f"2025-06-20T02:00:01Z gpu-50 app[1]: {'A' * size} NVRM: Xid (PCI:0000:c4:00): 79\n"
    found = read(long + KERNEL_LINE, "messages")
    assert [(r.line, r.channel, r.host) for r in found.records] == [
        (1, "service", "gpu-50"),
        (2, "kernel", "gpu-07"),
    ]
    assert sum(span.length for span in found.spans) == len(long) + len(KERNEL_LINE)


def test_a_quoted_kernel_line_in_a_text_is_a_claim(read: Read) -> None:
    """A ticket that quotes a line proves nothing of the host: it is marked as a quotation."""
    text = "The node misbehaves.\nWe saw this:\n" + KERNEL_LINE + "Please help.\nRegards\n"
    assert [r.channel for r in read(text, "ticket.txt").records] == ["quoted"]


def test_one_programs_syslog_cannot_speak_for_the_kernel(read: Read) -> None:
    """Beside a single program of unknown kind, a line of the kernel is a claim and no proof."""
    own = "".join(f"Nov 30 02:00:{n:02d} gpu-07 trainer[77]: step {n}\n" for n in range(50))
    assert [r.channel for r in read(own + KERNEL_LINE + own, "t.log").records] == ["quoted"]
    assert [r.channel for r in read(own + KERNEL_LINE + own, "app/t.log").records] == ["app"]


def test_one_known_daemon_makes_a_syslog(read: Read) -> None:
    """However much a job prints into the node's log, the kernel's line there is the kernel's."""
    own = "".join(f"Nov 30 02:00:{n:02d} gpu-07 trainer[77]: step {n}\n" for n in range(50))
    daemon = "Nov 30 01:59:00 gpu-07 systemd[1]: Started Session 4.\n"
    assert [r.channel for r in read(daemon + own + KERNEL_LINE, "t.log").records] == ["kernel"]


def test_a_kernel_with_a_process_id_is_none(read: Read) -> None:
    """`kernel[77]:` is a program that calls itself so."""
    line = KERNEL_LINE.replace("kernel:", "kernel[77]:")
    assert [r.channel for r in read(samples.SYSLOG * 5 + line, "syslog").records][-1] == "text"


def test_a_systems_log_speaks_for_the_kernel_however_much_a_program_writes(read: Read) -> None:
    """A node's syslog with a chatty trainer in it is still the node's."""
    system = (
        "Nov 30 01:59:00 gpu-07 systemd[1]: Started Session 4.\n"
        "Nov 30 01:59:01 gpu-07 sshd[88]: Accepted publickey for ops\n"
    )
    chatty = "Nov 30 02:00:01 gpu-07 trainer[77]: step loss " + "x" * 200 + "\n"
    text = chatty * 1000 + system * 20 + KERNEL_LINE
    assert [r.channel for r in read(text, "syslog").records] == ["kernel"]
    assert [r.channel for r in read(KERNEL_LINE * 3, "kern.log").records] == ["kernel"] * 3


def test_plain_text_is_searched(read: Read) -> None:
    """A file of no known kind yields its hits with line numbers, without time."""
    (record,) = read(samples.TEXT).records
    assert (record.channel, record.line, record.time) == ("text", 1, None)


def test_colours_and_line_ends_do_not_hide_a_hit(read: Read) -> None:
    """Escapes inside a literal, carriage returns, and filler bytes are taken out."""
    text = samples.SYSLOG.replace("NVRM: Xid", "NVRM:\x1b[31m Xid\x1b[0m").replace("\n", "\r\n")
    records = read("\0" * 4000 + "\n" + text).records
    assert records[0].text.endswith("fallen off the bus.")
    assert records[0].line == 3


def test_a_line_of_ten_megabytes_gives_an_excerpt(read: Read) -> None:
    """The hit is found and its surroundings kept, not the line."""
    text = "x" * 5_000_000 + " NVRM: Xid (PCI:0000:9b:00): 79 " + "y" * 5_000_000
    (record,) = read(text).records
    assert "NVRM: Xid" in record.text
    assert len(record.text) < 10_000


def test_a_line_of_many_blocks_keeps_its_writer(read: Read) -> None:
    """The end of an overlong kernel line is the kernel's, with its time and host."""
    xid = " NVRM: Xid (PCI:0000:9b:00): {}, lost "
    carrier = KERNEL_LINE.partition("NVRM")[0]
    for padding in (9 << 20, (8 << 20) - 20 - len(carrier), (8 << 20) - (64 << 10) - 45):
        text = KERNEL_LINE + carrier + "x" * padding + xid.format(31) + "y" * 9000 + xid.format(79)
        records = read(text, "kern.log").records
        assert [(r.channel, r.host, r.line) for r in records] == [
            ("kernel", "gpu-07", 1), ("kernel", "gpu-07", 2), ("kernel", "gpu-07", 2),
        ]  # fmt: skip
        assert [code in r.text for r, code in zip(records[1:], ("): 31,", "): 79,"), strict=True)]
        assert ("): 31," in records[2].text, all(r.time for r in records)) == (False, True)


def test_neighbours_of_a_hit_on_request(read: Read) -> None:
    """The lines of the same writer beside a hit, with their numbers."""
    text = "".join(f"Jun 20 02:00:0{n} h app[1]: line {n}\n" for n in range(9))
    reads = read(text.replace("line 4", "NVRM: Xid"), neighbours=1)
    assert sorted((r.line, r.text) for r in reads.records) == [
        (4, "line 3"), (5, "NVRM: Xid"), (6, "line 5"),
    ]  # fmt: skip


def test_spans_tell_the_time_they_cover(read: Read) -> None:
    """First and last stamp, host and writers."""
    reads = read(samples.SYSLOG, now="2025-07-01T00:00:00Z")
    (span,) = [span for span in reads.spans if span.length]
    assert span.first is not None
    assert span.last is not None
    assert (span.first.original, span.last.original) == ("Jun 20 02:20:01", "Jun 20 02:26:16")
    assert span.host == "astra-gpu-07"
    assert {s.channel for s in reads.spans if not s.length} == {"kernel", "service"}


def test_a_flood_of_hits_is_complete(read: Read) -> None:
    """Every hit of a log over many blocks becomes a record once, numbered right."""
    rest = "." * (BLOCK // 3000)
    lines = (f"Jun 20 02:{n // 170:02d}:00 h kernel: NVRM: Xid {n}{rest}\n" for n in range(10_000))
    reads = read("".join(lines), now="2025-07-01T00:00:00Z")
    assert [r.line for r in reads.records] == list(range(1, 10_001))


def test_daemons_own_logs_are_services(read: Read) -> None:
    """A log that only one daemon writes is known by its words, or by its name."""
    slurm = "[2025-06-20T10:23:15.123] error: Nodes gpu-1 not responding\n" * 3
    by_name = read(slurm, "slurmctld.log").records[0]
    assert (by_name.channel, by_name.unit) == ("service", "slurmctld")
    by_words = read("[2025-06-20T10:23:15.1] sched: Allocate JobId=1\n" + slurm, "x").records[0]
    assert (by_words.channel, by_words.unit) == ("service", "slurmctld")


def test_wide_characters_are_read(read: Read) -> None:
    """UTF-16 with a mark, as exported on Windows, is text."""
    records = read(samples.SYSLOG.encode("utf-16"), now="2025-07-01T00:00:00Z").records
    assert [r.line for r in records] == [2, 3, 4]


def test_secrets_do_not_reach_a_record(read: Read) -> None:
    """Texts and objects are masked."""
    text = "Jun 20 02:00:00 h app[1]: RuntimeError: Authorization: Bearer abcdef0123456789abcdef\n"
    assert "abcdef0123456789" not in read(text).records[0].text


def test_commands_and_logs_of_a_host_folder(read: Read) -> None:
    """Without a manifest: plain output is a command's, a stamped file is a daemon's."""
    plain = read("D    51207 blocked for more x\n", "host/gpu-1/stuck.txt").records[0]
    assert (plain.channel, plain.unit, plain.host) == ("command", "stuck", "gpu-1")
    text = "[2025-06-20 10:23:15] ERROR: blocked for more\n"
    log = read(text, "host/gpu-1/nodecheck.log").records[0]
    assert (log.channel, log.unit, log.clock) == ("service", "nodecheck", "file:E1")


def test_docker_wraps_lines_in_json(read: Read) -> None:
    """The program's line is unwrapped, and found though its quotes are escaped."""
    line = json.dumps({"log": 'say "NVRM" RuntimeError: x\n', "stream": "stderr",
                       "time": "2025-06-20T02:23:11.5Z"}, separators=(",", ":"))  # fmt: skip
    (record,) = read(line + "\n", literals=('say "NVRM"',)).records
    assert record.text == 'say "NVRM" RuntimeError: x'
    assert record.channel == "app"
    assert record.time is not None


@pytest.mark.parametrize(
    ("line", "utc"),
    [
        ("I20250620 10:23:15.123456 77 a.cc:1] RuntimeError", "2025-06-20T10:23:15.123456"),
        ('{"time": 1750386191.5, "msg": "RuntimeError"}', "2025-06-20T02:23:11.500000"),
        ('{"ts": 1750386191500, "msg": "RuntimeError"}', "2025-06-20T02:23:11.500000"),
        ("[Jul 23 2024 07:53:55] [ERROR] [tid 841] RuntimeError", "2024-07-23T07:53:55"),
        ("Fri Jun 20 10:23:15 2025 RuntimeError", "2025-06-20T10:23:15"),
        ("20/Jun/2025:10:23:15 +0800 RuntimeError", "2025-06-20T02:23:15"),
        ("20 Jun 2025 10:23:15 RuntimeError", "2025-06-20T10:23:15"),
        ("Jun 20 10:23:15: RuntimeError", "2025-06-20T10:23:15"),
        ("2025/06/20 10:23:15 RuntimeError", "2025-06-20T10:23:15"),
        ("2025-06-20 10:23:15+08 RuntimeError", "2025-06-20T02:23:15"),
        ("<6>Jun 20 2025 10:23:15 h app: RuntimeError", None),
        ("2025-13-40 99:23:15 RuntimeError", None),
        ("kern  :err   : 2025-06-20T02:23:11,123456+00:00 RuntimeError",
         "2025-06-20T02:23:11.123456"),
        ("[ 12.345678][ T123] RuntimeError", "2025-07-01T00:00:00"),
    ],
)  # fmt: skip
def test_stamps_of_many_kinds(read: Read, line: str, utc: str | None) -> None:
    """Each stamp is read to the moment it names; nonsense is no time."""
    (record,) = read(f"{line}\n", now="2025-07-01T00:00:00Z").records
    found = record.time.utc.isoformat().removesuffix("+00:00") if record.time else None
    assert found == utc


def test_boot_clocks_use_the_hosts_uptime(tmp_path: Path) -> None:
    """Where no line anchors it, the capture's time less the uptime does."""
    files = {"uptime.txt": ("cat /proc/uptime", "1000.00 1.00\n"),
             "dmesg.txt": ("dmesg", "[  900.000000] NVRM: Xid (PCI:0000:9b:00): 79, x\n" * 3)}  # fmt: skip  # noqa: E501  # a log line
    with (tmp_path / "manifest.jsonl").open("w") as manifest:
        for name, (command, text) in files.items():
            (tmp_path / name).write_text(text)
            line = {"path": name, "source": "host", "command": command, "target": "gpu-1",
                    "started": "2025-06-20T03:00:00Z", "outcome": "ok"}  # fmt: skip
            manifest.write(json.dumps(line) + "\n")
    record = read_paths(tmp_path).records[0]
    assert record.host == "gpu-1"
    assert record.time is not None
    assert record.time.utc.isoformat() == "2025-06-20T02:58:20+00:00"


def test_a_runtimes_own_lines_are_no_continuation(tmp_path: Path) -> None:
    """Without a stamp they lie between the stamped lines around them, on lines of their own."""
    path = tmp_path / "rank0.log"
    path.write_text(
        "2025-03-06T04:00:31Z INFO step 15210 loss 2.1\n"
        "[rank0]:[E ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation\n"
        "  seen from rank 0\n"
        "[rank0]:[E ProcessGroupNCCL.cpp:621] [Rank 0] Some NCCL operations have failed\n"
        "2025-03-06T04:10:31Z ERROR terminate called\n"
    )
    found = [r for r in read_paths(path).records if "Watchdog" in r.text]

    assert [(r.line, r.text.count("\n")) for r in found] == [(2, 1)]
    assert found[0].time is not None
    assert found[0].time.utc == datetime(2025, 3, 6, 4, 5, 31, tzinfo=UTC)
    assert found[0].time.uncertainty_s == 301.0  # each stamp is of a whole second


def test_a_space_may_stand_between_day_and_time_of_a_syslog(read: Read) -> None:
    """With a tag of syslog's own form behind the host; a program's levels are no host."""
    line = "2025-11-25 23:38:12 hgx-03 kernel: NVRM: Xid (PCI:0000:5d:00): 79, pid=8112, lost\n"
    daemon = "2025-11-25 23:38:13 hgx-03 systemd[1]: Started Session 4.\n"
    (record,) = read(line + daemon, "t.log").records
    assert (record.channel, record.host, record.unit) == ("kernel", "hgx-03", "kernel")
    program = "2025-11-25 23:38:12 ERROR trainer: RuntimeError: out of memory\n" * 3
    assert {r.host for r in read(program, "p.log").records} == {""}
