"""An organisation's documents, and its pages that wait for approval, as search reads them."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from knowledge.catalog import Catalog
from knowledge.errors import CollectionDamagedError
from knowledge.own.collection import Collection
from knowledge.own.document import OWN, PART_MARK, Document, Kept
from knowledge.own.draft import Chapter
from knowledge.search.centring import language_of
from knowledge.search.corpus import Entry, Kind
from knowledge.search.passages import MOST_CHARACTERS, Passage, passages_of

KIND: Kind = "document"
_PART = 20_000
"""Characters of text that one entry holds: a long document is found by its parts."""
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")

Told = tuple[Entry, Sequence[Passage]]


def tell_documents(collection: Collection) -> Iterator[Told]:
    """Yield the documents that count, long ones in parts, with their passages by chapter.

    One that cannot be read is left out.

    Raises:
        CollectionDamagedError: the list of what was added cannot be read.
    """
    for kept in collection.current():
        if kept.kind == KIND:
            with suppress(CollectionDamagedError):
                yield from _parts(kept, collection.document(kept))


def tell_pending(catalog: Catalog) -> Iterator[Told]:
    """Yield the pages that nobody approved, by their prose alone."""
    for key, page in catalog.pending.items():
        entry = Entry(
            key,
            "page",
            page.title.en,
            page.title.zh,
            page.family,
            page.layer,
            page.plane,
            badge=page.badge,
        )
        yield entry, tuple(passages_of(page.model_copy(update={"id": key})))


def _parts(kept: Kept, document: Document) -> Iterator[Told]:
    for number, chapters in enumerate(_portions(document.chapters), 1):
        key = kept.id if number == 1 else f"{kept.id}{PART_MARK}{number}"
        title = document.title
        entry = Entry(key, KIND, title, title, OWN, badge=kept.badge)
        yield entry, tuple(_passages(key, title, chapters))


def _portions(chapters: Sequence[Chapter]) -> Iterator[Sequence[Chapter]]:
    """Divide chapters into portions that one entry can hold; a longer chapter is cut."""
    held: list[Chapter] = []
    for chapter in chapters:
        for start in range(0, len(chapter.text), _PART):
            piece = Chapter(title=chapter.title, text=chapter.text[start : start + _PART])
            if held and sum(len(each.text) for each in held) + len(piece.text) > _PART:
                yield held
                held = []
            held.append(piece)
    yield held


def _passages(key: str, title: str, chapters: Sequence[Chapter]) -> Iterator[Passage]:
    """Yield passages of text, and each title as a phrase by which people may ask."""
    titles = dict.fromkeys([title, *(" ".join(_headings(title, each)) for each in chapters)])
    for number, told in enumerate(titles):
        lang = language_of(told)
        yield Passage(f"{key}/title/{number}", key, "phrases", lang, title, told)
    number = 0
    for chapter in chapters:
        heading = " / ".join(_headings(title, chapter))
        for text in _packed(chapter.text):
            lang = language_of(text)
            told = f"{heading}\n{text}"
            yield Passage(f"{key}/{number}", key, "chapter", lang, heading, told)
            number += 1


def _headings(title: str, chapter: Chapter) -> list[str]:
    return [each for each in (title, chapter.title) if each]


def _packed(text: str) -> Iterator[str]:
    """Join sentences until a passage is full; one that is longer alone is cut."""
    held = ""
    for sentence in _sentences(text):
        if held and len(held) + len(sentence) > MOST_CHARACTERS:
            yield held
            held = ""
        held = f"{held} {sentence}" if held else sentence
    if held:
        yield held


def _sentences(text: str) -> Iterator[str]:
    for sentence in filter(None, map(str.strip, filter(None, _SENTENCE.split(text)))):
        for start in range(0, len(sentence), MOST_CHARACTERS):
            yield sentence[start : start + MOST_CHARACTERS]
