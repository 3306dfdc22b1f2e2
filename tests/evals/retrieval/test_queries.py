"""What the labelled queries must be, so that their figures mean something."""

import re
from collections import Counter
from pathlib import Path

import pytest
import yaml

from evals.retrieval.queries import (
    KINDS,
    NO_ANSWER,
    SHORT_NO_ANSWER,
    UNANSWERED,
    Query,
    load_queries,
)
from knowledge.page import TextSignature
from tests.assistant.handbook import shipped

FOLDER = Path(__file__).parents[3] / "evals" / "retrieval"
PAGES = shipped().pages
QUERIES = load_queries({page.id: page.family for page in PAGES.values()})
_LATIN = re.compile(r"[a-z0-9]+")
_CJK = re.compile(r"[\u3400-\u9fff]+")


def test_there_are_enough_of_each_kind() -> None:
    """Sixty pairs or lines of each, a hundred without an answer, in both halves."""
    pairs = Counter(kind for kind, _ in {(query.kind, query.pair) for query in QUERIES})

    assert {kind for kind in KINDS if pairs[kind] < 60} == set()
    assert pairs["short"] >= 72
    assert (pairs[NO_ANSWER] >= 100, pairs[SHORT_NO_ANSWER] >= 40) == (True, True)
    halves = Counter(query.half for query in QUERIES)
    assert min(halves.values()) > 0.4 * sum(halves.values())


def test_every_label_is_a_page_of_the_handbook() -> None:
    """At most three, but for short questions, which many may answer; without an answer none."""
    for query in QUERIES:
        assert len(query.pages) <= 3 or query.kind == "short"
        assert set(query.pages) <= set(PAGES)
        assert bool(query.pages) == (query.kind not in UNANSWERED)


def test_a_short_question_is_as_people_type_it_and_all_families_are_asked() -> None:
    """Six words at most; every family has some."""
    short = [query for query in QUERIES if query.kind in ("short", SHORT_NO_ANSWER)]

    assert [q.text for q in short if len(q.text.split()) > 6 or len(q.text) > 40] == []
    assert {PAGES[q.pages[0]].family for q in short if q.pages} == {
        page.family for page in PAGES.values()
    }


def test_no_line_is_a_sample_of_its_page() -> None:
    """Else it would be found by its own copy."""
    samples = {
        sample
        for page in PAGES.values()
        for signature in page.signatures
        if isinstance(signature, TextSignature)
        for sample in signature.examples
    } | {line for page in PAGES.values() for line in page.phrases.lines}

    assert [q.text for q in QUERIES if q.kind == "log_line" and q.text in samples] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_paraphrase_shares_no_word_with_its_page(lang: str) -> None:
    """With title, summary and codes, other than words that say nothing."""
    idle = set(yaml.safe_load((FOLDER / "function_words.yaml").read_text("utf-8"))[lang])
    shared = {
        query.text: words
        for query in QUERIES
        if (query.kind, query.lang) == ("paraphrase", lang)
        if (words := (_words(query.text, lang) & _page_words(query, lang)) - idle)
    }

    assert shared == {}


def _page_words(query: Query, lang: str) -> set[str]:
    page = PAGES[query.pages[0]]
    told = (getattr(page.title, lang), getattr(page.summary, lang), *page.codes)
    return _words(" ".join(told), lang)


def _words(text: str, lang: str) -> set[str]:
    latin = {word for word in _LATIN.findall(text.lower()) if len(word) >= 3}
    if lang == "en":
        return {_stem(word) for word in latin}
    return latin | {run[n : n + 2] for run in _CJK.findall(text) for n in range(len(run) - 1)}


def _stem(word: str) -> str:
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word
