"""Incidents of the past are found beside the pages, by words of either language."""

from pathlib import Path

from knowledge.search.corpus import corpus_of
from knowledge.search.finder import Filters, Finder
from knowledge.search.incidents import find_incidents, tell_incidents
from knowledge.search.opening import open_search
from tests.knowledge.incidents import NAME, incident
from tests.knowledge.pages import catalog, page
from tests.knowledge.search.shelf import WordModel, shelf

PAST = [
    incident(
        phrases={"en": ["our parrots sang in the aisle"], "zh": ["机房里的鹦鹉唱歌"]},
        body="A parrot.",
    )
]


def _finder(root: Path, model: WordModel | None = None) -> Finder:
    pages = shelf()
    corpus = corpus_of(pages, tell_incidents(PAST, pages))
    return open_search(pages, corpus, root, model, why="").finder


def test_an_incident_is_classed_as_the_page_of_its_root() -> None:
    """So that filters by layer and plane keep it; a badge says that it is no page."""
    pages = catalog(page("server-gone", layer="hardware", plane="network"))

    ((entry, passages),) = tell_incidents([incident()], pages)

    assert (entry.kind, entry.layer, entry.plane) == ("postmortem", "hardware", "network")
    assert entry.badge == "past incident"
    assert {each.page for each in passages} == {NAME}
    assert {each.lang for each in passages} == {"en", "zh"}
    assert len({each.id for each in passages}) == len(passages)


def test_an_incident_of_an_unknown_root_is_found_without_a_class() -> None:
    """A page may have been renamed."""
    ((entry, _),) = tell_incidents([incident()], catalog())

    assert (entry.layer, entry.plane) == ("", "")


def test_words_find_it_without_vectors_and_with(tmp_path: Path) -> None:
    """In both languages."""
    for model in (None, WordModel()):
        finder = _finder(tmp_path, model)
        assert find_incidents(finder, "parrots that sang") == (NAME,)
        assert find_incidents(finder, "鹦鹉唱歌") == (NAME,)


def test_filters_tell_incidents_from_pages(tmp_path: Path) -> None:
    """Either kind alone."""
    finder = _finder(tmp_path)

    def kinds(*wanted: str) -> set[str]:
        found = finder.find("parrots sang on the share", filters=Filters(kinds=wanted)).results
        return {each.entry.kind for each in found}

    assert kinds("postmortem") == {"postmortem"}
    assert kinds("page") <= {"page"}


def test_nothing_to_ask_finds_nothing(tmp_path: Path) -> None:
    """Blank words, and words that no incident tells of."""
    finder = _finder(tmp_path)

    assert find_incidents(finder, "  ") == ()
    assert find_incidents(finder, "Xid 79") == ()
