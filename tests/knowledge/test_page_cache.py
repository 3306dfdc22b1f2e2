from pathlib import Path

import pytest

from knowledge import front_matter
from knowledge.catalog import load_catalog
from knowledge.page_cache import PageCache
from tests.knowledge.pages import XID, page, write


def test_a_cached_catalog_equals_a_fresh_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run reads no YAML and finds the same pages under the same digest."""
    write(tmp_path / "own", "aaa-page", signatures=[XID])
    fresh = load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")
    assert (tmp_path / "cache" / "handbook.json").exists()

    monkeypatch.setattr(front_matter, "read_page", lambda *_, **__: pytest.fail("read YAML"))
    cached = load_catalog([tmp_path / "own"], tolerant=True, cache=tmp_path / "cache")

    assert cached.pages == fresh.pages
    assert cached.digest == fresh.digest


def test_a_process_validates_no_page_twice(tmp_path: Path) -> None:
    """It is the same page: nothing can change one."""
    cache = PageCache(tmp_path)
    cache.put("a", page("a"))
    cache.save()

    assert PageCache(tmp_path).get("a") is PageCache(tmp_path).get("a")


def test_a_page_is_kept_under_all_that_makes_it(tmp_path: Path) -> None:
    """Other bytes, another name or another family is another key."""
    cache = PageCache(tmp_path)
    keys = {
        cache.key(b"x", "a.md", "gpu"),
        cache.key(b"y", "a.md", "gpu"),
        cache.key(b"x", "b.md", "gpu"),
        cache.key(b"x", "a.md", "nccl"),
    }
    assert len(keys) == 4


def test_what_was_not_used_is_dropped(tmp_path: Path) -> None:
    """The file does not grow with every edit."""
    first = PageCache(tmp_path)
    first.put("old", page("a"))
    first.put("kept", page("b"))
    first.save()
    second = PageCache(tmp_path)
    assert second.get("kept") == page("b")
    second.save()
    third = PageCache(tmp_path)
    assert (third.get("old"), third.get("kept")) == (None, page("b"))


@pytest.mark.parametrize("content", [b"", b"not json", b'{"a": 1}', b"[]"])
def test_a_damaged_cache_costs_only_time(tmp_path: Path, content: bytes) -> None:
    """What is no page is not returned, and the file is written anew."""
    (tmp_path / "handbook.json").write_bytes(content)
    cache = PageCache(tmp_path)
    assert cache.get("a") is None
    cache.put("a", page("a"))
    cache.save()
    assert PageCache(tmp_path).get("a") == page("a")


def test_an_unwritable_or_absent_folder_stops_nothing(tmp_path: Path) -> None:
    """A file where the folder should be; no folder at all."""
    (tmp_path / "cache").write_text("in the way")
    for folder in (tmp_path / "cache", None):
        cache = PageCache(folder)
        cache.put("a", page("a"))
        cache.save()
        assert PageCache(folder).get("a") is None
