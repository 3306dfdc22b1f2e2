"""Where the sources disagree, the shipped pages say so."""

import pytest

from tests.assistant.handbook import shipped

PAGES = shipped().pages


@pytest.mark.parametrize(
    ("page", "sides"),
    [
        ("xid-109", {"vendor", "source-code"}),
        ("xid-64-row-remap-failure", {"vendor", "case"}),
        ("ecc-corrected-rising", {"vendor", "source-code", "handbook"}),
        ("gst-1002", {"vendor", "handbook"}),
        ("nfs-for-training", {"specification", "postmortem", "case"}),
        ("etcd-slow-disk", {"vendor", "source-code", "postmortem"}),
    ],
)
def test_both_sides_are_told_with_how_far_to_trust_them(page: str, sides: set[str]) -> None:
    """A vendor's word against a write-up's or a program's, side by side."""
    claims = PAGES[page].disputes[0].claims

    assert {claim.source.trust for claim in claims} == sides
    assert len({claim.source.text for claim in claims}) == len(claims)


def test_each_dispute_says_what_to_do_meanwhile() -> None:
    """Who reads it at night has to choose a side."""
    assert [page.id for page in PAGES.values() for one in page.disputes if not one.advice] == []
