"""Each change does what it says, and keeps the bundle true."""

import hashlib
from pathlib import Path

import pytest

from evals import bundle_edit, perturb
from evals.model import Recording, open_stream
from evals.scenarios.build import load
from evals.truth import load_truth
from evals.writers import bundle

NAME, SEED = "cgroup-oom-137", 11


@pytest.fixture
def recording() -> Recording:
    return load(NAME).record(SEED, 0.002)


@pytest.fixture
def folder(recording: Recording, tmp_path: Path) -> Path:
    return bundle.write(recording, tmp_path / "bundle")


def _whole(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def _manifest_is_true(folder: Path) -> bool:
    return all(
        hashlib.sha256((folder / str(e["path"])).read_bytes()).hexdigest() == e["sha256"]
        for e in bundle_edit.read_lines(folder)
    )


def test_renaming_leaves_no_old_name(recording: Recording, folder: Path) -> None:
    """Hosts and UUIDs are gone from files, paths and facts alike."""
    old = [host.encode() for host in recording.hosts]
    uuids = [gpu.uuid.encode() for host in recording.hosts.values() for gpu in host.gpus]
    host = recording.facts["host"]
    perturb.rename(folder, recording, open_stream(NAME, SEED, "test"))
    body = _whole(folder)
    assert not [name for name in (*old, *uuids) if name in body]
    assert recording.facts["host"] != host
    assert recording.facts["host"].encode() in body
    assert _manifest_is_true(folder)


def test_a_skewed_clock_moves_one_hosts_stamps_and_its_own_report(recording: Recording) -> None:
    """Chrony says what the journal shows."""
    truth = load_truth(NAME, recording.facts)
    before = {name: host.clock_offset_s for name, host in recording.hosts.items()}
    perturb.skew_clock(recording, truth, open_stream(NAME, SEED, "test"))
    moved = [n for n, host in recording.hosts.items() if host.clock_offset_s - before[n] > 80]
    assert len(moved) == 1


def test_a_zoneless_export_is_local_time(recording: Recording, folder: Path) -> None:
    """One journal became syslog text without year and zone."""
    perturb.drop_zone(folder, recording, open_stream(NAME, SEED, "test"))
    logs = list((folder / "journal").glob("*.log"))
    assert len(logs) == 1
    assert not (folder / "journal" / f"{logs[0].stem}.export").exists()
    assert _manifest_is_true(folder)


def test_shuffled_names_say_nothing(recording: Recording, folder: Path) -> None:
    """Every file but the manifest and the report has another name; hashes still find it."""
    perturb.shuffle_names(folder, recording, open_stream(NAME, SEED, "test"))
    names = {path.name for path in folder.iterdir()}
    assert {"manifest.jsonl", "incident.yaml"} <= names
    assert all(path.is_file() for path in folder.iterdir())
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert {entry["sha256"] for entry in bundle_edit.read_lines(folder)} <= hashes


@pytest.mark.parametrize("source", ["journal", "kubernetes", "app", "nvml"])
def test_a_hidden_source_leaves_no_trace(recording: Recording, folder: Path, source: str) -> None:
    """Its files and manifest lines are gone, the others stay."""
    before = len(bundle_edit.read_lines(folder))
    perturb.hide_source(source)(folder, recording, open_stream(NAME, SEED, "test"))
    kept = bundle_edit.read_lines(folder)
    assert 0 < len(kept) < before
    assert not [entry for entry in kept if bundle_edit.belongs(source)(entry)]
    assert _manifest_is_true(folder)


def test_the_roots_own_lines_can_be_hidden(recording: Recording) -> None:
    """No kernel line of the OOM kill is left, but its consequences are."""
    truth = load_truth(NAME, recording.facts)
    perturb.hide_root(recording, truth, open_stream(NAME, SEED, "test"))
    texts = [e.text for entries in recording.journal.values() for e in entries]
    assert not [text for text in texts if "oom" in text.lower()]
    assert [text for text in texts if "Xid" in text]


def test_every_perturbation_has_one_name() -> None:
    """They are chosen by name."""
    assert len(perturb.list_all()) == len(perturb.INVARIANT) + len(perturb.HIDDEN) + 1
