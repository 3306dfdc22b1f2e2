"""Runs the labelled queries through the arms: the document of `firstfault eval retrieval`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from evals.retrieval.arms import Ask, list_arms, open_bench
from evals.retrieval.measure import Figures, Judged, figures
from evals.retrieval.queries import HALVES, Query, load_queries

Document = Mapping[str, Mapping[str, Figures]]


def measure(root: Path) -> Document:
    """Return the figures of both halves, and those of each arm over all queries.

    `root` keeps the index and what was embedded between runs.
    """
    bench = open_bench(root)
    families = {page.id: page.family for page in bench.catalog.pages.values()}
    queries = load_queries(families)
    judged = {name: judge(ask, queries) for name, ask in list_arms(bench, root).items()}
    own = judged["default"]
    return {
        "halves": {
            half: figures([each for each in own if each.query.half == half]) for half in HALVES
        },
        "arms": {name: figures(every) for name, every in judged.items()},
    }


def judge(ask: Ask, queries: Sequence[Query]) -> list[Judged]:
    """Ask every query and find the place of the first page that truly answers."""
    judged = []
    for query in queries:
        ids = ask(query)
        rank = next((n for n, page in enumerate(ids, 1) if page in query.pages), 0)
        judged.append(Judged(query, rank, bool(ids)))
    return judged
