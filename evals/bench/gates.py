"""Guards against tuning: shaken weights, false roots, hidden evidence."""

import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from assistant.diagnosis.weights import Weights
from evals import answer, perturb
from evals.bench.measure import Figures, make_share
from evals.run import Case, Runner
from evals.scenarios.build import list_faults, list_open
from evals.score import confidently_wrong, names_root
from knowledge.catalog import Catalog, load_catalog

NOISE_DRAWS = 6
SIGMA = 1.0


@dataclass(frozen=True, slots=True)
class Tick:
    """Whether something happened once; the label is what somebody would run again."""

    gate: str
    label: str
    hit: bool


Gate = Callable[[str, int], Iterator[Tick]]


@dataclass(frozen=True)
class Gates:
    """Runs all gates over some seeds of every fault."""

    catalog: Catalog
    scratch: Path
    seeds: Sequence[int]

    def measure(self) -> Figures:
        """Return each gate's figure; what went wrong is told on stderr as it is found."""
        ticks: dict[str, list[Tick]] = defaultdict(list)
        for row in self._rows():
            for tick in row:
                ticks[tick.gate].append(tick)
        counted = {gate: (sum(t.hit for t in rows), len(rows)) for gate, rows in ticks.items()}
        return {
            gate: make_share(*counted.get(gate, (0, 0)), bound, against, floor=floor)
            for gate, bound, against, floor in BOUNDS
        }

    def _rows(self) -> Iterator[list[Tick]]:
        """Yield what each case gave; the cases run in as many processes as there are cores."""
        tasks = [(name, seed, self.scratch / f"{name}-{seed}") for name, seed in self.cases()]
        with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for task, row in zip(tasks, pool.map(_try_out, tasks), strict=True):
                odd = [tick.label for tick in row if tick.hit != (tick.gate in _WANTED)]
                sys.stderr.write(f"  {task[0]}/{task[1]} {'; '.join(odd)}\n")
                yield row

    def cases(self) -> Iterator[tuple[str, int]]:
        """Yield every fault with every seed."""
        for seed in self.seeds:
            for name in [*list_faults(), *list_open()]:
                yield name, seed

    def try_out(self, name: str, seed: int) -> list[Tick]:
        """Run all gates over one fault."""
        return [tick for gate in self.gates(name).values() for tick in gate(name, seed)]

    def gates(self, name: str) -> dict[str, Gate]:
        """Return the gates that a fault goes through.

        Decoys only where the evidence decides: a false root planted where nothing else is to be
        seen is no decoy, it is the evidence that was missing.
        """
        gates: dict[str, Gate] = {"noise": self.noise, "hidden": self.hidden, "blind": self.blind}
        return gates if name in list_open() else gates | {"decoys": self.decoys}

    def _runner(self) -> Runner:
        return Runner(self.catalog, self.scratch, scale=0.005, stored_queries=False)

    def noise(self, name: str, seed: int) -> Iterator[Tick]:
        """Shake every weight on the log-odds scale: the root may change in 5 % of the draws."""
        runner, folder = self._runner(), self.scratch / f"noise-{name}-{seed}"
        _, truth = runner.build(Case(name, seed), folder)
        right = names_root(answer.read(runner.diagnose(folder)), truth)
        for draw in range(NOISE_DRAWS):
            weights = Weights(sigma=SIGMA, seed=seed * 1000 + draw)
            said = answer.read(runner.diagnose(folder, weights))
            changed = names_root(said, truth) != right
            yield Tick("noise-changed", f"noise draw {draw}", changed)

    def decoys(self, name: str, seed: int) -> Iterator[Tick]:
        """Inject false roots with a valid edge to a real symptom."""
        for count in (1, 3):
            result = self._runner().run(Case(name, seed, decoys=count))
            right = names_root(result.answer, result.truth)
            wrong = confidently_wrong(result.answer, result.truth)
            yield Tick(f"decoys-{count}-right", f"{count} decoys: {result.miss}", right)
            yield Tick(f"decoys-{count}-wrong", f"{count} decoys, sure: {result.miss}", wrong)

    def hidden(self, name: str, seed: int) -> Iterator[Tick]:
        """Hide the root's own lines: nothing wrong may be likely."""
        result = self._runner().run(Case(name, seed, perturb.ROOT_HIDDEN))
        wrong = confidently_wrong(result.answer, result.truth)
        yield Tick("root-hidden-wrong", f"root hidden: {result.miss}", wrong)

    def blind(self, name: str, seed: int) -> Iterator[Tick]:
        """Hide each source in turn: a fault never becomes healthy."""
        for change in perturb.HIDDEN:
            result = self._runner().run(Case(name, seed, change))
            healthy = result.answer.verdict == "healthy"
            yield Tick("source-hidden-healthy", f"{change.name}: healthy", healthy)


BOUNDS = (
    ("noise-changed", 0.05, f"roots changed by noise of sigma {SIGMA:g} on all log-odds", False),
    ("decoys-1-right", 0.85, "1 false root a case", True),
    ("decoys-1-wrong", 0.02, "1 false root a case: LIKELY and wrong", False),
    ("decoys-3-right", 0.70, "3 false roots a case", True),
    ("decoys-3-wrong", 0.08, "3 false roots a case: LIKELY and wrong", False),
    ("root-hidden-wrong", 0.0, "LIKELY and wrong", False),
    ("source-hidden-healthy", 0.0, "called healthy", False),
)  # fmt: skip
_WANTED = frozenset(gate for gate, _, _, floor in BOUNDS if floor)


def _try_out(task: tuple[str, int, Path]) -> list[Tick]:
    """Run one case in a process of its own, in a folder of its own."""
    name, seed, scratch = task
    scratch.mkdir()
    return Gates(load_catalog(), scratch, [seed]).try_out(name, seed)
