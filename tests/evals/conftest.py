"""Small recordings and bundles that many tests share, and only read."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evals.model import Recording
from evals.scenarios.build import build, load
from evals.writers import bundle
from tests.seeds import draw

THIN = 0.002
SEED = draw(1)[0]
"""Drawn anew in each run and shown in each failure, so that no seed is tuned for."""


@dataclass(frozen=True)
class Shelf:
    """Every scenario, recorded and written once when first asked for, with almost no noise."""

    folder: Path
    _recordings: dict[str, Recording] = field(default_factory=dict)

    def recording(self, scenario: str) -> Recording:
        """Return what went into the bundle."""
        if scenario not in self._recordings:
            self._recordings[scenario] = load(scenario).record(SEED, THIN)
        return self._recordings[scenario]

    def bundle(self, scenario: str) -> Path:
        """Return the folder with the evidence; samples are there as they were scraped."""
        place = self.folder / scenario
        return place if place.exists() else bundle.write(self.recording(scenario), place)


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf(tmp_path_factory.mktemp("scenarios"))


@pytest.fixture(scope="session")
def astra(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Recording]:
    """Build the Astra outage once, with almost no noise."""
    folder = tmp_path_factory.mktemp("astra") / "bundle"
    return folder, build("astra-storage-failover", 1, folder, scale=THIN, stored_queries=False)
