"""The search itself: a question in, pages out, with why each matched, or nothing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from knowledge.embedding import Embedder
from knowledge.errors import EmbeddingError, IndexDamagedError
from knowledge.index import VectorIndexes
from knowledge.search.centring import Centres, centre, language_of
from knowledge.search.corpus import Corpus, Entry
from knowledge.search.exact import ExactFinder
from knowledge.search.lexical import LexicalIndex
from knowledge.search.passages import FORMS, Form, Passage
from knowledge.search.ranking import (
    LEAST,
    WITH_VECTORS,
    WORDS_ALONE,
    Arms,
    Scores,
    Signs,
    read_margin,
)
from knowledge.search.tokens import tokens_of

_NEAREST = 200
_ASKED = 0.9
"""From here a code is what is asked for, not only mentioned."""
_MOST_CHARACTERS = 2000
_FEW_WORDS = 10
"""A title answers a question of so few words; a longer one tells more than any title."""
_TOLD = 0.75
"""A passage that holds so much of a query tells of what it asks."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be found; an empty one lets all through."""

    kinds: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    planes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Of the text that is shown: a question in one language finds text in the other."""

    @property
    def fields(self) -> Mapping[str, Sequence[str]]:
        """The same, as vectors are filtered."""
        return {
            "kind": self.kinds,
            "family": self.families,
            "layer": self.layers,
            "plane": self.planes,
        }

    def admit(self, entry: Entry) -> bool:
        """Tell whether an entry may be found."""
        tests = (
            (self.kinds, entry.kind),
            (self.families, entry.family),
            (self.layers, entry.layer),
            (self.planes, entry.plane),
        )
        return all(not wanted or value in wanted for wanted, value in tests)


@dataclass(frozen=True, slots=True)
class Found:
    """One entry that answers, with the passage that fits best.

    `score` orders the results of one search and means nothing beyond it; `why` names the arms that
    found it: code, line, words, meaning.
    """

    entry: Entry
    passage: Passage
    score: float
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search found, best first; that nothing answers is a result too.

    `probability` is how probable it is that anything answers, 0..1; `unknown_code` a code that the
    query asks for and no page has; `without` says in a sentence which arm could not be asked.
    """

    results: tuple[Found, ...]
    probability: float
    unknown_code: str = ""
    without: str = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The dense arm: an index of vectors, what frees them from their language, and the model."""

    vectors: VectorIndexes
    centres: Centres
    embedder: Embedder

    def nearest(
        self, query: str, where: Mapping[str, Sequence[str]]
    ) -> Mapping[Form, list[tuple[str, float]]]:
        """Return the nearest passages of each form with their cosines.

        Raises:
            EmbeddingError: the model does not answer.
            IndexDamagedError: the vectors cannot be read.
        """
        raw = self.embedder.embed_query(query)[None, :]
        lang = language_of(query)
        return {
            form: self.vectors.nearest(
                form, centre(raw, [f"{form}-{lang}"], self.centres)[0], _NEAREST, where
            )
            for form in FORMS
        }


@dataclass(frozen=True)
class Finder:
    """Every arm over one corpus."""

    corpus: Corpus
    exact: ExactFinder
    whole: LexicalIndex
    parts: LexicalIndex
    meaning: Meaning | None = None
    without: str = ""

    def find(self, query: str, *, most: int = 10, filters: Filters = Filters()) -> Answer:
        """Find what answers the query: a code, a line of a log, words in English or Chinese."""
        query = query[:_MOST_CHARACTERS].strip()
        arms, without = self.ask(query, filters)
        totals = arms.total()
        unknown = self.exact.find_unknown_code(query)
        probability = self.judge(query, arms, totals)
        if probability < LEAST or (unknown and self.exact.asks_for_code(query)):
            return Answer((), probability, unknown, without)
        order = islice(self._order(arms, totals, filters), most)
        parts, shown = self.parts.score(query), self._shown(filters)
        results = tuple(
            Found(
                self.corpus.entries[place],
                self._fitting(place, parts, shown),
                float(totals[place]),
                arms.reasons(place),
            )
            for place in order
        )
        return Answer(results, probability, unknown, without)

    def _order(self, arms: Arms, totals: Scores, filters: Filters) -> Iterator[int]:
        """Yield the places of what may be shown, best first."""
        told = frozenset(self._entry_of[self._shown(filters)].tolist())
        for place in np.argsort(-totals, kind="stable").tolist():
            if place in told and filters.admit(self.corpus.entries[place]) and arms.reasons(place):
                yield place

    def ask(self, query: str, filters: Filters = Filters()) -> tuple[Arms, str]:
        """Ask every arm; the second value says which could not answer."""
        by_part = self.parts.score(query)
        brief = len(set(tokens_of(query))) <= _FEW_WORDS
        phrase = self._is_phrase & (brief | ~self._is_title)
        arms = {
            "codes": self._placed(self.exact.find_codes(query)),
            "lines": self._placed(self.exact.find_lines(query)),
            "whole": self.whole.score(query),
            "best": self._highest(by_part[~self._is_phrase], self._entry_of[~self._is_phrase]),
            "phrases": self._highest(by_part[phrase], self._entry_of[phrase]),
        }
        try:
            near = self.meaning.nearest(query, filters.fields) if self.meaning else {}
        except (EmbeddingError, IndexDamagedError) as error:
            nothing = np.zeros(len(self.corpus.entries), np.float32)
            return Arms(**arms, meaning=nothing, said=nothing), str(error)
        meaning, said = (self._spread(near.get(form, []), brief=brief) for form in FORMS)
        return Arms(**arms, meaning=meaning, said=said), self.without

    def judge(self, query: str, arms: Arms, totals: Scores) -> float:
        """Return how probable it is that anything answers; a code or line that is known does."""
        if arms.codes.max(initial=0) >= _ASKED or arms.lines.any():
            return 1.0
        weights = WITH_VECTORS if arms.said.any() else WORDS_ALONE
        probability = self.read_signs(query, arms, totals).probability(weights)
        return max(probability, self._told_at(query, int(totals.argmax())))

    def _told_at(self, query: str, place: int) -> float:
        """Return which share of a query's words, by rarity, one passage of something own holds.

        The weights were fitted to shipped pages, in which an organisation's own words hardly occur.
        """
        rarity = {token: self.whole.rarity(token) for token in tokens_of(query)}
        if not self.corpus.entries[place].own or not rarity:
            return 0.0
        mine = (self.corpus.passages[n] for n in np.flatnonzero(self._entry_of == place))
        texts = (frozenset(tokens_of(f"{each.heading} {each.text}")) for each in mine)
        held = max(sum(rarity[token] for token in rarity if token in text) for text in texts)
        share = held / (sum(rarity.values()) or 1.0)
        return share if share >= _TOLD else 0.0

    def read_signs(self, query: str, arms: Arms, totals: Scores) -> Signs:
        """Measure what tells an answered question from one without an answer."""
        tokens = set(tokens_of(query))
        rarity = {token: self.whole.rarity(token) for token in tokens}
        total = sum(rarity.values()) or 1.0
        best = int(totals.argmax())
        return Signs(
            margin=read_margin(totals),
            said=float(arms.said.max(initial=0)),
            words=float(arms.whole.max(initial=0)) / max(1, len(tokens)),
            unknown=sum(rarity[t] for t in tokens if not self.whole.knows(t)) / total,
            covered=sum(rarity[t] for t in tokens if self.whole.holds(t, best)) / total,
            brief=1 / max(1, len(tokens)),
        )

    def _spread(self, near: Sequence[tuple[str, float]], *, brief: bool) -> Scores:
        """Return every entry's best cosine; of those beyond the nearest, that of the last.

        Titles count only for a brief question.
        """
        scores = np.full(len(self.corpus.entries), near[-1][1] if near else 0.0, np.float32)
        for key, cosine in near:
            part = self._parts_by_id[key]
            if brief or part.section != "title":
                place = self.corpus.place[part.page]
                scores[place] = max(scores[place], cosine)
        return scores

    def _shown(self, filters: Filters) -> NDArray[np.bool_]:
        """Tell of each passage whether it is in a language that is wanted."""
        if not filters.languages:
            return np.ones(len(self.corpus.passages), np.bool_)
        return np.isin(self._languages, filters.languages)

    def _fitting(self, place: int, scores: Scores, shown: NDArray[np.bool_]) -> Passage:
        """Choose the passage to show: the best by words, the overview where none has any."""
        mine = np.flatnonzero(shown & (self._entry_of == place))
        told = [n for n in mine if self.corpus.passages[n].form != "phrase"]
        return self.corpus.passages[max(told or mine, key=lambda n: scores[n])]

    def _placed(self, found: Mapping[str, float]) -> Scores:
        scores = np.zeros(len(self.corpus.entries), np.float32)
        for entry, score in found.items():
            if entry in self.corpus.place:
                scores[self.corpus.place[entry]] = score
        return scores

    def _highest(self, scores: Scores, entries: NDArray[np.int64]) -> Scores:
        best = np.zeros(len(self.corpus.entries), np.float32)
        np.maximum.at(best, entries, scores)
        return best

    @cached_property
    def _entry_of(self) -> NDArray[np.int64]:
        return np.array([self.corpus.place[each.page] for each in self.corpus.passages], np.int64)

    @cached_property
    def _is_phrase(self) -> NDArray[np.bool_]:
        return np.array([each.form == "phrase" for each in self.corpus.passages], np.bool_)

    @cached_property
    def _is_title(self) -> NDArray[np.bool_]:
        return np.array([each.section == "title" for each in self.corpus.passages], np.bool_)

    @cached_property
    def _parts_by_id(self) -> Mapping[str, Passage]:
        return {each.id: each for each in self.corpus.passages}

    @cached_property
    def _languages(self) -> NDArray[np.str_]:
        return np.array([each.lang for each in self.corpus.passages])
