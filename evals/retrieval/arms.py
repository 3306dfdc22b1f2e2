"""The searches that are compared: each arm alone, and the product's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from evals.retrieval.queries import Query
from knowledge.catalog import Catalog, load_catalog
from knowledge.embedding import Embedder, LocalEmbedder, Vectors
from knowledge.search.centring import centre, find_centres, language_of
from knowledge.search.corpus import Corpus
from knowledge.search.finder import Finder
from knowledge.search.incidents import shipped_corpus
from knowledge.search.opening import Opened, open_search
from knowledge.search.vectors import vectors_of

Ask = Callable[[Query], list[str]]
"""A query to the ids of what is shown, best first."""
_MOST = 10


@dataclass(frozen=True)
class Bench:
    """The product's search over the shipped handbook, and what its arms are made of."""

    catalog: Catalog
    corpus: Corpus
    embedder: Embedder
    opened: Opened

    @property
    def finder(self) -> Finder:
        """The product's own search."""
        return self.opened.finder


def open_bench(root: Path) -> Bench:
    """Open the search over what travels with the product, its folder under `root`."""
    catalog = load_catalog(cache=root)
    corpus = shipped_corpus(catalog)
    embedder = LocalEmbedder()
    return Bench(catalog, corpus, embedder, open_search(catalog, corpus, root, embedder))


def list_arms(bench: Bench, root: Path) -> Mapping[str, Ask]:
    """Name the arms of the contract."""
    alone = replace(bench.finder, meaning=None)
    return {
        "lexical": lambda query: _ids(alone, query),
        "dense_raw": _Dense(bench, root, centred=False),
        "dense_centred": _Dense(bench, root, centred=True),
        "default": lambda query: _ids(bench.finder, query),
    }


class _Dense:
    """Vectors alone: an entry by its best passage or phrase. It rejects nothing."""

    def __init__(self, bench: Bench, root: Path, *, centred: bool) -> None:
        passages = [each for each in bench.corpus.passages if each.embedded]
        texts = {each.digest: each.text for each in passages}
        rows = {digest: row for row, digest in enumerate(texts)}
        cache = root / f"{bench.embedder.name}.npz"
        raw = vectors_of(texts, bench.embedder, cache)[[rows[each.digest] for each in passages]]
        languages = [str(each.lang) for each in passages]
        self._bench = bench
        self._centres = find_centres(raw, languages) if centred else {}
        self._vectors: Vectors = centre(raw, languages, self._centres)
        self._entries = np.array([
            bench.corpus.place[each.page] for each in passages
        ])  # fmt: skip

    def __call__(self, query: Query) -> list[str]:
        raw = self._bench.embedder.embed_query(query.text)[None, :]
        vector = centre(raw, [language_of(query.text)], self._centres)[0]
        best = np.full(len(self._bench.corpus.entries), -1.0, np.float32)
        np.maximum.at(best, self._entries, self._vectors @ vector)
        order = np.argsort(-best, kind="stable")[:_MOST]
        return [self._bench.corpus.entries[int(place)].id for place in order]


def _ids(finder: Finder, query: Query) -> list[str]:
    return [found.entry.id for found in finder.find(query.text, most=_MOST).results]
