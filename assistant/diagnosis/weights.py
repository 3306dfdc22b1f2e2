"""The few numbers behind the words of a page, and a way to shake them.

Strengths and base rates are classes, not measurements; the diagnosis must not hang on their exact
values, and the bench proves it by drawing them anew with noise on the log-odds.
"""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from knowledge.page import BaseRate, Link, Strength

STRENGTH: Mapping[Strength, float] = {
    "always": 0.95,
    "usually": 0.8,
    "often": 0.5,
    "sometimes": 0.2,
}
"""Probability that the cause, being there and strong enough, brings the effect about."""

PRIOR: Mapping[BaseRate, float] = {"common": 0.5, "occasional": 0.0, "rare": -0.5}
"""Log-odds relative to an occasional fault; only breaks ties."""

DAMAGE = (0.2, 0.5, 1.0, 1.5)
"""What explaining an effect is worth, by the page's damage class."""


@dataclass(frozen=True, slots=True)
class Weights:
    """All numbers of the scoring, with optional noise per number."""

    leak_floor: float = 0.02
    """Least probability that an effect appears without any known cause."""
    ratio_cap: float = 3.5
    """Most that one effect can speak for a root, as a log-likelihood ratio."""
    observed_bonus: float = 1.0
    latent_price: float = 1.0
    mechanism_price: float = 0.5
    unknown_guard: float = 0.6
    """Factor on a link whose guard could not be evaluated."""
    prune: float = 0.02
    """Paths weaker than this are not followed."""
    least_gain: float = 0.7
    """A further root must be worth this much."""
    sigma: float = 0.0
    seed: int = 0
    _noise: dict[str, float] = field(default_factory=dict)

    def shake(self, name: str, probability: float) -> float:
        """Move `probability` by this draw's noise for `name`, on the log-odds scale."""
        if not self.sigma:
            return probability
        if name not in self._noise:
            self._noise[name] = random.Random(f"{self.seed}:{name}").gauss(0.0, self.sigma)  # noqa: S311 - noise, not a secret
        odds = math.log(probability / (1 - probability)) + self._noise[name]
        return 1 / (1 + math.exp(-odds))

    def strength(self, cause: str, link: Link) -> float:
        """Return the probability behind a link's word."""
        return self.shake(f"{cause}>{link.effect}", STRENGTH[link.strength])

    def leak(self, page: str, expected_count: float) -> float:
        """Return how likely an effect is without a cause, given its expected chance count."""
        plain = max(self.leak_floor, 1 - math.exp(-expected_count))
        return self.shake(f"leak:{page}", min(plain, 0.9))

    def damage(self, page: str, level: int) -> float:
        """Return the worth of explaining an effect of damage class `level`."""
        if not self.sigma:
            return DAMAGE[level]
        return DAMAGE[level] * math.exp(math.log(2) * (self.shake(f"damage:{page}", 0.5) - 0.5) * 2)

    def prior(self, page: str, rate: BaseRate) -> float:
        """Return the log-odds of the base rate."""
        if not self.sigma:
            return PRIOR[rate]
        return PRIOR[rate] + (self.shake(f"prior:{page}", 0.5) - 0.5) * 2


DEFAULT_WEIGHTS = Weights()
