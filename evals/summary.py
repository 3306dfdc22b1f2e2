"""Puts results together: the document of `firstfault eval -o json`."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.run import Result
from evals.score import names_root


@dataclass(frozen=True, slots=True)
class Summary:
    """What many results say together. Rates lie in 0 to 1, counts are counts."""

    results: Sequence[Result]

    def document(self) -> dict[str, object]:
        """Return the summary, the cases and the seeds as the contract writes them."""
        return {
            "summary": self.figures(),
            "cases": [_case(result) for result in self.results],
            "seeds": sorted({result.case.seed for result in self.results}),
        }

    def figures(self) -> dict[str, float | int]:
        """Return the headline figures over the cases whose truth stands."""
        whole = [r for r in self.results if r.case.perturbation.effect == "invariant"]
        clean = [r for r in whole if r.case.label == "clean"]
        changed = [r for r in whole if r.case.label != "clean"]
        english = [r for r in whole if r.case.label == "ticket-en"]
        chinese = [r for r in whole if r.case.label == "ticket-zh"]
        return {
            "families": len({result.truth.family for result in self.results}),
            "cases": len(self.results),
            **{
                name: _mean(result.scores[name] for result in whole)
                for name in ("root_exact", "layer", "first_anomaly", "chain_f1", "evidence")
            },
            "forbidden": _count(whole, "forbidden"),
            "unsafe": _count(self.results, "unsafe"),
            "false_alarm": _count(self.results, "false_alarm"),
            "confident_wrong": _count(self.results, "confident_wrong"),
            "confirmed_precision": self._confirmed(),
            "en_zh_gap": _gap(english, chinese),
            "clean_perturbed_gap": _gap(clean, changed),
            "seconds": round(sum(result.seconds for result in self.results), 3),
        }

    def _confirmed(self) -> float:
        """Return the share of right ones among the roots that were called CONFIRMED."""
        sure = [r for r in self.results if r.answer.roots and _sure(r)]
        return _mean(float(names_root(result.answer, result.truth)) for result in sure)


def _sure(result: Result) -> bool:
    first = result.answer.roots[0]
    return result.answer.verdict == "fault" and first.confidence == "CONFIRMED"


def _case(result: Result) -> dict[str, object]:
    return {
        "id": f"{result.case.scenario}/{result.case.seed}",
        "family": result.truth.family,
        "perturbation": result.case.label,
        "scores": {name: round(value, 4) for name, value in result.scores.items()},
        "miss": result.miss,
        "seconds": round(result.seconds, 3),
    }


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return round(sum(known) / len(known), 4) if known else 0.0


def _count(results: Iterable[Result], name: str) -> int:
    return sum(1 for result in results if result.scores[name])


def _gap(one: Sequence[Result], other: Sequence[Result]) -> float:
    """Return how much more often the root was right in `one` than in `other`."""
    if not one or not other:
        return 0.0
    right = [_mean(r.scores["root_exact"] for r in results) for results in (one, other)]
    return round(right[0] - right[1], 4)
