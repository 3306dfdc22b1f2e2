"""An organisation's documents are found beside the pages, marked as theirs."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, date, datetime
from multiprocessing import get_context
from pathlib import Path

from knowledge.own.collection import Collection
from knowledge.own.document import Document, Kept, digest_of, id_of
from knowledge.own.draft import Chapter
from knowledge.own.shelf import put_over
from knowledge.search.corpus import corpus_of
from knowledge.search.documents import tell_documents, tell_pending
from knowledge.search.finder import Filters
from knowledge.search.opening import Opened, open_search
from knowledge.search.passages import MOST_CHARACTERS
from tests.knowledge.own.test_page_file import own
from tests.knowledge.search.shelf import WordModel, shelf

ANY = Filters()


def add(collection: Collection, title: str, *texts: str) -> str:
    """Add a document with a chapter a text; return its id."""
    chapters = tuple(Chapter(title=f"Part {n}", text=text) for n, text in enumerate(texts, 1))
    document = Document(title=title, chapters=chapters)
    digest = digest_of(document, title)
    kept = Kept(
        id=id_of(digest), key=title, kind="document", digest=digest, title=title,
        source=f"https://wiki/{title}", date=date(2025, 1, 2), dated="given", format="markdown",
        added_at=datetime.now(UTC),
    )  # fmt: skip
    collection.put(kept, document.model_dump_json().encode())
    return kept.id


def open_own(root: Path, collection: Collection, model: WordModel | None = None) -> Opened:
    """Open the search over the shelf and a collection."""
    pages = shelf()
    corpus = corpus_of(pages, tell_documents(collection))
    return open_search(pages, corpus, root, model, why="no model")


def names(opened: Opened, query: str, filters: Filters = ANY) -> Sequence[str]:
    """Return the ids that a query finds."""
    return [each.entry.id for each in opened.finder.find(query, filters=filters).results]


def test_a_document_is_found_by_its_words_and_says_whose_it_is(tmp_path: Path) -> None:
    """With its badge and the chapter that fits; with vectors and without."""
    collection = Collection(tmp_path / "own")
    key = add(collection, "Cryostat", "Fill it slowly.", "The quench valve sticks in winter.")
    for model in (WordModel(), None):
        opened = open_own(tmp_path / f"index-{model is None}", collection, model)
        best = opened.finder.find("quench valve sticks").results[0]

        assert (best.entry.id, best.entry.kind) == (key, "document")
        assert best.entry.badge == "own · https://wiki/Cryostat · 2025-01-02"
        assert best.passage.heading == "Cryostat / Part 2"
        assert "quench valve" in best.passage.text
        assert names(opened, "quench valve sticks", Filters(kinds=("page",))) == []


def test_pages_are_found_as_before(tmp_path: Path) -> None:
    """A document moves no page that answers a code, a line or its own words."""
    collection = Collection(tmp_path / "own")
    add(collection, "Notes on GPUs", "A GPU may fall off; we then call the vendor about Xid 79.")
    opened = open_own(tmp_path / "index", collection, WordModel())

    assert names(opened, "Xid 79")[0] == "xid-79"
    assert names(opened, "nfs: server 10.0.0.10 not responding, still trying")[0] == (
        "nfs-server-down"
    )


def test_only_what_is_new_is_embedded(tmp_path: Path) -> None:
    """The first search after an addition embeds that alone, and leaves the pages' vectors."""
    collection = Collection(tmp_path / "own")
    add(collection, "First", "About the ring.")
    first = open_own(tmp_path / "index", collection, WordModel())
    add(collection, "Second", "About the tray.")
    model = WordModel()
    second = open_own(tmp_path / "index", collection, model)

    assert first.base is not None
    assert second.base is not None
    assert (second.base.folder, second.base.why) == (first.base.folder, "")
    assert second.held.folder != first.held.folder

    assert sorted(model.embedded) == sorted(
        ["Second", "Second Part 1", "Second / Part 1\nAbout the tray."]
    )


def test_long_texts_are_cut_into_passages_and_parts(tmp_path: Path) -> None:
    """Nothing is lost, and no passage is longer than one vector can tell."""
    collection = Collection(tmp_path / "own")
    text = " ".join(f"Sentence {n} tells of thing {n}." for n in range(2000)) + " z" * 3000
    key = add(collection, "Long", text, "x" * 1000)
    told = list(tell_documents(collection))
    passages = [each for _, every in told for each in every if each.section == "chapter"]

    assert [entry.id for entry, _ in told][:3] == [key, f"{key}#2", f"{key}#3"]
    assert max(len(each.text.partition("\n")[2]) for each in passages) <= MOST_CHARACTERS
    assert sum(each.text.count("Sentence") for each in passages) == 2000
    assert len({each.id for each in passages}) == len(passages)


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    """The others are found."""
    collection = Collection(tmp_path / "own")
    add(collection, "Lost", "text")
    key = add(collection, "There", "text")
    (collection.root / "content" / collection.kept()[0].digest).unlink()

    assert [entry.id for entry, _ in tell_documents(collection)] == [key]


def test_a_page_that_waits_is_found_by_its_prose_alone(tmp_path: Path) -> None:
    """Under an id of its own, with a badge that says so; its signatures find nothing."""
    waits = own(
        "tape-robot",
        title={"en": "Tape robot is stuck", "zh": "磁带机器人卡住"},
        signatures=[
            {
                "id": "line", "source": "service", "literal": "gripper jammed",
                "regex": "gripper jammed", "examples": ["gripper jammed"],
            }
        ],
    )  # fmt: skip
    pages = put_over(shelf(), [waits], ())
    corpus = corpus_of(pages, tell_pending(pages))
    opened = open_search(pages, corpus, tmp_path / "index", None)
    best = opened.finder.find("tape robot is stuck").results[0]

    assert best.entry.id == f"tape-robot@{waits.digest[:12]}"
    assert best.entry.badge.endswith("not approved")
    assert names(opened, "gripper jammed") == []


def _look(root: Path, data: Path, words: str, rounds: int) -> list[str]:
    """Open a collection's search again and again; return what was found."""
    found: list[str] = []
    for _ in range(rounds):
        opened = open_own(root, Collection(data), WordModel())
        found += names(opened, words)[:1]
        opened.held.release()
    return found


def test_several_collections_are_open_at_once_in_several_processes(tmp_path: Path) -> None:
    """Each finds its own documents and no other's, over one cache."""
    ring, tray = Collection(tmp_path / "a"), Collection(tmp_path / "b")
    keys = [add(ring, "Ring", "The spanner of the ring."), add(tray, "Tray", "A spanner of trays.")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        asked = [
            pool.submit(_look, tmp_path / "index", each.root, "spanner", 2) for each in (ring, tray)
        ]
        found = [each.result() for each in asked]

    assert found == [[keys[0]] * 2, [keys[1]] * 2]
