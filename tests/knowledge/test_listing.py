import pytest

from knowledge.catalog import Catalog
from knowledge.listing import coverage, matrix, rows, search
from tests.knowledge.pages import NFS, XID, catalog, page


@pytest.fixture(name="shelf", scope="module")
def _shelf() -> Catalog:
    return catalog(
        page("xid-79", codes=["Xid 79"], signatures=[XID], layer="hardware", plane="compute"),
        page("nfs-server-down", signatures=[NFS, {**NFS, "id": "two"}]),
        page(
            "gst-4001",
            codes=["GST-4001"],
            title={"en": "Volume mount failed", "zh": "存储卷挂载失败"},
        ),
    )


def test_rows_are_sorted_and_filtered(shelf: Catalog) -> None:
    """By family and id; every filter is exact."""
    assert [row.id for row in rows(shelf)] == ["gst-4001", "nfs-server-down", "xid-79"]
    assert [row.id for row in rows(shelf, layer="hardware", role="root")] == ["xid-79"]
    assert rows(shelf, plane="control") == []
    assert rows(shelf)[2].codes == ("Xid 79",)


def test_coverage_counts_by_family(shelf: Catalog) -> None:
    """Pages, signatures, layers, planes."""
    (family,) = coverage(shelf)
    assert (family.family, family.pages, family.signatures) == ("test", 3, 3)
    assert family.layers == {"hardware": 1, "system": 2}
    assert family.planes == {"compute": 1, "storage": 2}


def test_the_matrix_shows_holes(shelf: Catalog) -> None:
    """Every layer with every plane, zeros included."""
    counts = matrix(shelf)
    assert (counts["system", "storage"], counts["application", "network"]) == (2, 0)
    assert len(counts) == 20


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("gst 4001", "gst-4001"),
        ("what does Xid 79 mean", "xid-79"),
        ("nfs: server 10.0.0.10 not responding, still trying", "nfs-server-down"),
        ("卷挂载失败", "gst-4001"),
        ("volume mount failed", "gst-4001"),
    ],
)
def test_search_finds_codes_and_words_in_both_languages(
    shelf: Catalog, query: str, first: str
) -> None:
    """A code wins over any number of words."""
    assert search(shelf, query)[0].page.id == first


def test_search_finds_nothing_for_nothing(shelf: Catalog) -> None:
    """No shared word, no hit; the limit holds."""
    assert search(shelf, "zebra") == []
    assert search(shelf, "") == []
    assert len(search(shelf, "fault something", limit=1)) == 1
