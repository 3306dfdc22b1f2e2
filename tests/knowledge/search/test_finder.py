from pathlib import Path

import pytest

from knowledge.search.finder import Filters
from tests.knowledge.search.shelf import DeadModel, WordModel, open_shelf


@pytest.fixture(name="root", scope="module")
def _root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("index")


@pytest.mark.parametrize(
    ("query", "first", "why"),
    [
        ("gst 4001", "gst-4001", "code"),
        ("what does Xid 79 mean", "xid-79", "code"),
        ("nfs: server 10.0.0.10 not responding, still trying", "nfs-server-down", "line"),
        ("卷挂载失败", "gst-4001", "words"),
        ("显卡突然不见", "xid-79", "meaning"),
        ("card vanished, pulled the plug", "xid-79", "meaning"),
    ],
)
def test_each_way_of_asking_finds_its_page(root: Path, query: str, first: str, why: str) -> None:
    """Code, line, words, and how people say it; the answer tells which of them found it."""
    answer = open_shelf(root, WordModel()).finder.find(query)

    assert answer.results[0].entry.id == first
    assert why in answer.results[0].why
    assert answer.without == ""


@pytest.mark.parametrize("query", ["zebra crossing painted yellow", "", "怎么做红烧肉"])
def test_nothing_is_an_answer(root: Path, query: str) -> None:
    """What no page speaks of has no nearest page."""
    assert open_shelf(root, WordModel()).finder.find(query).results == ()


def test_a_code_that_no_page_has_is_not_answered_by_another(root: Path) -> None:
    """The code is named instead."""
    answer = open_shelf(root, WordModel()).finder.find("Xid 999")

    assert (answer.results, answer.unknown_code) == ((), "Xid 999")


def test_filters_admit_only_what_they_name(root: Path) -> None:
    """By family, layer and plane; a page beyond them is not shown, however well it fits."""
    finder = open_shelf(root, WordModel()).finder

    hardware = finder.find("card vanished server answer", filters=Filters(layers=("hardware",)))
    assert [found.entry.id for found in hardware.results] == ["xid-79"]
    assert finder.find("Xid 79", filters=Filters(families=("none",))).results == ()
    assert finder.find("Xid 79", filters=Filters(planes=("compute",))).results


@pytest.mark.parametrize("query", ["GST-4001", "volume mount failed", "卷挂载失败"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_is_shown_in_the_language_that_is_wanted(
    root: Path, query: str, language: str
) -> None:
    """Whatever the question's own: it finds the page, and the page speaks both."""
    found = open_shelf(root, WordModel()).finder.find(query, filters=Filters(languages=(language,)))

    assert found.results[0].entry.id == "gst-4001"
    assert {each.passage.lang for each in found.results} == {language}


def test_a_page_without_a_word_in_a_language_is_not_shown_in_it(root: Path) -> None:
    """As a document that is only written in one."""
    finder = open_shelf(root, WordModel()).finder

    assert finder.find("Xid 79", filters=Filters(languages=("fr",))).results == ()


def test_pages_that_only_help_to_read_are_no_answer(root: Path) -> None:
    """Nobody asks for the page that knows how a node is called."""
    answer = open_shelf(root, WordModel()).finder.find("Name of a node")

    assert "node-name" not in {found.entry.id for found in answer.results}


def test_a_disputed_page_is_marked(root: Path) -> None:
    """Where sources disagree, who reads the result knows before opening it."""
    answer = open_shelf(root, WordModel()).finder.find("GST-4001")

    assert answer.results[0].entry.disputed


def test_without_a_model_words_serve_alone_and_say_so(tmp_path: Path) -> None:
    """And a model that fails later leaves the same."""
    alone = open_shelf(tmp_path, None, why="no model is installed").finder.find("volume mount")
    dead = open_shelf(tmp_path, DeadModel()).finder.find("volume mount")

    assert alone.results[0].entry.id == dead.results[0].entry.id == "gst-4001"
    assert alone.without == "no model is installed"
    assert "cannot embed text with http://127.0.0.1:9" in dead.without


def test_a_model_that_dies_between_questions_is_said(root: Path) -> None:
    """The index is there, the question cannot be embedded."""
    model = WordModel()
    finder = open_shelf(root, model).finder
    model.embed_query = DeadModel().embed_query  # type: ignore[method-assign]  # it dies now

    answer = finder.find("volume mount failed")
    assert answer.results[0].entry.id == "gst-4001"
    assert "no answer" in answer.without


def test_the_passage_shown_is_the_one_that_fits(root: Path) -> None:
    """A sample for a line, never a phrase."""
    answer = open_shelf(root, WordModel()).finder.find(
        "nfs: server 10.0.0.10 not responding, still trying"
    )

    assert answer.results[0].passage.section == "signs"
