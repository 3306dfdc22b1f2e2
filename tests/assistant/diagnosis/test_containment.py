"""What is to be done at once fits what is shared and what is over."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.event import Event
from knowledge.page import Page
from tests.assistant.diagnosis.world import at, case, event, page
from tools.evidence import Instant

HOLD = {"en": "Hold the partition.", "zh": "暂停分区。"}
WAITS = page("waits", "symptom", damage=2, contain=[{"text": HOLD, "why": HOLD, "shared": True}])
PANIC = page("panic", severity="critical", effects=[{"effect": "waits", "scope": "node"}])
AWAY = page(
    "away",
    entity={"kind": "switch"},
    effects=[{"effect": "waits", "scope": "switch"}],
)
WORK = page("work", "benign", progress=True, severity="info")


@pytest.mark.parametrize(
    ("hubs", "nodes", "held"), [((), 1, False), (("sw1",), 1, True), (("sw1",), 2, True)]
)
def test_advice_for_what_is_shared_needs_something_shared(
    hubs: tuple[str, ...], nodes: int, *, held: bool
) -> None:
    """One dead node's job is no reason to stop a partition; a switch's clients are."""
    near = [("switch", hub) for hub in hubs]
    root = event("r", AWAY if hubs else PANIC, 0, anchors=near, node="" if hubs else "n1")
    victims = [event(f"w{n}", WAITS, 20, node=f"n{n}", anchors=near) for n in range(1, nodes + 1)]
    found = diagnose(case([WAITS, PANIC, AWAY], [root, *victims]))
    assert [row.text.en for row in found.contain_now] == ([HOLD["en"]] if held else [])


def test_symptoms_of_several_hosts_share_something_where_no_root_is_seen() -> None:
    """Two hosts that wait at once ask for it, one alone does not."""
    for nodes in (1, 2):
        victims = [event(f"w{n}", WAITS, 20, node=f"n{n}") for n in range(nodes)]
        assert len(diagnose(case([WAITS], victims)).contain_now) == nodes - 1


def _told(root: Event, of: Page, *, job: str = "", node: str = "") -> str:
    """Return what is to be done of a wait that follows `root` while some work goes on."""
    near = [("job", job)] if job else []
    hurt = event("w", WAITS, 20, end=60, anchors=[("job", "j1")])
    went = event("p", WORK, -500, end=3500, node=node, anchors=near or [("cluster", "c")])
    found = diagnose(case([of, WAITS, WORK], [root, hurt, went]))
    return " ".join(row.text.en for row in found.contain_now)


LINK = page("link", effects=[{"effect": "waits", "scope": "node"}], persists=True)


@pytest.mark.parametrize("end", [None, 40.0])
def test_a_fault_that_stands_is_not_over_though_its_damage_is(end: float | None) -> None:
    """A link that never came back is no reason to stop nothing, one that did is."""
    told = _told(event("r", LINK, 0).model_copy(update=_ending(end)), LINK, job="j1")
    assert ("It is over" in told) == (end is not None)


def _ending(end: float | None) -> dict[str, Instant]:
    return {"end": Instant(at(end), 0.5)} if end is not None else {}


@pytest.mark.parametrize(
    ("where", "over"),
    [({"job": "j1"}, True), ({"node": "n1"}, True), ({"job": "j2"}, False), ({}, False)],
)
def test_work_proves_something_only_of_its_own_host_or_job(
    where: dict[str, str], *, over: bool
) -> None:
    """A log that says neither where it was written nor for which job may be another's."""
    root = event("r", PANIC, 0, end=60, anchors=[("job", "j1")])
    told = _told(root, PANIC, **where)
    assert ("It is over" in told) == over
