"""The journal in its formats says the same."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.tools.readers import samples
from tests.tools.readers.conftest import Read, read_paths
from tools.evidence import Record

REMOTE = Path("/lib/systemd/systemd-journal-remote")
needs_journal = pytest.mark.skipif(
    not REMOTE.exists() or shutil.which("journalctl") is None,
    reason="systemd-journal-remote and journalctl are needed to build a binary journal",
)


def told(record: Record) -> tuple[object, ...]:
    """What a record says, without where it lies."""
    return record.channel, record.unit, record.host, record.text, record.time and record.time.utc


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a binary journal from the sample."""
    root = tmp_path_factory.mktemp("journal")
    (root / "in.export").write_bytes(samples.EXPORT)
    target = root / "system.journal"
    subprocess.run(
        [REMOTE, "-o", target, root / "in.export"], check=True, capture_output=True, timeout=60
    )
    return target


def test_export_joins_a_block_across_other_entries(read: Read) -> None:
    """The oom-kill is one record; kubelet's lines keep theirs; binary fields are decoded."""
    records = read(samples.EXPORT).records
    assert [(r.channel, r.unit, r.host) for r in records] == [
        ("kernel", "kernel", "gpu-1"),
        ("service", "kubelet", "gpu-2"),
        ("kernel", "kernel", "gpu-2"),
    ]
    assert records[0].text.endswith("\nMemory cgroup out of memory: Killed process 41022")
    assert records[1].text == "PLEG is not healthy\nsecond line\n\n__x"


def test_lines_of_the_export_contain_the_message(read: Read) -> None:
    """A record's line number leads to its text."""
    lines = samples.EXPORT.split(b"\n")
    for record in read(samples.EXPORT).records:
        place = lines[record.line - 1] + b"\n" + lines[record.line]
        assert place.startswith(b"MESSAGE"), record


def test_export_tells_what_each_host_covers(read: Read) -> None:
    """A span without bytes per host and channel."""
    reads = read(samples.EXPORT)
    covered = {(span.host, span.channel) for span in reads.spans if not span.length}
    assert {("gpu-1", "kernel"), ("gpu-2", "kernel"), ("gpu-2", "service")} <= covered


def test_json_forgives_odd_values(read: Read) -> None:
    """Arrays of bytes are text, null is no message."""
    records = read(samples.JOURNAL_JSON).records
    assert [r.text for r in records] == ["nfs: server a not responding", "NVRM: Xid \ufffd 79"]
    assert {r.channel for r in records} == {"kernel"}


@needs_journal
def test_binary_reads_like_its_export(journal: Path, read: Read) -> None:
    """The same records through journalctl, the file's bytes accounted for."""
    binary, export = read_paths(journal), read(samples.EXPORT)
    assert sorted(map(told, binary.records), key=repr) == sorted(
        map(told, export.records), key=repr
    )
    assert binary.accounted("E1") == journal.stat().st_size


@needs_journal
def test_window_and_hosts_are_pushed_down(journal: Path) -> None:
    """Entries outside are not even printed."""
    late = read_paths(journal, window={"since": "2025-06-20T02:23:12.5Z"})
    assert [r.text[:9] for r in late.records] == ["NVRM: Xid"]
    one = read_paths(journal, nodes=("gpu-1.example.org",))
    assert {r.host for r in one.records} == {"gpu-1"}


@needs_journal
@pytest.mark.parametrize(
    "form", ["short-iso", "short-iso-precise", "short-full", "short-unix", "short", "json"]
)
def test_other_outputs_say_the_same(journal: Path, read: Read, form: str) -> None:
    """Texts and JSON of journalctl read like the journal itself."""
    argv = ["journalctl", f"--file={journal}", "-o", form, "-q", "--no-pager", "--utc"]
    done = subprocess.run(argv, check=True, capture_output=True, timeout=60)
    texts = [r.text.split("\n")[0] for r in read(done.stdout, now="2025-07-01T00:00:00Z").records]
    assert texts == [r.text.split("\n")[0] for r in read_paths(journal).records]


@needs_journal
def test_a_cut_journal_is_told(journal: Path, tmp_path: Path) -> None:
    """journalctl's complaint becomes a gap."""
    broken = tmp_path / "broken.journal"
    broken.write_bytes(journal.read_bytes()[:2000])
    reads = read_paths(broken)
    assert reads.gaps
    assert reads.accounted("E1") == 2000


def test_workloads_in_the_journal_are_apps(read: Read) -> None:
    """Container output and user units are a workload's, daemons' are services."""
    carriers = {
        "app": ("CONTAINER_NAME=trainer", "_SYSTEMD_UNIT=docker.service"),
        "service": ("SYSLOG_IDENTIFIER=sshd", "_SYSTEMD_UNIT=ssh.service"),
    }
    for channel, lines in carriers.items():
        (record,) = read(samples.entry(samples.T0, "h", b"RuntimeError: x", *lines)).records
        assert record.channel == channel


def test_a_hit_inside_a_block_finds_its_beginning(read: Read) -> None:
    """Only an inner line has a literal; the record begins with the block's first, once."""
    block = [
        b"pcieport 0000:96:02.0: AER: Corrected error",
        b"nvidia 0000:97:00.0: PCIe Bus Error: severity=Corrected",
        b"nvidia 0000:97:00.0:    [12] Replay Timer Timeout",
    ]
    parts = []
    for number, text in enumerate(block):
        parts.append(samples.entry(samples.T0 + number, "gpu-1", text, *samples.KERNEL))
        parts.append(samples.entry(samples.T0 + number, "gpu-1", b"syncing", *samples.KUBELET))
    (record,) = read(b"".join(parts), literals=("PCIe Bus Error", "Timeout")).records
    assert record.text.split("\n") == [text.decode() for text in block]


def test_literals_of_other_fields_are_no_hits(read: Read) -> None:
    """A command line that holds a literal makes no record."""
    lines = (*samples.KUBELET, "_CMDLINE=grep RuntimeError")
    assert not read(samples.entry(samples.T0, "h", b"quiet", *lines)).records


def test_a_journal_as_one_array(read: Read) -> None:
    """Pretty-printed or in an array, entries are read."""
    entries = [json.loads(line) for line in samples.JOURNAL_JSON.splitlines()]
    assert len(read(json.dumps(entries, indent=1)).records) == 2


def test_daemons_hum_is_thinned_and_workloads_is_not(read: Read) -> None:
    """A daemon's tag names one writer; many ranks print under the name of one container."""
    daemon = (*samples.KUBELET, "SYSLOG_IDENTIFIER=check")
    writers = {"check": daemon, "trainer": ("CONTAINER_NAME=trainer", "SYSLOG_IDENTIFIER=check")}
    counts = {}
    for name, lines in writers.items():
        parts = [
            samples.entry(samples.T0 + n, "gpu-1", b"disk writable", *lines) for n in range(40)
        ]
        asked = {"literals": ("writable",), "hum": {"writable": 3600.0}}
        records = read(b"".join(parts), **asked).records
        assert sum(record.stands_for for record in records) == 40
        counts[name] = len(records)
    assert counts["check"] < 10 < counts["trainer"] == 40
