"""Small bundles that many tests share."""

from pathlib import Path

import pytest

from evals.model import Recording
from evals.scenarios.build import build

THIN = 0.002


@pytest.fixture(scope="session")
def astra(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording]:
    """Build the Astra outage once, with almost no noise."""
    folder = tmp_path_factory.mktemp("astra") / "bundle"
    return folder, build("astra-storage-failover", 1, folder, scale=THIN, stored_queries=False)
