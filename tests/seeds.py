"""Seeds drawn for this run."""

import os
import random


def draw(count: int, purpose: str = "") -> list[int]:
    """Return distinct seeds that follow from the run's own seed."""
    run = os.environ.get("FIRSTFAULT_TEST_SEED", "1")
    return random.Random(f"{run}/{purpose}").sample(range(2, 10**6), count)  # noqa: S311 - tests
