"""Builds a scenario's bundle: ``python -m evals.scenarios.build ID --seed 1 --out DIR``."""

import argparse
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

import evals.scenarios
from evals.errors import UnknownScenarioError
from evals.model import Recording
from evals.replay import prometheus as server
from evals.truth import read_expectation
from evals.writers import bundle, prometheus
from knowledge.catalog import load_catalog


class Spec(Protocol):
    """What a scenario's `spec` module offers."""

    ID: str
    record: Callable[[int, float], Recording]


def list_scenarios() -> list[str]:
    """Name every scenario that is there: a folder with a `spec.py` beside this file."""
    specs = [spec for place in evals.scenarios.__path__ for spec in Path(place).glob("*/spec.py")]
    return sorted(spec.parent.name.replace("_", "-") for spec in specs)


def list_faults() -> list[str]:
    """Name every scenario in which something is wrong."""
    return [name for name in list_scenarios() if read_expectation(name) == "fault"]


def list_open() -> list[str]:
    """Name every scenario in which something is wrong and what decides cannot be seen."""
    return [name for name in list_scenarios() if read_expectation(name) == "inconclusive"]


def load(scenario: str) -> Spec:
    """Import a scenario's specification.

    Raises:
        UnknownScenarioError: there is none of that name.
    """
    if scenario not in list_scenarios():
        names = ", ".join(list_scenarios())
        raise UnknownScenarioError(f"no scenario {scenario!r}; there are: {names}")
    module = importlib.import_module(f"evals.scenarios.{scenario.replace('-', '_')}.spec")
    return cast("Spec", module)


def build(
    scenario: str, seed: int, out: Path, *, scale: float = 1.0, stored_queries: bool = True
) -> Recording:
    """Write the scenario's bundle under `out` and return what went into it."""
    recording = load(scenario).record(seed, scale)
    queries = None
    if stored_queries and server.is_available():
        queries = prometheus.list_queries(load_catalog())
    bundle.write(recording, out, queries=queries)
    return recording


def main() -> None:
    """Read the command line and build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=list_scenarios())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--scale", type=float, default=1.0, help="thins background noise only")
    parser.add_argument("--openmetrics", action="store_true", help="samples, not query results")
    given = parser.parse_args()
    build(
        given.scenario,
        given.seed,
        given.out,
        scale=given.scale,
        stored_queries=not given.openmetrics,
    )
    sys.stdout.write(f"{given.out}\n")


if __name__ == "__main__":
    main()
