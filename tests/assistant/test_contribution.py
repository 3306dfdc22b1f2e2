"""What is taken in carries no secret and its origin; pages are proved before they are kept."""

from datetime import date
from pathlib import Path

import pytest

from assistant.contribution import (
    Handbook,
    Provenance,
    clean_source,
    is_refused,
    read_page_draft,
    take_document,
    take_page,
)
from knowledge.errors import OwnPageRefusedError
from knowledge.own.collection import Collection
from knowledge.own.draft import Chapter, Draft
from knowledge.own.page_file import OwnPage
from tests.knowledge.own.test_floor import CAUTION, REBOOT, RESET
from tests.knowledge.own.test_page_file import addition, own
from tests.knowledge.pages import XID, catalog, page

DAY = date(2025, 1, 2)
KEY = "AKIAIOSFODNN7EXAMPLE"
CAUSE = {"effect": "xid", "scope": "node", "strength": "usually", "delay": {"max_s": 60}}
SHIPPED = catalog(
    page("xid", signatures=[XID], remedies=[RESET, REBOOT], do_not=[CAUTION], damage=1)
)


def draft(text: str = "text", **told: object) -> Draft:
    """A document as it was read."""
    return Draft.model_validate(
        {"format": "markdown", "title": "Title", "chapters": (Chapter(text=text),), **told}
    )


@pytest.fixture(name="collection")
def _collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path / "own")


def test_secrets_are_masked_before_anything_is_kept(collection: Collection) -> None:
    """In title, text and address; one that spans two chapters too."""
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    body = "MIIEowIBAAKCAQEA7bq3\n" * 3
    chapters = (
        Chapter(title=f"Key {KEY}", text=f"{begin}\n{body}"),
        Chapter(title="p. 2", text=f"{body}{end}\nafter"),
    )
    origin = Provenance("/srv/a.md", DAY, source=f"https://me:pass@wiki/a?token={KEY}")
    outcome = take_document(draft(chapters=chapters, title=f"T {KEY}"), origin, collection)
    kept = b"".join(path.read_bytes() for path in collection.root.rglob("*") if path.is_file())

    for secret in (KEY.encode(), b"MIIEow", b"me:pass"):
        assert secret not in kept
    assert b"after" in kept
    assert outcome.kept.source.startswith("https://wiki/a")


@pytest.mark.parametrize(
    ("given", "stated", "expected"),
    [
        (date(2020, 1, 1), date(2021, 1, 1), (date(2020, 1, 1), "given")),
        (None, date(2021, 1, 1), (date(2021, 1, 1), "document")),
        (None, None, (DAY, "file")),
    ],
)
def test_the_date_is_the_best_that_is_known(
    collection: Collection, given: date | None, stated: date | None, expected: tuple[date, str]
) -> None:
    """Said, stated by the document, or the file's; and it is kept which."""
    origin = Provenance("/srv/a.md", DAY, given=given)
    kept = take_document(draft(stated=stated), origin, collection).kept
    assert (kept.date, kept.dated) == expected


def test_a_document_cannot_take_the_place_of_another_by_what_it_says(
    collection: Collection,
) -> None:
    """Its own address is shown; where it lay, or what was said of it, tells whose version it is."""
    mine = draft("mine", source="https://wiki/page")
    take_document(mine, Provenance("/srv/a.md", DAY), collection)
    forged = draft("forged", source="https://wiki/page")
    outcome = take_document(forged, Provenance("/tmp/b.md", DAY), collection)

    assert outcome.status == "added"
    assert [each.source for each in collection.current()] == ["https://wiki/page"] * 2


def test_an_exported_page_is_known_by_its_number(collection: Collection) -> None:
    """In the next export it has another place."""
    told = {"source": "confluence:101"}
    take_document(draft("old", **told), Provenance("/srv/1.zip!A", DAY), collection)
    later = take_document(draft("new", **told), Provenance("/srv/2.zip!B", DAY), collection)
    assert later.status == "replaced"


def test_a_page_with_a_secret_is_refused() -> None:
    """Masked, it would be another page than the one to be approved."""
    with pytest.raises(OwnPageRefusedError, match="looks like a secret"):
        read_page_draft(
            draft(page=f"---\nextends: xid\n---\n{KEY}"), "ours", Provenance("/a.md", DAY)
        )


def test_a_page_is_kept_as_it_was_written(collection: Collection) -> None:
    """Under the digest of exactly that."""
    text = "---\nextends: xid\n---\nProse.\n"
    told, origin = draft(page=text), Provenance("/srv/ours.md", DAY)
    page_ = read_page_draft(told, "ours", origin)
    kept = take_page(page_, told, origin, collection).kept

    assert (kept.id, kept.kind, kept.format, kept.digest) == (
        "ours", "page", "extension", page_.digest,
    )  # fmt: skip
    assert collection.content(kept).decode() == text


def refused(*pages: OwnPage, beside: tuple[OwnPage, ...] = ()) -> list[str]:
    """Say why each of these pages is refused, empty for one that is not."""
    told = Handbook(SHIPPED, beside).prove(pages)
    return [
        "; ".join(p.text for p in told[each.digest] if p.level == "error")
        if is_refused(told[each.digest])
        else ""
        for each in pages
    ]


def test_a_sound_page_passes_beside_the_others() -> None:
    """It may name another that comes with it, or one that is there."""
    effect = own("house-effect", damage=1)
    cause = own("house-cause", causes=[{**CAUSE, "effect": "house-effect"}])

    assert refused(effect, cause) == ["", ""]
    assert refused(cause, beside=(effect,)) == [""]
    assert refused(addition("ours", "xid", causes=[{**CAUSE, "effect": "house-effect"}]),
                   beside=(effect,)) == [""]  # fmt: skip


def test_what_cannot_work_is_refused_with_its_reasons() -> None:
    """By the lint of the shipped pages; what names it falls with it."""
    bad = own("house-bad", traps=[], signatures=[{**XID, "examples": ["nothing like it"]}])
    names_it = own("house-cause", causes=[{**CAUSE, "effect": "house-bad"}])
    first, second = refused(bad, names_it)

    assert "names no trap" in first
    assert "is not in its example" in first
    assert "house-bad, which no page is" in second
    assert (
        "no entity kind is called 'toaster'" in refused(own("odd", entity={"kind": "toaster"}))[0]
    )
    assert "nowhere, which no page is" in refused(addition("lost", "nowhere"))[0]


def test_what_lowers_a_risk_is_refused() -> None:
    """Overriding or extending a shipped page."""
    gentler = {**RESET, "risk": "R0"}
    assert "gives the same step R2" in refused(addition("ours", "xid", remedies=[gentler]))[0]
    assert "drops the caution" in refused(own("xid"))[0]
    assert "turns a fault" in refused(own("xid", role="benign", severity="info"))[0]


def test_what_is_seen_less_of_is_warned_of() -> None:
    """Nobody approves a page that is blind without knowing."""
    blind = own("xid", remedies=[RESET, REBOOT], do_not=[CAUTION], damage=1)
    problems = Handbook(SHIPPED, ()).prove([blind])[blind.digest]

    assert not is_refused(problems)
    assert [each.text for each in problems if each.rule == "quieter"] == [
        "has no signature line, by which the shipped page is seen",
    ]


def test_what_makes_less_of_a_fault_or_hides_a_risk_is_refused() -> None:
    """A P0 may not become a P3, nor what deletes data a look."""
    kept = {"remedies": [RESET, REBOOT], "do_not": [CAUTION], "damage": 1}
    wipe = {"id": "w", "title": {"en": "Wipe", "zh": "清空"}, "stage": "verify", "risk": "R0",
            "command": ["rm", "-rf", "/data"]}  # fmt: skip
    assert "has priority P3" in refused(own("xid", **{**kept, "priority": "P3"}))[0]
    assert "has damage 0" in refused(own("xid", **{**kept, "damage": 0}))[0]
    assert "no read-only command" in refused(own("house", remedies=[wipe]))[0]


def test_a_harmless_page_cannot_take_a_faults_own_line() -> None:
    """It would hide the fault without naming its page."""
    thief = own("house-noise", role="benign", severity="info", signatures=[
        {**XID, "regex": "NVRM: Xid", "not_examples": []},
    ])  # fmt: skip
    assert "takes a sample of the fault xid" in refused(thief)[0]


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ("https://wiki/a b", "https://wiki/a b"),
        ("https://u:p@wiki:8443/a", "https://wiki:8443/a"),
        ("/srv/a\x1b[31m\nb.md", "/srv/a b.md"),
        ("x" * 900, "x" * 500),
        ("http://[bad", "http://[bad"),
    ],
)
def test_an_address_is_fit_to_be_kept(source: str, kept: str) -> None:
    """One line, no user, nothing invisible, not endless; one that is none stays."""
    assert clean_source(source) == kept
