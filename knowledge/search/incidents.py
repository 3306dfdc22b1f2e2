"""Postmortems as search reads them: entries beside the pages, and passages by section."""

from collections.abc import Iterable, Iterator, Sequence

from knowledge.catalog import Catalog
from knowledge.past import load_postmortems
from knowledge.postmortem import Postmortem
from knowledge.search.corpus import Corpus, Entry, Kind, corpus_of
from knowledge.search.finder import Finder
from knowledge.search.passages import LANGUAGES, Language, Passage, Section, cut

KIND: Kind = "postmortem"
BADGE = "past incident"
_NEAR = 10
"""An incident that is further down among all that answers is only a word in common."""

Told = tuple[Entry, Sequence[Passage]]


def tell_incidents(past: Iterable[Postmortem], catalog: Catalog) -> Iterator[Told]:
    """Yield each postmortem as an entry, classed as the page of its root is, with its passages."""
    for each in past:
        root = catalog.pages.get(each.root)
        entry = Entry(
            each.id,
            KIND,
            each.title.en,
            each.title.zh,
            layer=root.layer if root else "",
            plane=root.plane if root else "",
            badge=BADGE,
        )
        yield entry, tuple(_passages(each))


def shipped_corpus(catalog: Catalog) -> Corpus:
    """Put the handbook and the incidents of the past that travel with it into one corpus."""
    return corpus_of(catalog, tell_incidents(load_postmortems(), catalog))


def find_incidents(finder: Finder, words: str) -> tuple[str, ...]:
    """Return the ids of incidents that the words tell of, best first.

    They count only where they stand among the first of everything that answers.
    """
    if not words.strip():
        return ()
    answer = finder.find(words, most=_NEAR)
    return tuple(found.entry.id for found in answer.results if found.entry.kind == KIND)


def _passages(each: Postmortem) -> Iterator[Passage]:
    for lang in LANGUAGES:
        yield from cut(each.id, each.title, lang, _sections(each, lang))


def _sections(each: Postmortem, lang: Language) -> Iterator[tuple[Section, Iterable[str]]]:
    yield "overview", (getattr(each.summary, lang),)
    yield "phrases", getattr(each.phrases, lang)
    if lang == "en":
        yield "signs", (" ".join(each.phrases.names), *each.phrases.lines)
    yield "differences", (getattr(each.decided.text, lang),)
    yield "traps", (getattr(one.text, lang) for one in each.misled)
    yield "actions", (getattr(one.text, lang) for one in each.lessons)
    if lang == "en":
        yield "notes", (" ".join(part.split()) for part in each.body.split("\n\n"))
