"""Where one run of the tests keeps validated pages, for all its workers and what they start.

Each process would read the handbook anew, which takes longer than most tests do.
"""

import os
import shutil
import tempfile
from pathlib import Path

_VARIABLE = "TESTS_CACHE_HOME"
"""Not one of ours: those are taken away where the command line is tested."""


def make_cache() -> None:
    """Make the folder, before any worker starts."""
    if _VARIABLE not in os.environ:
        os.environ[_VARIABLE] = tempfile.mkdtemp(prefix="firstfault-pages-")


def drop_cache() -> None:
    """Remove it at the end of the run."""
    shutil.rmtree(cache_home(), ignore_errors=True)


def cache_home() -> Path:
    """Return what stands for ``XDG_CACHE_HOME``."""
    return Path(os.environ[_VARIABLE])
