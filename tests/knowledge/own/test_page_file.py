"""Pages of an organisation: read strictly, known by exactly what they say."""

from textwrap import dedent

import pytest
import yaml

from knowledge.errors import PageInvalidError
from knowledge.own.document import page_digest
from knowledge.own.page_file import Extension, OwnPage, extend, read_own_page
from knowledge.page import Page
from tests.knowledge.pages import XID, front, page


def own(page_id: str, **changes: object) -> OwnPage:
    """Read a sound page, with changes."""
    text = yaml.safe_dump(front(**changes), allow_unicode=True)
    return read_own_page(f"---\n{text}---\nProse.\n", page_id)


def addition(page_id: str, extends: str, **added: object) -> OwnPage:
    """Read what adds to a page."""
    text = yaml.safe_dump({"extends": extends, **added}, allow_unicode=True)
    return read_own_page(f"---\n{text}---\nMore prose.\n", page_id)


def test_a_digest_is_of_the_text_and_the_place() -> None:
    """One character, another id or family is another digest."""
    digests = {
        page_digest("a", "own", "text"), page_digest("a", "own", "text."),
        page_digest("b", "own", "text"), page_digest("a", "gpu", "text"),
    }  # fmt: skip
    assert len(digests) == 4
    assert own("a").digest == own("a").digest != own("a", severity="info").digest


def test_a_page_names_itself_or_is_named_by_its_file() -> None:
    """Its own badge is not believed."""
    named = own("file-name", id="real-name", badge="shipped")

    assert (named.id, named.target) == ("real-name", "real-name")
    assert isinstance(named.content, Page)
    assert (named.content.badge, own("file-name").id) == ("", "file-name")


def test_an_extension_adds_behind_what_is_there() -> None:
    """Every list grows; what it does not name stays."""
    base = page("xid", codes=["Xid 79"], phrases={"en": ["gone"]}, body="First.")
    added = addition(
        "ours", "xid", codes=["HOUSE-1"], phrases={"en": ["vanished"]}, signatures=[XID],
        traps=[{"en": "Ours.", "zh": "我们的。"}],
    )  # fmt: skip
    assert isinstance(added.content, Extension)
    grown = extend(base, added.content)

    assert added.target == "xid"
    assert (grown.codes, grown.phrases.en) == (("Xid 79", "HOUSE-1"), ("gone", "vanished"))
    assert [trap.en for trap in grown.traps] == ["Not what it seems.", "Ours."]
    assert (len(grown.signatures), grown.body, grown.title) == (
        1, "First.\n\nMore prose.", base.title,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("extends: xid\nseverity: info", "severity: Extra inputs"),
        ("extends: xid\nbenign_when: []", "benign_when: Extra inputs"),
        ("extends: xid\nrefuted_by: []", "refuted_by: Extra inputs"),
        ("extends: 7", "extends: Input should be a valid string"),
        ("id: ../../etc\nextends: xid", "id: String should match"),
        ("id: Nice Page\nrole: root\nlayer: system", "id: String should match"),
        ('extends: "xid\\u001b[2J"', "control or invisible"),
        ("extends: xid\ncolour: [", "broken front matter"),
    ],
)
def test_what_does_not_fit_is_said(text: str, why: str) -> None:
    """By field, before anything of it is used."""
    with pytest.raises(PageInvalidError, match=why):
        read_own_page(dedent(f"---\n{text}\n---\n"), "bad")


def test_invisible_text_in_the_prose_is_refused() -> None:
    """What an admin approves must be what they see."""
    with pytest.raises(PageInvalidError, match="invisible"):
        read_own_page("---\nextends: xid\n---\nsafe\u202e text", "bad")
