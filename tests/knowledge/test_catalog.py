from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from knowledge.catalog import Catalog, load_catalog
from knowledge.errors import PageDuplicateError, PageInvalidError, PageUnknownError
from knowledge.front_matter import read_page
from tests.kept_pages import cache_home
from tests.knowledge.pages import NFS, XID, catalog, page, write

Load = Callable[[Sequence[Path]], Catalog]

METRIC = {
    "id": "load",
    "source": "metric",
    "query": "load",
    "expr": "node_load1",
    "op": ">",
    "value": 5,
    "examples": [{"value": 9}],
}


@pytest.fixture(name="load", scope="module")
def _load_pages() -> Load:
    """Load own pages beside the shipped ones, which are read from YAML only once."""
    cache = cache_home() / "firstfault"
    return lambda paths: load_catalog(paths, tolerant=True, cache=cache)


@pytest.fixture(name="shelf", scope="module")
def _shelf() -> Catalog:
    cause = {"effect": "b", "scope": "node", "strength": "usually", "delay": {"max_s": 60}}
    return catalog(
        page("a", codes=["Xid 79"], signatures=[XID], causes=[cause]),
        page("b", codes=["GST-2001", "exit 137"], signatures=[NFS, METRIC]),
        page("c", codes=["GST-2001"], signatures=[{**NFS, "source": "app"}, METRIC]),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("GST-2001", ["b", "c"]),
        ("seen gst2001 twice", ["b", "c"]),
        ("Xid 79", ["a"]),
        ("xid: 79?", ["a"]),
        ("exit code 137", ["b"]),
        ("Xid 7", []),
        ("", []),
    ],
)
def test_codes_are_found_however_written(shelf: Catalog, text: str, found: list[str]) -> None:
    """Case, punctuation and filler words do not matter; the number must be whole."""
    assert [page.id for page in shelf.by_code(text)] == found


def test_literals_are_sorted_and_unique(shelf: Catalog) -> None:
    """Literals of endings count too; those that an application may print are not kernel-only."""
    assert shelf.literals() == ("NVRM: Xid (", "nfs: server ", "not responding, still trying")
    assert shelf.kernel_literals() == ("NVRM: Xid (",)


def test_literals_of_structured_channels_are_no_prefilter() -> None:
    """Events and alerts are read whole; scanning logs for their words would only cost."""
    event = {**NFS, "source": "event"}
    assert catalog(page("a", signatures=[event])).literals() == ()


def test_queries_come_once(shelf: Catalog) -> None:
    """Two pages that ask the same thing ask once."""
    assert shelf.queries() == (("load", "node_load1"),)


def test_links_are_followed_both_ways(shelf: Catalog) -> None:
    """What it causes, and what causes it."""
    assert [link.effect for link in shelf.links_from("a")] == ["b"]
    assert [cause.id for cause, _ in shelf.links_to("b")] == ["a"]
    assert shelf.links_to("a") == ()


def test_an_unknown_page_is_said_by_name(shelf: Catalog) -> None:
    """The error names what was asked for and what to do."""
    with pytest.raises(PageUnknownError, match="no page named zzz; `kb list`"):
        shelf.links_from("zzz")


def test_own_pages_join_the_shipped_ones(load: Load, tmp_path: Path) -> None:
    """A page of an organisation takes its family from its folder."""
    write(tmp_path, "aaa-own-page")
    write(tmp_path / "racks", "aaa-rack-page")
    loaded = load([tmp_path])
    assert loaded.pages["aaa-own-page"].family == "own"
    assert loaded.pages["aaa-rack-page"].family == "racks"
    assert loaded.pages["aaa-own-page"].body == "Prose."
    assert loaded.digest != load([]).digest


def test_a_broken_own_page_is_skipped_with_one_line(load: Load, tmp_path: Path) -> None:
    """The others are loaded and the warning names the file and the field."""
    write(tmp_path, "aaa-sound")
    write(tmp_path, "aaa-broken", layer="nowhere")
    (tmp_path / "aaa-latin.md").write_bytes(b"---\ntitle: \xff\n---\n")
    loaded = load([tmp_path])
    assert "aaa-sound" in loaded.pages
    ours = [warning for warning in loaded.warnings if str(tmp_path) in warning]
    assert ["aaa-broken.md" in w and "layer" in w for w in ours] == [True, False]
    assert "not UTF-8" in ours[1]


def test_two_pages_of_one_name_raise(load: Load, tmp_path: Path) -> None:
    """Wherever they lie."""
    write(tmp_path / "one", "aaa-same")
    write(tmp_path / "two", "aaa-same")
    with pytest.raises(PageDuplicateError, match="aaa-same exists twice"):
        load([tmp_path])


def test_a_single_file_can_be_added(load: Load, tmp_path: Path) -> None:
    """A path to a page is as good as a folder."""
    assert "aaa-one" in load([write(tmp_path, "aaa-one")]).pages


def test_a_missing_own_path_is_a_warning(load: Load, tmp_path: Path) -> None:
    """A path that does not exist stops nothing."""
    assert "none.md" in load([tmp_path / "none.md"]).warnings[-1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("no fence", "no front matter"),
        ("---\n- a\n---\n", "not a mapping"),
        ("---\na: [\n---\n", "broken YAML"),
        ("---\nid: other\n---\n", "differs from the file's name"),
        ("---\ncolour: red\n---\n", "colour: Extra inputs"),
    ],
)
def test_a_broken_page_says_where_and_why(text: str, why: str) -> None:
    """The message names the file and the reason."""
    with pytest.raises(PageInvalidError, match=why):
        read_page(text, path=Path("handbook/x/bad.md"), family="x")


def test_the_digest_depends_on_content_alone(load: Load, tmp_path: Path) -> None:
    """The same pages give the same digest in any folder; one changed byte another."""
    first, second, third = (tmp_path / name for name in "abc")
    for folder in (first, second, third):
        write(folder, "aaa-page")
    (third / "aaa-page.md").write_text((first / "aaa-page.md").read_text() + " ")
    digests = [load([folder]).digest for folder in (first, second, third)]
    assert digests[0] == digests[1] != digests[2]
