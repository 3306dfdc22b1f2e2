"""What was added stays, whole, once, and with its history."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from knowledge.errors import CollectionDamagedError, NotOwnError
from knowledge.own.collection import Collection, Outcome
from knowledge.own.document import Dated, Document, Kept, badge_of, digest_of, id_of
from knowledge.own.draft import Chapter


def put(
    collection: Collection, text: str, key: str = "/a.md", day: int = 1, dated: Dated = "document"
) -> Outcome:
    """Add a version of a document."""
    document = Document(title="Title", chapters=(Chapter(text=text),))
    digest = digest_of(document, key)
    kept = Kept(
        id=id_of(digest), key=key, kind="document", digest=digest, title="Title", source=key,
        date=date(2025, 1, day), dated=dated, format="markdown", added_at=datetime.now(UTC),
    )  # fmt: skip
    return collection.put(kept, document.model_dump_json().encode())


@pytest.fixture(name="collection")
def _collection(tmp_path: Path) -> Collection:
    return Collection(tmp_path / "data" / "own")


def test_the_same_again_changes_nothing(collection: Collection) -> None:
    """Not a byte of the list."""
    first = put(collection, "one")
    before = (collection.root / "collection.json").read_bytes()
    again = put(collection, "one")

    assert (first.status, again.status) == ("added", "unchanged")
    assert again.kept == first.kept
    assert (collection.root / "collection.json").read_bytes() == before


def test_a_newer_version_replaces_the_older_and_keeps_it_listed(collection: Collection) -> None:
    """Another thing of the same text is another thing."""
    old, new = put(collection, "one"), put(collection, "two", day=2)
    other = put(collection, "one", key="/b.md")

    assert (new.status, new.before, other.status) == ("replaced", old.kept, "added")
    assert [each.superseded_by for each in collection.kept()] == [new.kept.digest, "", ""]
    assert [each.id for each in collection.current()] == [new.kept.id, other.kept.id]


def test_an_earlier_version_does_not_replace_a_later_one(collection: Collection) -> None:
    """Where both dates are stated; a file's own time proves nothing."""
    put(collection, "new", day=9)

    assert put(collection, "old", day=3).status == "older"
    assert put(collection, "touched", day=3, dated="file").status == "replaced"


def test_what_was_replaced_can_come_back(collection: Collection) -> None:
    """A text that was put back is the one that counts again."""
    first = put(collection, "one", dated="file")
    put(collection, "two", dated="file")

    assert put(collection, "one", dated="file").status == "replaced"
    assert [each.digest for each in collection.current()] == [first.kept.digest]


def test_a_date_that_is_given_counts_anew(collection: Collection) -> None:
    """The text may be the same."""
    put(collection, "one")

    assert put(collection, "one", day=7, dated="given").status == "replaced"
    assert [each.date for each in collection.current()] == [date(2025, 1, 7)]


def test_a_text_is_read_as_it_was_kept_or_not_at_all(collection: Collection) -> None:
    """A changed, broken or lost file is said by its name."""
    kept = put(collection, "one").kept
    assert collection.document(kept).chapters[0].text == "one"
    file = collection.root / "content" / kept.digest

    file.write_text(file.read_text().replace("one", "two"))
    with pytest.raises(CollectionDamagedError, match="not what was kept"):
        collection.document(kept)
    file.write_text("{")
    with pytest.raises(CollectionDamagedError, match=kept.digest):
        collection.document(kept)
    file.unlink()
    with pytest.raises(CollectionDamagedError, match="No such file"):
        collection.document(kept)
    assert not collection.holds(kept)


def test_a_damaged_list_is_said_and_never_overwritten(collection: Collection) -> None:
    """It cannot be made again, so nothing is added to it."""
    put(collection, "one")
    (collection.root / "collection.json").write_text('{"kept": 3}')

    with pytest.raises(CollectionDamagedError, match=r"collection\.json"):
        put(collection, "two")
    assert (collection.root / "collection.json").read_text() == '{"kept": 3}'


def test_one_is_taken_out_by_its_id(collection: Collection) -> None:
    """What it replaced stays listed; an unknown id is said."""
    put(collection, "one")
    new = put(collection, "two", day=2).kept

    assert collection.remove(new.id) == new
    assert [bool(each.superseded_by) for each in collection.kept()] == [True]
    assert not collection.holds(new)
    with pytest.raises(NotOwnError, match="doc-nope"):
        collection.remove("doc-nope")


def test_many_at_once_lose_nothing(collection: Collection) -> None:
    """They take turns at the list."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: put(collection, str(n), key=f"/{n}.md"), range(24)))

    assert len(collection.current()) == 24
    assert all(collection.document(each) for each in collection.current())
    assert [f for f in collection.root.rglob(".*") if f.is_file()] == []


def test_others_may_not_read_it(collection: Collection) -> None:
    """Runbooks may tell much."""
    put(collection, "one")
    assert [f"{path.stat().st_mode & 0o777:o}" for path in (
        collection.root, collection.root / "content", collection.root / "collection.json",
    )] == ["700", "700", "600"]  # fmt: skip


def test_a_badge_says_whose_from_where_and_of_when() -> None:
    """Of a file its name is enough."""
    day = date(2025, 1, 2)
    assert badge_of("/srv/wiki/ring.md", day) == "own · ring.md · 2025-01-02"
    assert badge_of("https://wiki/x/ring", day) == "own · https://wiki/x/ring · 2025-01-02"
