"""From files to a diagnosis."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.errors import NothingToReadError
from assistant.gather import adopt, open_bundle
from assistant.incident import Incident
from assistant.investigate import investigate
from assistant.investigation import Investigation
from tests.assistant.pages import HANDBOOK
from tools.evidence import Window
from tools.manifest import BundleMeta

NOW = datetime(2025, 6, 21, tzinfo=UTC)
KERNEL = """\
2025-06-20T02:00:00+00:00 n1 kernel: eth0: link up
2025-06-20T02:10:00+00:00 n1 kernel: NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus.
2025-06-20T02:10:30+00:00 n1 kernel: NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus.
2025-06-20T02:10:40+00:00 n1 kubelet[1]: Node became not ready
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    (tmp_path / "n1.log").write_text(KERNEL)
    (tmp_path / "incident.yaml").write_text(
        'title: node lost\ntext: "n1 is gone"\n'
        'window: {since: "2025-06-20T02:00:00Z", until: "2025-06-20T03:00:00Z"}\n'
    )
    return tmp_path


def test_a_log_file_becomes_an_investigation(bundle: Path) -> None:
    """Every step is reported; the last holds events, coverage, diagnosis and priority."""
    steps: list[Investigation] = []
    found = investigate([bundle], Incident(), HANDBOOK, on_step=steps.append, now=NOW)
    assert [step.step for step in steps] == ["opened", "recognised", "ordered", "diagnosed"]
    assert found == steps[-1]
    assert [(e.page, e.entity.id, e.count) for e in found.timeline.events] == [
        ("xid-79-fell-off-bus", "n1/0000:9b:00", 2),
        ("node-not-ready", "n1", 1),
    ]
    assert found.incident.title == "node lost"
    assert found.window == Window(
        since=datetime(2025, 6, 20, 2, tzinfo=UTC), until=datetime(2025, 6, 20, 3, tzinfo=UTC)
    )
    assert found.diagnosis is not None
    assert found.priority is not None
    assert found.coverage
    assert found.versions.handbook == "digest"


def test_citations_resolve_to_the_line(bundle: Path) -> None:
    """The cited line of the file contains the cited text."""
    found = investigate([bundle / "n1.log"], Incident(), HANDBOOK, now=NOW)
    lines = KERNEL.splitlines()
    for event in found.timeline.events:
        for citation in event.citations:
            assert citation.text in lines[citation.line - 1]


def test_the_window_is_found_where_none_was_asked_for(bundle: Path) -> None:
    """First to last of the disturbance."""
    found = investigate([bundle / "n1.log"], Incident(), HANDBOOK, now=NOW)
    assert found.window.since == datetime(2025, 6, 20, 2, 10, tzinfo=UTC)
    assert found.window.until == datetime(2025, 6, 20, 2, 10, 40, tzinfo=UTC)


def test_an_investigation_survives_being_stored(bundle: Path) -> None:
    """JSON and back is the same value."""
    found = investigate([bundle], Incident(), HANDBOOK, now=NOW)
    assert Investigation.model_validate_json(found.model_dump_json()) == found
    assert json.loads(found.model_dump_json())["step"] == "diagnosed"


def test_no_path_is_said_so() -> None:
    """An empty list of paths names the way out."""
    with pytest.raises(NothingToReadError, match="no path was given") as caught:
        open_bundle([])
    assert "doctor" in caught.value.hint


def test_what_the_reporter_asked_wins_over_the_bundle() -> None:
    """A bundle fills only what was left open."""
    meta = BundleMeta(title="theirs", text="told", zones={"default": "+01:00", "n1": "+02:00"})
    incident = adopt(Incident(title="mine"), meta)
    assert (incident.title, incident.text, incident.zone) == ("mine", "told", "+01:00")
    assert incident.host_zones == {"n1": "+02:00"}
