"""All pages of an organisation are found; one that cannot be read stops no other."""

from datetime import UTC, date, datetime
from pathlib import Path

import yaml

from knowledge.own.collection import Collection
from knowledge.own.document import Kept, page_digest
from knowledge.own.gathering import gather
from knowledge.own.page_file import read_own_page
from tests.knowledge.own.test_collection import put
from tests.knowledge.pages import front, write


def add(collection: Collection, page_id: str, text: str) -> None:
    """Add a page as it was written."""
    digest = page_digest(page_id, "own", text)
    kept = Kept(
        id=page_id, key=page_id, kind="page", digest=digest, title=page_id, source="https://wiki/p",
        date=date(2025, 1, 2), dated="given", format="page", added_at=datetime.now(UTC),
    )  # fmt: skip
    collection.put(kept, text.encode())


def test_added_pages_and_those_of_folders_are_found(tmp_path: Path) -> None:
    """With their badges; the second time from the cache, with the same digests."""
    collection = Collection(tmp_path / "own")
    text = f"---\n{yaml.safe_dump(front(), allow_unicode=True)}---\n"
    add(collection, "added", text)
    write(tmp_path / "pages" / "racks", "lying")
    (tmp_path / "pages" / "more.md").write_text("---\nextends: lying\n---\n")
    folders = [tmp_path / "pages"]
    first = gather(collection, folders, tmp_path / "cache")
    again = gather(collection, folders, tmp_path / "cache")

    assert [each.id for each in first.pages] == ["added", "more", "lying"]
    assert first.pages[0].badge == "own · https://wiki/p · 2025-01-02"
    assert first.pages[0].digest == read_own_page(text, "added").digest
    assert first.pages[2].content.model_dump()["family"] == "racks"
    assert [each.kept.source for each in first.pages if each.kept][2].endswith("racks/lying.md")
    assert [each.digest for each in again.pages] == [each.digest for each in first.pages]
    assert first.warnings == ()


def test_what_cannot_be_read_is_warned_of(tmp_path: Path) -> None:
    """A broken page, one that is not text, one that was lost or changed; a lost document too."""
    collection = Collection(tmp_path / "own")
    add(collection, "lost", "---\nextends: xid\n---\n")
    (collection.root / "content" / collection.find("lost").digest).unlink()
    document = put(collection, "one").kept
    (collection.root / "content" / document.digest).unlink()
    write(tmp_path / "pages", "broken", layer="nowhere")
    (tmp_path / "pages" / "latin.md").write_bytes(b"---\n\xff")
    found = gather(collection, [tmp_path / "pages", tmp_path / "none.md"])

    assert found.pages == ()
    for told in (
        "lost: not a valid page",
        "layer: Input",
        "not UTF-8 at byte 4",
        "none.md",
        document.id,
    ):
        assert sum(told in each for each in found.warnings) == 1


def test_content_that_was_changed_by_hand_counts_no_more(tmp_path: Path) -> None:
    """Of a page and of a document: it is not what was added, and that is said."""
    collection = Collection(tmp_path / "own")
    add(collection, "page", "---\nextends: xid\n---\n")
    document = put(collection, "one").kept
    for kept in (collection.find("page"), document):
        file = collection.root / "content" / kept.digest
        file.write_text(file.read_text().replace("xid", "nfs").replace("one", "two"))
    found = gather(collection, [])

    assert found.pages == ()
    assert [each.partition(":")[0] for each in found.warnings] == [
        "page skipped",
        "document skipped",
    ]
    assert "it is not what was kept" in found.warnings[0]
    assert not any(collection.holds(kept) for kept in collection.kept())


def test_adding_again_restores_what_was_changed(tmp_path: Path) -> None:
    """And says so."""
    collection = Collection(tmp_path / "own")
    kept = put(collection, "one").kept
    (collection.root / "content" / kept.digest).write_text("{}")

    assert put(collection, "one").status == "restored"
    assert collection.document(kept)
    assert put(collection, "one").status == "unchanged"
