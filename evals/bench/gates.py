"""Guards against tuning: shaken weights, false roots, hidden evidence."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assistant.diagnosis.weights import Weights
from evals import answer, perturb
from evals.bench.measure import Figures, make_share
from evals.run import Case, Result, Runner
from evals.scenarios.build import list_faults, list_open
from evals.score import confidently_wrong, names_root
from knowledge.catalog import Catalog

NOISE_DRAWS = 6
SIGMA = 1.0


@dataclass
class Tally:
    """How often something happened, of how many."""

    hits: int = 0
    n: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, label: str, *, hit: bool) -> None:
        """Count one case; a hit is told by its label where somebody will ask for it."""
        self.n += 1
        self.hits += hit
        if hit:
            self.misses.append(label)


@dataclass(frozen=True)
class Gates:
    """Runs all gates over some seeds of every fault."""

    catalog: Catalog
    scratch: Path
    seeds: Sequence[int]

    def measure(self) -> Figures:
        """Return each gate's figure."""
        return {**self.noise(), **self.decoys(1), **self.decoys(3), **self.hidden(), **self.blind()}

    def _runner(self) -> Runner:
        return Runner(self.catalog, self.scratch, scale=0.005, stored_queries=False)

    def cases(self, *, decided: bool = False) -> Iterator[tuple[str, int]]:
        """Yield every fault with every seed, and say on stderr which one is next.

        With `decided`, only those that the evidence decides: a false root planted where nothing
        else is to be seen is no decoy, it is the evidence that was missing.
        """
        for seed in self.seeds:
            for name in [*list_faults(), *([] if decided else list_open())]:
                sys.stderr.write(f"  {name}/{seed}\n")
                yield name, seed

    def noise(self) -> Figures:
        """Shake every weight on the log-odds scale: the root may change in 5 % of the draws."""
        changed = Tally()
        for name, seed in self.cases():
            runner, folder = self._runner(), self.scratch / f"noise-{name}-{seed}"
            _, truth = runner.build(Case(name, seed), folder)
            right = names_root(answer.read(runner.diagnose(folder)), truth)
            for draw in range(NOISE_DRAWS):
                weights = Weights(sigma=SIGMA, seed=seed * 1000 + draw)
                said = answer.read(runner.diagnose(folder, weights))
                changed.add(f"{name}/{seed}/{draw}", hit=names_root(said, truth) != right)
        against = f"roots changed by log-odds noise of sigma {SIGMA:g} on all weights"
        return {"noise-changed": make_share(changed.hits, changed.n, 0.05, against)}

    def decoys(self, count: int) -> Figures:
        """Inject false roots with a valid edge to a real symptom."""
        right, wrong = Tally(), Tally()
        for name, seed in self.cases(decided=True):
            result = self._runner().run(Case(name, seed, decoys=count))
            right.add(name, hit=names_root(result.answer, result.truth))
            wrong.add(name, hit=confidently_wrong(result.answer, result.truth))
        least, most = (0.85, 0.02) if count == 1 else (0.70, 0.08)
        what = f"{count} false root{'s' if count > 1 else ''} a case"
        return {
            f"decoys-{count}-right": make_share(right.hits, right.n, least, what, floor=True),
            f"decoys-{count}-wrong": make_share(
                wrong.hits, wrong.n, most, f"{what}: LIKELY and wrong"
            ),
        }

    def hidden(self) -> Figures:
        """Hide the root's own lines: nothing wrong may be likely."""
        wrong = Tally()
        for name, seed in self.cases():
            result = self._runner().run(Case(name, seed, perturb.ROOT_HIDDEN))
            wrong.add(name, hit=confidently_wrong(result.answer, result.truth))
        return {"root-hidden-wrong": make_share(wrong.hits, wrong.n, 0.0, "LIKELY and wrong")}

    def blind(self) -> Figures:
        """Hide each source in turn: a fault never becomes healthy."""
        healthy = Tally()
        for name, seed in self.cases():
            for change in perturb.HIDDEN:
                result: Result = self._runner().run(Case(name, seed, change))
                healthy.add(f"{name} {change.name}", hit=result.answer.verdict == "healthy")
        return {"source-hidden-healthy": make_share(healthy.hits, healthy.n, 0.0, "called healthy")}
