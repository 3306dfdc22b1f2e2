"""The lexical arm of search: BM25 over words, identifiers and pairs of CJK signs."""

import math
from collections.abc import Sequence
from pathlib import Path

import bm25s
import numpy as np
from numpy.typing import NDArray

from knowledge.search.glossary import Glossary
from knowledge.search.tokens import tokens_of


class LexicalIndex:
    """Texts by their words. Scores are those of BM25 in Lucene's form, 0 without a common word."""

    def __init__(self, ranker: bm25s.BM25, glossary: Glossary) -> None:
        self._ranker = ranker
        self._glossary = glossary

    @classmethod
    def build(cls, texts: Sequence[str], glossary: Glossary) -> "LexicalIndex":
        """Index the texts in their order."""
        ranker = bm25s.BM25()
        ranker.index([tokens_of(text) or [""] for text in texts], show_progress=False)
        return cls(ranker, glossary)

    @classmethod
    def open(cls, folder: Path, glossary: Glossary) -> "LexicalIndex":
        """Open what `save` wrote."""
        return cls(bm25s.BM25.load(str(folder), mmap=True), glossary)

    def save(self, folder: Path) -> None:
        """Write it into `folder`."""
        self._ranker.save(str(folder), show_progress=False)

    def score(self, query: str) -> NDArray[np.float32]:
        """Score every text, in the order of `build`.

        Words that the glossary knows for the query's, in either language, count half.
        """
        own = tokens_of(query)
        meant = [t for term in self._glossary.translate(query) for t in tokens_of(term)]
        others = self._score([token for token in meant if token not in own])
        return self._score(own) + others * np.float32(0.5)

    def rarity(self, token: str) -> float:
        """Return the weight of a token in BM25's own measure; the highest where none has it."""
        size, count = self._ranker.scores["num_docs"], self._count(token)
        return math.log(1 + (size - count + 0.5) / (count + 0.5))

    def spread(self, word: str) -> int:
        """Return how many texts use a plain word."""
        return max(map(self._count, tokens_of(word)), default=0)

    def holds(self, token: str, text: int) -> bool:
        """Tell whether one text has the token."""
        return text in self._texts_with(token)

    def knows(self, token: str) -> bool:
        """Tell whether any text has the token."""
        return token in self._ranker.vocab_dict

    def _count(self, token: str) -> int:
        return len(self._texts_with(token))

    def _texts_with(self, token: str) -> NDArray[np.int32]:
        """Return the places of the texts that have a token: a column of BM25's matrix."""
        place = self._ranker.vocab_dict.get(token)
        held, starts = self._ranker.scores["indices"], self._ranker.scores["indptr"]
        none: NDArray[np.int32] = held[:0]
        return none if place is None else held[starts[place] : starts[place + 1]]

    def _score(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        known = [token for token in dict.fromkeys(tokens) if self.knows(token)]
        if not known:
            return np.zeros(self._ranker.scores["num_docs"], np.float32)
        scores: NDArray[np.float32] = self._ranker.get_scores(known)
        return scores
