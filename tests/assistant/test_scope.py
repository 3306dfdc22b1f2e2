"""What was asked bounds what is considered."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from assistant.event import Timeline
from assistant.incident import Incident, Scope
from assistant.investigate import investigate
from assistant.investigation import Investigation
from assistant.recognise import Recognised
from assistant.scope import focus, nothing_matches
from assistant.topology import Ties
from tests.assistant.diagnosis.world import event, page
from tests.assistant.pages import HANDBOOK
from tools.entity import Entity
from tools.evidence import Window


class Look(Protocol):
    """Investigate the logs with what was asked."""

    def __call__(self, *, window: Window = ..., scope: Scope = ...) -> Investigation: ...


NOW = datetime(2025, 6, 21, tzinfo=UTC)
LOGS = {
    "n1.log": """\
2025-06-20T02:00:00+00:00 n1 kernel: eth0: link up
2025-06-20T02:10:00+00:00 n1 kernel: NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus.
""",
    "n2.log": """\
2025-06-20T04:00:00+00:00 n2 kernel: eth0: link up
2025-06-20T04:10:00+00:00 n2 kernel: NVRM: Xid (PCI:0000:1B:00): 79, GPU has fallen off the bus.
""",
    "n3.log": "2025-06-20T02:00:00+00:00 n3 kernel: eth0: link up\n",
}


def _hour(hour: int) -> datetime:
    return datetime(2025, 6, 20, hour, tzinfo=UTC)


@pytest.fixture(name="look")
def _look(tmp_path: Path) -> Look:
    for name, text in LOGS.items():
        (tmp_path / name).write_text(text)

    def look(*, window: Window = Window(), scope: Scope = Scope()) -> Investigation:  # noqa: B008 -- frozen
        incident = Incident(window=window, scope=scope)
        return investigate([tmp_path], incident, HANDBOOK, now=NOW)

    return look


def _hosts(found: Investigation) -> list[str]:
    return [
        event.entity.id.split("/")[0] for event in found.timeline.events if event.role != "context"
    ]


def test_events_after_the_window_are_not_considered(look: Look) -> None:
    """The window of the answer is the asked one."""
    asked = Window(since=_hour(1), until=_hour(3))
    found = look(window=asked)
    assert _hosts(found) == ["n1"]
    assert found.window == asked
    assert not nothing_matches(found.incident.scope, found.gaps)


def test_a_window_that_no_evidence_covers_matches_nothing(look: Look) -> None:
    """Nothing is found, and it is said why; the window never turns round."""
    found = look(window=Window(until=datetime(2025, 6, 1, tzinfo=UTC)))
    assert _hosts(found) == []
    assert nothing_matches(found.incident.scope, found.gaps)
    assert found.window.since is None
    assert found.diagnosis is not None
    assert "window" in found.diagnosis.missing_information[0].what.en


def test_what_lasts_does_not_reach_past_the_evidence(look: Look) -> None:
    """A fault that stays is not shown to hold hours after the last line that was read."""
    found = look(window=Window(since=datetime(2025, 6, 25, tzinfo=UTC)))
    assert found.timeline.events == ()
    assert nothing_matches(found.incident.scope, found.gaps)


def test_other_nodes_are_context(look: Look) -> None:
    """They stay on the timeline; no cause is sought in them and nobody is counted."""
    found = look(scope=Scope(nodes=("n2",)))
    assert _hosts(found) == ["n2"]
    assert len(found.timeline.events) == 2
    assert found.gaps == ()


def test_a_node_without_findings_is_known(look: Look) -> None:
    """Its log was read, so it is not missing."""
    found = look(scope=Scope(nodes=("n3",)))
    assert _hosts(found) == []
    assert not nothing_matches(found.incident.scope, found.gaps)


@pytest.mark.parametrize("typed", ["gpu-B", "gpu-b", "GPU-B."])
def test_a_node_is_found_however_its_name_is_spelled(tmp_path: Path, typed: str) -> None:
    """Case and a closing dot make no other host, neither in the evidence nor in the question."""
    (tmp_path / "b.log").write_text(LOGS["n1.log"].replace("n1", "gpu-B"))
    incident = Incident(scope=Scope(nodes=(typed,)))
    found = investigate([tmp_path], incident, HANDBOOK, now=NOW)
    assert _hosts(found) == ["gpu-b"]
    assert found.gaps == ()


def test_a_name_that_occurs_nowhere_is_said(look: Look) -> None:
    """In the gaps, the ledger and among what is missing; others that occur still count."""
    found = look(scope=Scope(nodes=("n1", "nosuch")))
    assert _hosts(found) == ["n1"]
    assert [gap.target for gap in found.gaps] == ["node nosuch"]
    assert found.diagnosis is not None
    assert "nosuch" in found.diagnosis.missing_information[0].what.en
    assert any(row.target == "node nosuch" for row in found.coverage)
    assert not nothing_matches(found.incident.scope, found.gaps)
    alone = look(scope=Scope(nodes=("nosuch",)))
    assert nothing_matches(alone.incident.scope, alone.gaps)


FAULT, WORK = page("fault"), page("work", "symptom")
SERVER = page("server", entity={"kind": "storage_server"})


def _world() -> tuple[Timeline, Recognised]:
    """Two nodes with a pod each, of one job each, on one storage server."""
    ties = Ties()
    for node, pod, job in (("n1", "ns/a-0", "ns/a"), ("n2", "ns/b-0", "ns/b")):
        ties.node(node)
        ties.relate(("pod", pod), ("node", node))
        ties.relate(("pod", pod), ("job", job))
        ties.relate(("node", node), ("storage_server", "10.0.0.10"))
    events = (
        event("server", SERVER, 0, node="", anchors=[("storage_server", "10.0.0.10")]),
        event("n1", FAULT, 1),
        event("n2", FAULT, 2, node="n2"),
        event("b", WORK, 3, node="n1", entity=Entity(kind="pod", id="ns/b-0")),
        event("a", WORK, 4, node="n1", anchors=[("pod", "ns/a-0")],
              entity=Entity(kind="pod", id="ns/a-0")),
    )  # fmt: skip
    return Timeline(events=events), Recognised(topology=ties.settle())


@pytest.mark.parametrize(
    ("scope", "kept"),
    [
        (Scope(nodes=("n2",)), {"server", "n2"}),
        (Scope(pods=("ns/a-0",)), {"server", "n1", "a"}),
        (Scope(job="ns/a"), {"server", "n1", "a"}),
        (Scope(job="a"), {"server", "n1", "a"}),
    ],
)
def test_work_keeps_what_carries_it_and_what_it_shares(scope: Scope, kept: set[str]) -> None:
    """A pod's node and its server are upstream; another job's pod on that node is not."""
    timeline, recognised = _world()

    found, gaps = focus(timeline, scope, recognised)

    assert gaps == ()
    assert {one.id for one in found.events if one.role != "context"} == kept
