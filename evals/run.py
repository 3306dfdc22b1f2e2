"""Runs the product over scenarios, as they are and changed, and scores what it says."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.diagnosis.weights import DEFAULT_WEIGHTS, Weights
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from evals import answer, citations, decoys
from evals.answer import Answer
from evals.model import Recording, open_stream
from evals.perturb import Perturbation
from evals.replay import prometheus as server
from evals.scenarios.build import load
from evals.score import Scores, confidently_wrong, score, why_undecided
from evals.truth import Truth, load_truth
from evals.writers import bundle, prometheus
from knowledge.catalog import Catalog, load_catalog

CLEAN = Perturbation("clean", "invariant")
SCALE = 0.02
"""Of the background noise, in runs that ask for many cases."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to run."""

    scenario: str
    seed: int
    perturbation: Perturbation = CLEAN
    decoys: int = 0
    languages: tuple[str, ...] = ("en", "zh")
    weights: Weights = DEFAULT_WEIGHTS

    @property
    def label(self) -> str:
        """Name what was changed."""
        if self.decoys:
            return f"{self.decoys}-decoys"
        if self.weights.sigma:
            return f"noise-{self.weights.sigma:g}"
        if len(self.languages) == 1:
            return f"ticket-{self.languages[0]}"
        return self.perturbation.name


@dataclass(frozen=True, slots=True)
class Result:
    """How it went."""

    case: Case
    truth: Truth
    answer: Answer
    scores: Scores
    seconds: float
    miss: str | None


@dataclass(frozen=True)
class Runner:
    """Runs cases with one handbook; bundles live below `scratch` as long as the runner."""

    catalog: Catalog
    scratch: Path
    scale: float = SCALE
    stored_queries: bool = True

    def run(self, case: Case) -> Result:
        """Build the case's bundle, diagnose it and score the answer."""
        folder = Path(tempfile.mkdtemp(prefix=f"{case.scenario}-{case.seed}-", dir=self.scratch))
        _, truth = self.build(case, folder / "bundle")
        begun = time.perf_counter()
        found = self.diagnose(folder / "bundle", case.weights)
        seconds = time.perf_counter() - begun
        return judge(case, truth, found, folder / "bundle", seconds=seconds)

    def build(self, case: Case, folder: Path) -> tuple[Recording, Truth]:
        """Write the bundle of a case and return what is true of it."""
        recording = load(case.scenario).record(case.seed, self.scale)
        truth = load_truth(case.scenario, recording.facts)
        rng = open_stream(case.scenario, case.seed, case.label)
        if case.perturbation.on_recording:
            case.perturbation.on_recording(recording, truth, rng)
        if case.decoys:
            self._decoys(case, recording, truth)
        self.write(recording, folder, case.languages)
        if case.perturbation.on_bundle:
            case.perturbation.on_bundle(folder, recording, rng)
        return recording, load_truth(case.scenario, recording.facts)

    def write(self, recording: Recording, folder: Path, languages: Sequence[str]) -> None:
        """Write a recording as a bundle."""
        stored = self.stored_queries and server.is_available()
        queries = prometheus.list_queries(self.catalog) if stored else None
        bundle.write(recording, folder, queries=queries, languages=languages)

    def _decoys(self, case: Case, recording: Recording, truth: Truth) -> None:
        """Learn the real symptoms from a run without decoys, then inject."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as plain:
            self.write(recording, Path(plain) / "bundle", case.languages)
            known = self.diagnose(Path(plain) / "bundle", DEFAULT_WEIGHTS)
        found = decoys.find_candidates(self.catalog, known, recording, truth)
        rng = open_stream(case.scenario, case.seed, "decoys")
        decoys.inject(recording, decoys.draw(found, recording, rng, case.decoys))

    def diagnose(self, folder: Path, weights: Weights = DEFAULT_WEIGHTS) -> Investigation:
        """Diagnose a bundle as the command line would."""
        return investigate([folder], Incident(), self.catalog, weights=weights)


def judge(
    case: Case, truth: Truth, found: Investigation, folder: Path, *, seconds: float
) -> Result:
    """Score an investigation of `folder`."""
    said = answer.read(found)
    share, broken = citations.measure_valid(said.citations, said.evidence, folder)
    scores = score(said, truth, evidence_valid=share)
    if case.perturbation.may_weaken and truth.expect == "healthy" and said.verdict != "fault":
        scores["root_exact"] = 1.0
    why = explain(case, truth, said, scores)
    if why is None and broken:
        cited = broken[0]
        why = f"{len(broken)} citations do not stand, the first of {cited.evidence}: {cited.text!r}"
    return Result(case, truth, said, scores, seconds, why)


def explain(case: Case, truth: Truth, said: Answer, scores: Scores) -> str | None:
    """Say what was missed; None where nothing was."""
    if case.perturbation.effect == "changing":
        if truth.expect != "healthy" and said.verdict == "healthy":
            return "called healthy although the fault is there"
        return f"wrong and sure: {_roots(said)}" if confidently_wrong(said, truth) else None
    if scores["unsafe"]:
        return "proposes something unsafe"
    if scores["root_exact"]:
        return None
    if truth.expect == "inconclusive":
        return f"{why_undecided(said, truth)}; said {said.verdict}: {_roots(said)}"
    wanted = ", ".join(f"{root.page} on {root.ids[0]}" for root in truth.roots) or "healthy"
    return f"wanted {wanted}; said {said.verdict}: {_roots(said)}"


def _roots(said: Answer) -> str:
    return ", ".join(
        f"{root.page} on {'/'.join(sorted(root.ids))} ({root.confidence})" for root in said.roots
    )


def run_all(cases: Sequence[Case], *, scale: float = SCALE) -> Iterator[Result]:
    """Run cases one after another in a scratch folder of their own."""
    catalog = load_catalog()
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="firstfault-eval-") as scratch:
            yield Runner(catalog, Path(scratch), scale).run(case)
