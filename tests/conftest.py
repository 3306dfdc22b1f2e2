"""One seed per run, printed and shared by all workers; real hangs; a stand-in for NVML."""

import gc
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.counting import Counting
from tests.kept_pages import drop_cache, make_cache

SEED_VARIABLE = "FIRSTFAULT_TEST_SEED"
UNCOUNTED = (
    "cases",
    "evals",
    "integrations",
    "knowledge/test_real_lines.py",
    "knowledge/test_gpu_pages.py",
    "knowledge/test_host_lines.py",
    "knowledge/test_cluster_objects.py",
    "knowledge/test_handbook.py",
    "knowledge/test_guidance.py",
    "knowledge/search/test_shipped.py",
    "test_house.py",
)
"""What judges answers as a whole, and what judges the shipped pages.

That a line of the core ran on the way there proves nothing of that line; the rooms' own tests have
to, and counting takes as long again as running.
"""


def pytest_configure(config: pytest.Config) -> None:
    """Draw the run's seed before any worker starts; set the variable to repeat a run."""
    here = Path(__file__).parent
    config.pluginmanager.register(Counting(frozenset(here / name for name in UNCOUNTED)))
    os.environ.setdefault(SEED_VARIABLE, str(random.SystemRandom().randrange(2, 10**6)))
    make_cache()
    # Many tests start the command. Each start would compile all that it imports, which takes as
    # long as the import does, where the surroundings forbid to keep what was compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Spare the collector what stays until the end: all tests, modules and pages.

    Recordings stay too, and are no garbage; a collection for each 700 objects walks through them.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_report_header() -> str:
    """Print the seed, so that a failure can be repeated."""
    return f"{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}"


@pytest.hookimpl
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Print the seed of a failed quiet run too, and leave no folder behind."""
    if hasattr(session.config, "workerinput"):
        return
    drop_cache()
    if exitstatus:
        print(f"\n{SEED_VARIABLE}={os.environ[SEED_VARIABLE]}")  # noqa: T201  # how a run is repeated


HOLDER = """#!/bin/sh
# A stand-in where no mount can be frozen: what holds the pipe is in a session of its own.
trap '' TERM
setsid sleep 120 &
wait
"""


def _run(*argv: str) -> bool:
    return subprocess.run(argv, capture_output=True, check=False, timeout=20).returncode == 0


@pytest.fixture(scope="session", name="frozen")
def _frozen() -> Iterator[Path | None]:
    """A mount on which every write hangs in D state, unkillable; None where none can be made.

    It lies beside pytest's own folders: those of earlier runs are cleared by later ones, which
    would hang with it, were a run killed before it thaws.
    """
    folder = Path(tempfile.mkdtemp(prefix="firstfault-frozen-"))
    image, mount = folder / "image", folder / "mount"
    mount.mkdir()
    able = os.geteuid() == 0 and all(map(shutil.which, ("mkfs.ext4", "fsfreeze", "losetup")))
    if able:
        image.write_bytes(b"")
        os.truncate(image, 8 << 20)
        able = _run("mkfs.ext4", "-q", "-O", "^has_journal", str(image)) and _run(
            "mount", "-o", "loop", str(image), str(mount)
        )
    frozen = able and _run("fsfreeze", "-f", str(mount))
    yield mount if frozen else None
    if frozen:
        _run("fsfreeze", "-u", str(mount))
    if able:
        _run("umount", "-l", str(mount))
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(name="hanging")
def _hanging(frozen: Path | None) -> str:
    """The text of a program that never comes back, not even when killed where that can be had."""
    if frozen is None:
        return HOLDER
    return f"#!/bin/sh\nexec /bin/sh -c ': > {frozen}/stuck'\n"


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
