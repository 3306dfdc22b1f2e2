"""One seed per run, drawn anew, printed, and shared by all workers; a stand-in for NVML."""

import os
import random
import shutil
import subprocess
from pathlib import Path

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


@pytest.fixture(scope="session", name="nvml_library")
def _nvml_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stand-in for NVML, compiled once; the folder to put on LD_LIBRARY_PATH."""
    if not shutil.which("gcc"):
        pytest.skip("gcc is not installed, so the stand-in for NVML cannot be built")
    folder = tmp_path_factory.mktemp("nvml")
    source = Path(__file__).parent / "stubs" / "nvml.c"
    library = folder / "libnvidia-ml.so.1"
    subprocess.run(
        [
            "gcc",
            "-w",
            "-shared",
            "-fPIC",
            "-O1",
            "-Wl,-soname,libnvidia-ml.so.1",
            "-o",
            library,
            source,
        ],
        check=True,
    )
    return folder
