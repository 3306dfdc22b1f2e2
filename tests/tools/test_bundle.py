"""Any mix of files, folders and archives opens; nothing depends on names."""

import gzip
import hashlib
import io
import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
import zstandard

from tests.tools.readers import samples
from tests.tools.readers.conftest import Reads, read_paths
from tools.bundle import LARGE, Bundle
from tools.errors import MissingPathError
from tools.evidence import Evidence
from tools.request import Request
from tools.writers import program_of

INCIDENT = """\
title: Astra down
text: nodes are gone
window: {since: 2025-06-20T02:00:00Z, until: 2025-06-20T03:00:00Z}
zones: {gpu-9: "+08:00", default: UTC}
cluster: astra
"""


def make_bundle(root: Path) -> Path:
    """Write a small bundle with a manifest."""
    files = {
        "journal/gpu-1.export": (samples.EXPORT, "journal", "journalctl -o export", "gpu-1"),
        "k8s/pods.json": (samples.LIST.encode(), "kubernetes", "kubectl get pods -o json", "pods"),
        "k8s/logs/train/job-0/trainer.log": (
            samples.CRI.encode(), "kubernetes", "kubectl logs -n train job-0 -c trainer",
            "train/job-0",
        ),
        "storage/array.log": (samples.STORAGE.encode(), "storage", "export", "10.0.0.10"),
        "host/gpu-1/df.txt": (b"", "host", "df -h /data", "gpu-1"),
        "host/gpu-2/ls.txt": (b"", "host", "timeout 10 ls /data", "gpu-2"),
    }  # fmt: skip
    lines = []
    for path, (content, source, command, target) in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
        hung = not content
        lines.append(
            {
                "path": path, "source": source, "command": command, "target": target,
                "cluster": "astra", "started": "2025-06-20T03:00:00Z",
                "ended": "2025-06-20T03:00:10Z", "outcome": "hung" if hung else "ok",
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )  # fmt: skip
    lines.append({"command": "kubectl get secrets", "source": "kubernetes", "outcome": "denied"})
    (root / "manifest.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (root / "incident.yaml").write_text(INCIDENT)
    return root


def facts(reads: Reads) -> list[tuple[object, ...]]:
    """What was read, without ids and names."""
    records = [
        (r.channel, r.text, r.time and r.time.utc, r.host, r.unit, r.fields.get("pod"))
        for r in reads.records
    ]
    states = [(s.kind, s.namespace, s.name) for s in reads.states]
    evidence = [(e.source, e.command, e.target, e.outcome, e.sha256) for e in reads.evidence]
    return sorted([*records, *states, *evidence], key=repr)


def test_a_bundle_reads_with_its_manifest(tmp_path: Path) -> None:
    """Captures keep their command, target and outcome."""
    reads = read_paths(make_bundle(tmp_path))
    commands = {evidence.command for evidence in reads.evidence}
    assert {"journalctl -o export", "df -h /data", "kubectl get secrets"} <= commands
    assert [gap.why for gap in reads.gaps] == ["denied: kubectl get secrets"]


def test_a_hang_is_an_observation(tmp_path: Path) -> None:
    """A hung capture yields a record of its command, also where wrappers started it."""
    reads = read_paths(make_bundle(tmp_path))
    hung = {record.host: record for record in reads.records if record.channel == "command"}
    assert hung["gpu-1"].text == "HUNG after 10 s: df -h /data"
    assert hung["gpu-1"].unit == "df"
    assert hung["gpu-2"].unit == "ls"
    assert hung["gpu-2"].fields["after_s"] == "10"


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_names_lose_nothing(tmp_path: Path, seed: int) -> None:
    """Files are matched with the manifest by content."""
    root = make_bundle(tmp_path / "named")
    named = facts(read_paths(root))
    other = tmp_path / "shuffled"
    other.mkdir()
    for number, file in enumerate(sorted(root.rglob("*"))):
        if file.is_file() and file.name != "incident.yaml":
            shutil.copy(file, other / f"{(number * 7 + seed) % 31}.bin")
    shutil.copy(root / "incident.yaml", other / "incident.yaml")
    assert facts(read_paths(other)) == named


@pytest.mark.parametrize("kind", ["tar.zst", "tar.gz", "zip", "tar"])
def test_archives_read_like_folders(tmp_path: Path, kind: str) -> None:
    """A packed bundle, wrapped in a folder or not, says what the folder says."""
    root = make_bundle(tmp_path / "bundle")
    packed = tmp_path / f"packed.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            for file in root.rglob("*"):
                archive.write(file, f"bundle/{file.relative_to(root)}")
    else:
        memory = io.BytesIO()
        with tarfile.open(fileobj=memory, mode="w") as archive:
            archive.add(root, "bundle")
        pack = {"tar.zst": zstandard.compress, "tar.gz": gzip.compress, "tar": bytes}[kind]
        packed.write_bytes(pack(memory.getvalue()))
    assert facts(read_paths(packed)) == facts(read_paths(root))


def test_a_cut_archive_keeps_what_is_whole(tmp_path: Path) -> None:
    """Members before the damage are read, the damage is a gap."""
    root = make_bundle(tmp_path / "bundle")
    memory = io.BytesIO()
    with tarfile.open(fileobj=memory, mode="w:gz") as archive:
        archive.add(root, "bundle")
    packed = tmp_path / "cut.tar.gz"
    packed.write_bytes(memory.getvalue()[: len(memory.getvalue()) * 2 // 3])
    reads = read_paths(packed)
    assert any("damaged" in gap.why for gap in reads.gaps)


def test_damaged_compression_is_a_gap(tmp_path: Path) -> None:
    """What could be unpacked is read, the rest is told."""
    packed = tmp_path / "node.log.gz"
    whole = gzip.compress((samples.SYSLOG * 4000).encode())
    packed.write_bytes(whole[: len(whole) // 2])
    reads = read_paths(packed)
    assert reads.records
    assert any("compressed data is damaged" in gap.why for gap in reads.gaps)
    assert reads.evidence[0].truncated
    assert reads.evidence[0].sha256 == hashlib.sha256(packed.read_bytes()).hexdigest()


def test_meta_comes_from_the_incident_file(tmp_path: Path) -> None:
    """Title, window, zones and cluster; zones apply to stamps of that host."""
    bundle = Bundle.open([make_bundle(tmp_path)])
    assert bundle.meta.title == "Astra down"
    assert bundle.meta.cluster == "astra"
    assert bundle.meta.window.since is not None
    (tmp_path / "loose.log").write_text(
        "Jun 20 10:23:11 gpu-9 kernel: NVRM: Xid (PCI:0000:9b:00): 79, x\n"
    )
    items = list(bundle.open([tmp_path]).read(Request(literals=("NVRM: Xid",))))
    times = [
        item.time
        for item in items
        if getattr(item, "host", "") == "gpu-9" and hasattr(item, "time")
    ]
    assert times
    assert times[0].zone == "assumed"
    assert times[0].utc.isoformat() == "2025-06-20T02:23:11+00:00"


def test_many_bundles_merge(tmp_path: Path) -> None:
    """Two folders are one body of evidence with ids of their own; a copy of one adds nothing."""
    one, two = make_bundle(tmp_path / "one"), make_bundle(tmp_path / "two")
    assert len(read_paths(one, two).evidence) == len(read_paths(one).evidence) == 7
    manifest = two / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace("gpu-", "cpu-"))
    ids = [evidence.id for evidence in read_paths(one, two).evidence]
    assert len(ids) == len(set(ids)) > 7


def test_a_lost_file_of_the_manifest_is_told(tmp_path: Path) -> None:
    """The manifest names a file that is gone: evidence absent, and a gap."""
    root = make_bundle(tmp_path)
    (root / "storage/array.log").unlink()
    reads = read_paths(root)
    assert any("storage/array.log" in gap.why for gap in reads.gaps)


def test_a_large_file_altered_since_its_capture_is_told(tmp_path: Path) -> None:
    """It is known by its place and size, and its digest is checked all the same."""
    text = b"quiet\n" * (LARGE // 6 + 1)
    told = {"path": "app/a.log", "source": "app", "size": len(text), "target": "gpu-1"}
    told["sha256"] = hashlib.sha256(text).hexdigest()
    (tmp_path / "app").mkdir()
    (tmp_path / "manifest.jsonl").write_text(json.dumps(told) + "\n")
    (tmp_path / "app" / "a.log").write_bytes(text)
    assert not read_paths(tmp_path).gaps
    (tmp_path / "app" / "a.log").write_bytes(text[:-6] + b"noisy\n")
    reads = read_paths(tmp_path)
    assert [item.target for item in reads.evidence] == ["gpu-1"]
    assert "not those that were captured" in reads.gaps[0].why


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    """The message names the path."""
    with pytest.raises(MissingPathError, match="nowhere"):
        Bundle.open([tmp_path / "nowhere"])


def test_a_missing_path_among_others_is_a_gap(tmp_path: Path) -> None:
    """What is there is read, and what is not is told."""
    (tmp_path / "a.log").write_text(LINE)
    reads = read_paths(tmp_path / "nowhere", tmp_path / "a.log")
    assert len(reads.records) == 1
    assert [(gap.target, "no such file" in gap.why) for gap in reads.gaps] == [
        (str(tmp_path / "nowhere"), True)
    ]


LINE = "2025-06-20T02:00:00Z gpu-1 kernel: NVRM: Xid (PCI:0000:9b:00): 79, lost\n"


def test_equal_contents_are_read_once(tmp_path: Path) -> None:
    """A file, its compressed copy and its path named twice are one witness, and that is told."""
    (tmp_path / "a.log").write_text(LINE)
    with gzip.open(tmp_path / "b.log.gz", "wt") as packed:
        packed.write(LINE)
    (tmp_path / "c.log").write_text(LINE + LINE)
    given = [tmp_path / name for name in ("a.log", "b.log.gz", "a.log", "c.log")]
    reads = read_paths(*given)
    assert [item.path for item in reads.evidence] == [str(given[0]), str(given[3])]
    assert len(reads.records) == 3
    assert "3 times, read once" in reads.evidence[0].detail
    assert "b.log.gz" in reads.evidence[0].detail
    assert not reads.evidence[1].detail


@pytest.mark.parametrize(
    ("one", "other", "content"),
    [
        ("journal/gpu-1.log", "journal/gpu-2.log", LINE),
        ("host/gpu-1/mounts.txt", "host/gpu-2/mounts.txt", "nas:/a /a nfs4 rw 0 0\n"),
        ("gpu-1/uname.txt", "gpu-2/uname.txt", "Linux 5.15.0-105-generic\n"),
        ("slurm-1.out", "slurm-2.out", LINE),
        ("train_rank0.log", "train_rank1.log", LINE),
    ],
)
def test_like_contents_of_different_writers_are_all_read(
    tmp_path: Path, one: str, other: str, content: str
) -> None:
    """Where the place says whose it is, or it may be alike by chance, nothing is dropped."""
    for name in (one, other):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    assert len(read_paths(tmp_path).evidence) == 2


def test_an_empty_file_is_empty_evidence(tmp_path: Path) -> None:
    """No bytes, no gap, outcome empty."""
    (tmp_path / "empty.log").touch()
    reads = read_paths(tmp_path)
    assert [evidence.outcome for evidence in reads.evidence] == ["empty"]
    assert not reads.gaps


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("df -h /data", "df"),
        ("ssh gpu-7 timeout 10 /bin/ls -l /data", "ls"),
        ("sudo env LC_ALL=C nvidia-smi -q", "nvidia-smi"),
        ("", ""),
    ],
)
def test_the_program_behind_its_wrappers(command: str, program: str) -> None:
    """Wrappers that only start a program are skipped."""
    assert program_of(command) == program


def test_a_manifest_may_be_an_array_or_damaged(tmp_path: Path) -> None:
    """Arrays are read; damaged lines cost only themselves, and are counted."""
    root = make_bundle(tmp_path)
    lines = (root / "manifest.jsonl").read_text().splitlines()
    (root / "manifest.jsonl").write_text("\n".join([*lines, '{"outcome": 3}']))
    reads = read_paths(root)
    assert any("1 damaged lines in the manifest" in gap.why for gap in reads.gaps)
    (root / "manifest.jsonl").unlink()
    (root / "manifest.json").write_text("[" + ",".join(lines) + "]")
    assert {"df -h /data"} <= {evidence.command for evidence in read_paths(root).evidence}


def test_an_incident_file_that_is_none_is_read_as_text(tmp_path: Path) -> None:
    """Broken YAML and YAML of other shape are evidence like any file."""
    (tmp_path / "incident.yaml").write_text("{NVRM: Xid")
    assert read_paths(tmp_path).records
    (tmp_path / "incident.yaml").write_text("just: NVRM: Xid")
    assert read_paths(tmp_path).records


def test_pods_logs_carry_their_node(tmp_path: Path) -> None:
    """Objects of the same evidence tell where a container's log was stamped."""
    reads = read_paths(make_bundle(tmp_path))
    record = next(record for record in reads.records if record.fields.get("pod") and record.time)
    assert (record.host, record.clock, record.fields["node"]) == ("gpu-1", "host:gpu-1", "gpu-1")


def test_a_year_comes_from_neighbours(tmp_path: Path) -> None:
    """Without any capture's time, dates in other files tell the year of stamps that have none."""
    (tmp_path / "messages").write_text(samples.SYSLOG)
    (tmp_path / "train.log").write_text("2024-06-18 01:00:00 step 1\n")
    years = {record.time.utc.year for record in read_paths(tmp_path).records if record.time}
    assert years == {2024}


PODS = """\
$ kubectl get pods -n train -o wide
NAME    READY   STATUS    RESTARTS   AGE   IP          NODE    NOMINATED NODE   READINESS GATES
job-0   1/1     Running   0          41m   10.4.2.3    gpu-7   <none>           <none>
"""


def test_a_table_of_pods_places_the_logs_that_stand_before_it(tmp_path: Path) -> None:
    """By name the logs come first; where their pods run is read before them."""
    log = tmp_path / "k8s" / "logs" / "train" / "job-0" / "trainer.log"
    log.parent.mkdir(parents=True)
    log.write_text(samples.CRI)
    (tmp_path / "k8s" / "pods.txt").write_text(PODS)

    reads = read_paths(tmp_path, literals=("RuntimeError",))

    assert {record.host for record in reads.records if record.channel == "app"} == {"gpu-7"}


def test_the_digest_is_of_the_file_as_it_lies_there(tmp_path: Path) -> None:
    """Whoever computes it, and whatever the reader makes of the bytes."""
    line = "2025-06-20T02:00:00Z node7 kernel: NVRM: Xid (PCI:0000:9a:00): 79, 掉卡\n"
    (tmp_path / "plain.log").write_text(line * 2000)
    (tmp_path / "packed.log.gz").write_bytes(gzip.compress((line * 1000).encode()))
    (tmp_path / "windows.log").write_bytes((line * 500).encode("gb18030"))
    (tmp_path / "short.json").write_text('{"apiVersion": "v1", "kind": "Node"')
    items = Bundle.open([tmp_path]).read(Request(literals=("NVRM: Xid",)))
    found = {Path(e.path).name: e.sha256 for e in items if isinstance(e, Evidence)}
    lying = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert found == {name: hashlib.sha256(data).hexdigest() for name, data in lying.items()}
    assert {*found} == {"plain.log", "packed.log.gz", "windows.log", "short.json"}
