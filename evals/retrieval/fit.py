"""Fits when a search says that nothing answers: ``python -m evals.retrieval.fit``.

Logistic regression over the signs of `knowledge.search.ranking`, on the tuned half alone; classes
weigh alike. Prints the weights that `ranking` holds.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from numpy.typing import NDArray

from evals.retrieval.arms import open_bench
from evals.retrieval.queries import UNANSWERED, Query, load_queries
from knowledge.search.finder import Finder
from knowledge.search.ranking import BIAS, Signs

_STEPS = 20_000
_RATE = 0.05
_SHRINK = 0.002


def fit(rows: NDArray[np.float64], answered: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of the columns and, last, the bias, by gradient descent.

    Columns are brought to one scale first and the weights back to the columns' own after.
    """
    middle, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = np.c_[(rows - middle) / spread, np.ones(len(rows))]
    share = np.where(answered, 0.5 / answered.mean(), 0.5 / (1 - answered.mean()))
    weights = np.zeros(scaled.shape[1])
    for _ in range(_STEPS):
        told = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ ((told - answered) * share) / len(rows)
        weights -= _RATE * (slope + _SHRINK * weights)
    own = weights[:-1] / spread
    return np.append(own, weights[-1] - own @ middle)


def fit_finder(finder: Finder, queries: Sequence[Query]) -> Mapping[str, float]:
    """Fit to what a finder measures of the queries that no exact arm answers."""
    names = [each.name for each in fields(Signs)]
    rows, answered = [], []
    for query in queries:
        arms, _ = finder.ask(query.text)
        if arms.lines.any() or arms.codes.any():
            continue
        signs = finder.read_signs(query.text, arms, arms.total())
        rows.append([getattr(signs, name) for name in names])
        answered.append(query.kind not in UNANSWERED)
    weights = fit(np.array(rows), np.array(answered))
    return dict(zip((*names, BIAS), weights.round(3).tolist(), strict=True))


def main() -> None:
    """Print the weights with vectors and without."""
    bench = open_bench(Path(gettempdir()) / "firstfault-retrieval")
    families = {page.id: page.family for page in bench.catalog.pages.values()}
    tuned = [query for query in load_queries(families) if query.half == "tuned"]
    for finder in (bench.finder, replace(bench.finder, meaning=None)):
        sys.stdout.write(f"{fit_finder(finder, tuned)}\n")


if __name__ == "__main__":
    main()
