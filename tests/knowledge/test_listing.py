import pytest

from knowledge.catalog import Catalog
from knowledge.listing import coverage, matrix, rows
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
