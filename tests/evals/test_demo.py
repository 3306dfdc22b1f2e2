"""The shipped demo is small, whole, and does not know its own answer."""

import io
import tarfile
from pathlib import Path

import zstandard

from evals.demo import MOST_BYTES, TARGET, pack


def test_the_shipped_evidence_is_small_and_holds_no_truth() -> None:
    """At most 3 MB; both tickets; no page of the handbook is named in it."""
    body = TARGET.read_bytes()
    assert len(body) <= MOST_BYTES
    plain = zstandard.ZstdDecompressor().decompressobj().decompress(body)
    for word in (b"storage-controller-failover", b"first_anomaly", b"root_cause"):
        assert word not in plain
    with tarfile.open(fileobj=io.BytesIO(plain)) as archive:
        names = set(archive.getnames())
        report = archive.extractfile("incident.yaml")
        assert report is not None
        text = report.read().decode()
    assert {"manifest.jsonl", "storage/controller-events.log"} <= names
    assert "Beijing" in text
    assert "北京时间" in text


def test_packing_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """Neither times nor owners of the files go in."""
    (tmp_path / "a").write_text("x")
    first = pack(tmp_path)
    (tmp_path / "a").write_text("x")
    assert pack(tmp_path) == first
