"""What really happened in a scenario: read from `truth.yaml`, filled in from the seed's facts.

The product never reads these files, and no bundle holds anything of them.
"""

import importlib.resources
from collections.abc import Mapping
from functools import cache
from typing import Literal

import yaml
from pydantic import AwareDatetime, BaseModel, ConfigDict

from knowledge.page import Layer, Plane

Expectation = Literal["fault", "healthy", "inconclusive"]
"""`inconclusive`: what decides cannot be seen, and whatever is said for sure is wrong."""


class Value(BaseModel):
    """Frozen and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Root(Value):
    """A true root cause: any of its ids names it."""

    page: str
    kind: str
    ids: tuple[str, ...]
    also: tuple[str, ...] = ()
    """Pages that name the same physical event on the same thing."""


class Onset(Value):
    """When the first anomaly began."""

    at: AwareDatetime
    tolerance_s: float


class Pointer(Value):
    """What an answer must point at."""

    words: str
    """A regular expression that is searched in what it says."""
    about: tuple[str, ...] = ()
    """Names, one of which must stand there too."""


class Marks(Value):
    """How to find everything that shows the root itself, to hide it."""

    lines: tuple[str, ...] = ()
    """Regular expressions over log lines and event messages."""
    metrics: tuple[str, ...] = ()
    """Metric names."""
    readings: tuple[str, ...] = ()
    """Hosts whose NVML and nvidia-smi readings show it."""
    commands: tuple[str, ...] = ()
    """Names of host commands that show it."""


class Truth(Value):
    """One scenario's truth."""

    id: str
    family: str
    expect: Expectation
    layer: Layer | None = None
    plane: Plane | None = None
    roots: tuple[Root, ...] = ()
    where: tuple[str, ...] = ()
    """Pages that name the right place without the reason, when the reason is hidden."""
    accepted: tuple[str, ...] = ()
    """Pages that are no wrong answer beside the roots: their own precursors."""
    first_anomaly: Onset | None = None
    chain: Mapping[str, tuple[str, ...]] = {}
    """Effect → causes that a reader would accept as its parent."""
    chain_also: Mapping[str, tuple[str, ...]] = {}
    """The same for effects that need not be drawn."""
    forbidden: tuple[str, ...] = ()
    """Regular expressions over pages that must not be named a root cause."""
    must_rule_out: tuple[str, ...] = ()
    deciding: tuple[Pointer, ...] = ()
    """For `inconclusive`: looks that would decide; one must be among the first next checks."""
    missing: tuple[Pointer, ...] = ()
    """For `inconclusive`: what was not seen; each must be named as missing."""
    undecided: tuple[str, ...] = ()
    """For `inconclusive`: pages that nothing of what was seen rules out."""
    marks: Marks = Marks()


class _Facts(dict[str, str]):
    """Facts of one seed; a missing one is an error that names it."""

    def __missing__(self, key: str) -> str:
        raise KeyError(f"the truth names {{{key}}}, which the specification does not give")


def load_truth(scenario: str, facts: Mapping[str, str]) -> Truth:
    """Read a scenario's truth for one seed.

    Raises:
        KeyError: it names a fact that the specification did not give.
    """
    return Truth.model_validate(_fill(_read(scenario), _Facts(facts)))


def read_expectation(scenario: str) -> object:
    """Return what a scenario's truth expects, the same for every seed."""
    return _read(scenario).get("expect")


@cache
def _read(scenario: str) -> dict[str, object]:
    package = f"evals.scenarios.{scenario.replace('-', '_')}"
    text = importlib.resources.files(package).joinpath("truth.yaml").read_text()
    found: dict[str, object] = yaml.safe_load(text)
    return found


def _fill(node: object, facts: _Facts) -> object:
    if isinstance(node, str) and node.startswith("{") and node.endswith("}"):
        return facts[node[1:-1]]
    if isinstance(node, list):
        return [_fill(item, facts) for item in node]
    if isinstance(node, dict):
        return {key: _fill(item, facts) for key, item in node.items()}
    return node
