"""A look at the running system and its bundle say the same."""

import shutil
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import pytest

from assistant.gather import BASELINE, Live, adopt
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from evals.model import Recording
from evals.replay import journal
from evals.replay import live as replay
from evals.replay import prometheus as server
from evals.replay.present import move_to
from evals.scenarios.build import load
from evals.writers import bundle, prometheus
from knowledge.catalog import Catalog
from tests.assistant.handbook import shipped
from tools.bundle import Bundle
from tools.capture import Capture

SEED, THIN = 4, 0.002
HANG_S = 2.0
FILES = ("storage", "alerts", "app")
"""What no probe reads: appliances' and jobs' own logs, Alertmanager's list. It comes as files."""
pytestmark = pytest.mark.skipif(
    not (journal.is_available() and server.is_available() and shutil.which("kubectl")),
    reason="needs systemd-journal-remote, Prometheus and kubectl",
)


@dataclass(frozen=True)
class Said:
    """What an investigation concludes."""

    verdict: str
    confidence: str
    roots: frozenset[tuple[str, str, str]]
    chain: frozenset[str]


@dataclass(frozen=True)
class Looks:
    """A moment of a scenario, live and as a bundle; only what is asked for is diagnosed."""

    live: Said
    captures: tuple[Capture, ...]
    now: datetime
    incident: Incident
    catalog: Catalog
    look: Path
    whole: Path

    @cached_property
    def bundle(self) -> Said:
        return self._diagnose(self.whole)

    @cached_property
    def live_with_files(self) -> Said:
        return self._diagnose(self.look, *filter(Path.exists, (self.whole / n for n in FILES)))

    @cached_property
    def bundle_without_files(self) -> Said:
        rest = shutil.copytree(self.whole, self.whole.with_name("rest"))
        for name in FILES:
            shutil.rmtree(rest / name, ignore_errors=True)
        return self._diagnose(rest)

    def _diagnose(self, *paths: Path) -> Said:
        return said(investigate(paths, self.incident, self.catalog, now=self.now))


def said(found: Investigation) -> Said:
    assert found.diagnosis is not None
    pages = {event.id: event.page for event in found.timeline.events}
    links = found.diagnosis.chain
    named = {name for link in links for name in (link.source, link.target)}
    return Said(
        verdict=found.diagnosis.verdict,
        confidence=found.diagnosis.confidence,
        roots=frozenset(
            (root.page, root.entity.id, root.confidence) for root in found.diagnosis.root_causes
        ),
        # An inferred cause is no event: its name holds its page.
        chain=frozenset(pages[name] if name in pages else name.split(":")[1] for name in named),
    )


def middle_of(recording: Recording) -> float:
    """Choose a present in which commands hang; where none ever did, the end."""
    hung = [command.started for command in recording.commands if command.outcome == "hung"]
    return max(*hung, *sorted(recording.snapshots)[:1]) + 60 if hung else recording.taken


def look(scenario: str, folder: Path, library: Path, catalog: Catalog) -> Looks:
    recording = load(scenario).record(SEED, THIN)
    # A bundle may reach farther back than a look asks for, and so know a slow rise from a hum.
    since = recording.reported[0] - BASELINE.total_seconds()
    recording = move_to(recording, middle_of(recording), since)
    whole = bundle.write(recording, folder / "whole", queries=prometheus.list_queries(catalog))
    incident = adopt(Incident(), Bundle.open([whole]).meta)

    with replay.run_live(recording, whole, folder, library=library) as rig:
        context = rig.context(folder / "look", limit_s=HANG_S)
        live = Live(context, first_answer_s=60, transports=rig.transports())
        first = said(investigate(live, incident, catalog, now=rig.now))
    captures = tuple(context.workspace.captures())
    return Looks(first, captures, rig.now, incident, catalog, folder / "look", whole)


@pytest.fixture(scope="module", name="catalog")
def _catalog() -> Catalog:
    return shipped()


def test_a_live_look_at_a_healthy_cluster_agrees_with_its_bundle(
    tmp_path: Path, nvml_library: Path, catalog: Catalog
) -> None:
    """Work that goes on, seen in the logs of running jobs, is what lets a live look say healthy."""
    looks = look("healthy-old-noise", tmp_path, nvml_library, catalog)

    assert looks.live == looks.bundle
    assert looks.live.verdict == "healthy"


@pytest.mark.parametrize(
    "scenario", [pytest.param("cgroup-oom-137", marks=pytest.mark.soak), "xid79-pcie-prologue"]
)
def test_a_live_look_at_a_dead_job_agrees_with_its_bundle(
    scenario: str, tmp_path: Path, nvml_library: Path, catalog: Catalog
) -> None:
    """kubectl, journalctl, Prometheus and NVML lead to the same verdict, roots and chain."""
    looks = look(scenario, tmp_path, nvml_library, catalog)

    assert looks.live == looks.bundle == looks.live_with_files
    assert looks.live.verdict == "fault"
    assert {each.source for each in looks.captures} >= {
        "journal",
        "kubernetes",
        "nvml",
        "prometheus",
    }


def test_a_live_look_in_the_middle_of_the_outage_agrees_with_its_bundle(
    tmp_path: Path, nvml_library: Path, catalog: Catalog
) -> None:
    """Thirty hosts, many of which hang: the same server; its own log says the same of why."""
    looks = look("astra-storage-failover", tmp_path, nvml_library, catalog)
    hung = [each.command for each in looks.captures if each.outcome == "hung"]

    assert looks.live == looks.bundle_without_files
    assert looks.live_with_files == looks.bundle
    assert looks.live.roots == {("storage-server-unavailable", "10.0.0.10", "LIKELY")}
    assert looks.bundle.roots == {("storage-controller-failover", "10.0.0.10", "LIKELY")}
    assert "command-hung-on-mount" in looks.live.chain
    assert set(hung) == {"df -h /data"}


@pytest.mark.soak
def test_a_live_look_at_slurm_agrees_with_its_bundle(
    tmp_path: Path, nvml_library: Path, catalog: Catalog
) -> None:
    """Without Kubernetes the nodes alone name the server; jobs' logs complete the chain."""
    looks = look("slurm-storage-failover", tmp_path, nvml_library, catalog)

    assert looks.live == looks.bundle_without_files
    assert looks.live_with_files == looks.bundle
