"""What programs print of their own speed and loss, beside the step that they have come to."""

import re
from math import isfinite
from typing import NamedTuple

from tools.late_patterns import compile_late

_TOOK = compile_late(
    r"(?P<kind>elapsed time per iteration|(?:step|iter(?:ation)?|batch)[ _-]?time"
    r"|time[ _-]?per[ _-]?(?:step|iter(?:ation)?|batch))"
    r"\s*(?:\((?P<unit>ms|s)\))?[\"']?\s*[=:]?\s*(?P<took>\d+(?:\.\d+)?)\s*(?P<own>ms|s)?\b",
    re.IGNORECASE,
)
_RATE = compile_late(
    r"(?P<kind>tokens?|tok|samples?|steps?|it|images?|examples?)(?:/|[ _]per[ _])s(?:ec(?:ond)?)?\b"
    r"(?:[/_](?:per_)?gpu)?[\"']?\s*[=:]\s*(?P<rate>\d[\d,]*(?:\.\d+)?)",
    re.IGNORECASE,
)
_PACED = compile_late(
    r"(?P<rate>\d[\d,]*(?:\.\d+)?) ?(?P<kind>tokens?|tok|samples?|steps?|it|images?)/s\b",
    re.IGNORECASE,
)


_LOSS = compile_late(
    r"(?<![\w/-])(?P<other>(?:val|valid|eval|test|packet|aux)\w*[ _/-]+)?"
    r"(?:(?:train(?:ing)?|lm|ce|total)[ _/-])?loss[\"']?\s*[=:]?\s*"
    r"(?P<loss>\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b",
    re.IGNORECASE,
)
LOSS = "loss"
LEAST_S = 1e-12
"""No token takes less: a rate beyond that is no rate, and beside it every other would be slow."""


class Tempo(NamedTuple):
    """How long something took, in a unit that only lines of the same kind share; or the loss."""

    kind: str
    cost: float


def read_measures(text: str) -> tuple[Tempo, ...]:
    """Return the speed and the loss that a line tells, as far as it tells them."""
    found = (read_tempo(text), read_loss(text))
    return tuple(each for each in found if each is not None)


def read_loss(text: str) -> Tempo | None:
    """Return the loss of a step of training; those of validation are other numbers."""
    own = (match for match in _LOSS.finditer(text) if not match["other"])
    match = next(own, None)
    return _finite(LOSS, float(match["loss"])) if match else None


def read_tempo(text: str) -> Tempo | None:
    """Return the speed that a line tells: seconds of a step, else of a token or a sample."""
    if match := _TOOK.search(text):
        took = float(match["took"]) / (1000 if "ms" in (match["unit"], match["own"]) else 1)
        return _finite(match["kind"].lower(), took) if took > 0 else None
    match = _RATE.search(text) or _PACED.search(text)
    rate = float(match["rate"].replace(",", "")) if match else 0.0
    cost = 1 / rate if rate > 0 else 0.0
    return _finite(match["kind"].lower(), cost) if match and cost > LEAST_S else None


def _finite(kind: str, cost: float) -> Tempo | None:
    """Leave out what no number can hold."""
    return Tempo(kind, cost) if isfinite(cost) else None
