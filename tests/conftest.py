"""One seed per run, drawn anew, printed, and shared by all worker processes."""

import os
import random

import pytest

SEED_VARIABLE = "FIRSTFAULT_TEST_SEED"


def pytest_configure() -> None:
    """Draw the run's seed before any worker starts; set the variable to repeat a run."""
    os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(2, 10**6)))


def pytest_report_header() -> str:
    """Print the seed, so that a failure can be repeated."""
    return f"{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"


@pytest.hookimpl
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Print the seed of a failed quiet run too."""
    if exitstatus and not hasattr(session.config, "workerinput"):
        print(f"\n{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}")  # noqa: T201
