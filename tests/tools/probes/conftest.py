"""A place to capture to."""

from pathlib import Path

import pytest

from tools.context import ProbeContext
from tools.hangs import Hangs
from tools.shell import Shell
from tools.workspace import Workspace


@pytest.fixture(name="context")
def _context(tmp_path: Path) -> ProbeContext:
    return ProbeContext(Workspace(tmp_path / "bundle"), host="n7", shell=Shell(Hangs()))
