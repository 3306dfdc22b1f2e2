"""Approved pages work and are marked; the others are shown and take part in nothing."""

from knowledge.catalog import Catalog
from knowledge.own.page_file import OwnPage
from knowledge.own.shelf import bare_title, put_over
from tests.knowledge.own.test_floor import CAUTION, REBOOT, RESET
from tests.knowledge.own.test_page_file import addition, own
from tests.knowledge.pages import NFS, XID, catalog, page

LINK = {"effect": "xid", "scope": "node", "strength": "usually", "delay": {"max_s": 60}}


def shipped() -> Catalog:
    """One page."""
    return catalog(page("xid", signatures=[XID], remedies=[RESET, REBOOT], do_not=[CAUTION]))


def over(*pages: OwnPage, approved: tuple[OwnPage, ...] = ()) -> Catalog:
    """Put pages over the shipped one, some of them approved."""
    return put_over(shipped(), pages, {each.digest for each in approved})


def test_what_waits_is_shown_and_inert() -> None:
    """No signature, link, remedy or advice of it is anywhere."""
    waits = own(
        "house", signatures=[NFS], causes=[LINK], remedies=[RESET], do_not=[CAUTION],
        contain=[CAUTION], phrases={"en": ["broke"], "names": ["HOUSE"]}, body="Prose.",
    )  # fmt: skip
    found = over(waits)
    (shown,) = found.pending.values()

    assert found.pages == shipped().pages
    assert (found.literals(), found.digest) == (shipped().literals(), shipped().digest)
    assert (shown.title.en, shown.body, shown.phrases.en) == ("A fault", "Prose.", ("broke",))
    parts = ("signatures", "causes", "remedies", "do_not", "contain", "checks", "distinguish")
    assert [name for name in parts if getattr(shown, name)] == []
    assert shown.phrases.names == ()
    assert shown.badge.endswith("not approved")
    (warning,) = found.warnings
    assert warning.startswith("own pages without approval have no effect: house; `firstfault kb")


def test_one_line_tells_of_all_that_wait() -> None:
    """Some by name."""
    found = over(*(own(f"house-{n}") for n in range(7)))
    assert len(found.warnings) == 1
    assert "house-4 and 2 more;" in found.warnings[0]


def test_an_approved_page_works_and_is_marked() -> None:
    """Its title, remedies and cautions say whose they are, in both languages."""
    mine = own("house", signatures=[NFS], remedies=[RESET], do_not=[CAUTION])
    found = over(mine, approved=(mine,))
    page_ = found.page("house")

    assert "nfs: server " in found.literals()
    assert (page_.title.en, page_.title.zh) == ("A fault [own]", "故障 [自有]")
    assert page_.remedies[0].title.en == "Reset the GPU [own]"
    assert page_.do_not[0].text.zh == "不要拔。 [自有]"
    assert bare_title(page_).en == "A fault"
    assert found.digest != shipped().digest
    assert (found.pending, found.warnings) == ({}, ())


def test_an_approved_page_takes_the_place_of_the_shipped_one() -> None:
    """In its family; until then the shipped one stays."""
    mine = own("xid", severity="critical", remedies=[RESET, REBOOT], do_not=[CAUTION])

    assert over(mine).page("xid").severity == "error"
    replaced = over(mine, approved=(mine,)).page("xid")
    assert (replaced.severity, replaced.family, replaced.signatures) == ("critical", "test", ())


def test_an_approved_extension_adds_to_its_page() -> None:
    """Whatever the order, also to another own page; the page's own title stays."""
    base, added = own("house"), addition("more", "house", signatures=[NFS])
    ours = addition("ours", "xid", remedies=[{**REBOOT, "id": "slow"}])
    found = over(added, ours, base, approved=(added, ours, base))

    assert len(found.page("house").signatures) == 1
    assert [r.title.en for r in found.page("xid").remedies] == [
        "Reset the GPU", "Reboot", "Reboot [own]",
    ]  # fmt: skip
    assert found.page("xid").title.en == "A fault"


def test_what_lowers_a_risk_is_left_out_though_approved() -> None:
    """The shipped page may have become stricter since."""
    mine = own("xid", remedies=[{**RESET, "risk": "R1"}], do_not=[CAUTION])
    found = over(mine, approved=(mine,))

    assert found.pages == shipped().pages
    assert found.warnings[0].startswith("page skipped: xid: remedy reset has risk R1")


def test_two_of_one_name_do_not_both_count() -> None:
    """The second is left out and said; so is what adds to nothing."""
    one, other = own("house"), own("house", severity="info")
    lost = addition("lost", "nowhere")
    found = over(one, other, lost, approved=(one, other, lost))

    assert found.page("house").severity == "error"
    assert found.warnings == (
        "page skipped: house: another of this id is approved too; remove one",
        "page skipped: lost: extends nowhere, which no page is",
    )
    assert over(lost).pending[f"lost@{lost.digest[:12]}"].title.en == "lost"
