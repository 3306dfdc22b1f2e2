"""How fast the search of the handbook is, and how large and how soon built its index.

Seconds are those of the processor: what it takes where nothing else runs. The machine's own speed
stands beside each figure.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.bench.measure import Figure, Figures, run
from evals.bench.speed import build_argv, make_environment
from evals.retrieval.queries import load_queries
from knowledge.catalog import Catalog, load_catalog
from knowledge.embedding import LocalEmbedder, Vectors
from knowledge.search.corpus import corpus_of
from knowledge.search.finder import Finder
from knowledge.search.opening import open_search

_EVERY = 4
"""Of the labelled queries one in so many is timed."""
_COLD = 5
_ADDITIONS = 20_000_000
_CORES = 2
_QUESTION = "card vanished from nvidia-smi"


class _Renamed:
    """The product's model under another name, so that no shipped vector is its own."""

    name = "bench"

    def __init__(self) -> None:
        self._model = LocalEmbedder()

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        return self._model.embed_passages(texts)

    def embed_query(self, text: str) -> Vectors:
        return self._model.embed_query(text)


@dataclass(frozen=True)
class _Shelf:
    """What is searched, and where its indexes may lie."""

    catalog: Catalog
    scratch: Path

    def open(self, name: str, model: LocalEmbedder | _Renamed) -> tuple[Finder, float]:
        """Open or build the index `name`; also return the seconds that it took."""
        begun = _read_processor()
        opened = open_search(self.catalog, corpus_of(self.catalog), self.scratch / name, model)
        return opened.finder, _read_processor() - begun


def measure(scratch: Path) -> Figures:
    """Measure all that has a bound; each figure names the machine's own speed beside it."""
    shelf = _Shelf(load_catalog(), scratch)
    figures: Figures = {}
    for part in (_measure_opening, _measure_warm, _measure_cold, _measure_building):
        beside = f"the machine: {_measure_machine():.2f} s for 20 million additions in Python"
        for name, (value, unit, bound) in part(shelf).items():
            sys.stderr.write(f"  {name}: {value:.3f} {unit} ({beside})\n")
            figures[name] = Figure(value, unit, bound, beside)
    return figures


Found = dict[str, tuple[float, str, float]]
"""Name → value, unit, bound."""
_Part = Callable[[_Shelf], Found]


def _measure_machine() -> float:
    begun, total = _read_processor(), 0
    for number in range(_ADDITIONS):
        total += number
    return _read_processor() - begun


def _read_processor() -> float:
    """Return the seconds of this process and of the workers that it waited for."""
    return sum(os.times()[:4])


def _measure_opening(shelf: _Shelf) -> Found:
    """Build with the vectors that travel with the product."""
    taken = shelf.open("shipped", LocalEmbedder())[1]
    return {
        "search-build-shipped": (taken, "s", 5.0),
        "search-index": (_weigh(shelf.scratch / "shipped"), "MiB", 50.0),
    }


def _measure_building(shelf: _Shelf) -> Found:
    """Build with no vector there: all passages go through the model, a process a core."""
    taken = shelf.open("nothing", _Renamed())[1] / _CORES
    return {"search-build-nothing": (taken, "s", 150.0)}


def _measure_warm(shelf: _Shelf) -> Found:
    """Ask labelled queries of an open search, one by one."""
    finder, _ = shelf.open("shipped", LocalEmbedder())
    families = {page.id: page.family for page in shelf.catalog.pages.values()}
    queries = [query.text for query in load_queries(families)][::_EVERY]
    for query in queries[:_COLD]:
        finder.find(query)
    taken = [_time(finder, query) for query in queries]
    return {"search-warm-p95": (statistics.quantiles(taken, n=20)[-1], "s", 0.05)}


def _measure_cold(shelf: _Shelf) -> Found:
    """Run the command with its index there; the first run builds it."""
    env = make_environment(shelf.scratch)
    argv = build_argv("kb", "search", _QUESTION)
    runs = [run(argv, env=env) for _ in range(_COLD + 1)][1:]
    return {"search-cold": (statistics.median(each.processor_s for each in runs), "s", 2.0)}


def _time(finder: Finder, query: str) -> float:
    begun = time.process_time()
    finder.find(query)
    return time.process_time() - begun


def _weigh(folder: Path) -> float:
    """Return how many MiB lie below a folder."""
    files = (Path(place) / name for place, _, names in os.walk(folder) for name in names)
    return sum(each.stat().st_size for each in files) / (1 << 20)
