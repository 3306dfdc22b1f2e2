"""How the arms of a search are weighed against each other, and when nothing answers.

The weights were fitted on the tuned half of the labelled queries and judged on the locked one:
``python -m evals.retrieval.fit`` prints them anew.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float32]
"""One number an entry, in the corpus's order."""

_CODE = 40.0
_LINE = 40.0
_PART = 0.5
_COSINE = 20.0
_MEANT = 0.3
"""A cosine of centred vectors from which two texts speak of the same."""
_RIVALS = slice(1, 6)

BIAS = "bias"
WITH_VECTORS: Mapping[str, float] = MappingProxyType({
    "margin": 0.263, "said": 17.9, "words": 0.721, "unknown": -5.24, "covered": 3.08,
    "brief": -11.8, BIAS: -6.38,
})  # fmt: skip
WORDS_ALONE: Mapping[str, float] = MappingProxyType({
    "margin": 0.236, "words": 1.23, "unknown": -5.39, "covered": 1.78, "brief": -7.77, BIAS: 0.032,
})  # fmt: skip
LEAST = 0.15
"""Below this probability that anything answers, nothing is shown."""


@dataclass(frozen=True, slots=True)
class Arms:
    """What each way of looking gives every entry; 0 where it finds nothing.

    `codes` and `lines` lie in 0..1; `whole` is BM25 over all text of the entry, `best` over its
    best passage and `phrases` over its best phrase; `meaning` and `said` are the best cosine of its
    passages and of its phrases, zeros where there are no vectors.
    """

    codes: Scores
    lines: Scores
    whole: Scores
    best: Scores
    phrases: Scores
    meaning: Scores
    said: Scores

    def total(self) -> Scores:
        """Return the weighted sum; only its order means anything."""
        words = self.whole + _PART * (self.best + self.phrases)
        named = _CODE * self.codes + _LINE * self.lines
        total: Scores = words + named + _COSINE * (self.meaning + self.said)
        return total

    def reasons(self, place: int) -> tuple[str, ...]:
        """Name the arms that found an entry: code, line, words, meaning."""
        words = self.whole[place] + self.best[place] + self.phrases[place]
        found = {
            "code": self.codes[place] > 0,
            "line": self.lines[place] > 0,
            "words": words > 0,
            "meaning": max(self.meaning[place], self.said[place]) >= _MEANT,
        }
        return tuple(name for name, there in found.items() if there)


@dataclass(frozen=True, slots=True)
class Signs:
    """What tells a question that the corpus answers from one that it does not.

    `margin`: how far the first total lies above the mean of the next five · `said`: the best cosine
    of a phrase · `words`: the best BM25 a token · `unknown`: share of the query's tokens, by how
    rare they are, that no text of the corpus has · `covered`: share that the first entry has ·
    `brief`: 1 for one token, a half for two: what few words add up to means something else.
    """

    margin: float
    said: float
    words: float
    unknown: float
    covered: float
    brief: float

    def probability(self, weights: Mapping[str, float]) -> float:
        """Return how probable it is that something answers, 0..1 (logistic)."""
        total = weights[BIAS] + sum(
            weight * getattr(self, name) for name, weight in weights.items() if name != BIAS
        )
        return 1 / (1 + math.exp(-max(-40.0, min(40.0, total))))


def read_margin(totals: Scores) -> float:
    """Tell how far the best total stands out."""
    best = np.sort(totals)[::-1]
    return float(best[0] - best[_RIVALS].mean()) if len(best) > 1 else float(best.sum())
