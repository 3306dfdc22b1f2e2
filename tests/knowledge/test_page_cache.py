from pathlib import Path

import pytest

from knowledge import catalog
from knowledge.catalog import load_catalog
from tests.knowledge.pages import XID, write


def test_a_cached_catalog_equals_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run reads no YAML and finds the same pages under the same digest."""
    write(tmp_path / "own", "aaa-page", signatures=[XID])
    fresh = load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")
    assert (tmp_path / "cache" / "handbook.json").exists()

    monkeypatch.setattr(catalog, "read_page", lambda *_, **__: pytest.fail("read YAML"))
    cached = load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")

    assert cached.pages == fresh.pages
    assert cached.digest == fresh.digest


def test_a_changed_page_is_read_again(tmp_path: Path) -> None:
    """Its bytes are part of the key; what is no longer used is dropped."""
    write(tmp_path / "own", "aaa-page")
    load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")
    write(tmp_path / "own", "aaa-page", severity="critical")
    again = load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")
    assert again.pages["aaa-page"].severity == "critical"


@pytest.mark.parametrize("content", [b"", b"not json", b'{"a": 1}', b"[]"])
def test_a_damaged_cache_costs_only_time(tmp_path: Path, content: bytes) -> None:
    """It is read anew and written again."""
    (tmp_path / "handbook.json").write_bytes(content)
    plain = load_catalog(tolerant=True)
    assert load_catalog(tolerant=True, cache=tmp_path).digest == plain.digest
    assert len((tmp_path / "handbook.json").read_bytes()) > len(content)


def test_an_invalid_cached_page_is_read_anew(tmp_path: Path) -> None:
    """Cached pages pass the same validation as any."""
    load_catalog(tolerant=True, cache=tmp_path)
    file = tmp_path / "handbook.json"
    file.write_bytes(file.read_bytes().replace(b'"layer":"', b'"layer":"x'))
    assert load_catalog(tolerant=True, cache=tmp_path) == load_catalog(tolerant=True)


def test_an_unwritable_cache_stops_nothing(tmp_path: Path) -> None:
    """A file where the folder should be."""
    (tmp_path / "cache").write_text("in the way")
    assert load_catalog(tolerant=True, cache=tmp_path / "cache").pages
