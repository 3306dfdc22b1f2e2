"""What is to be done at once fits what is shared and what is over."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.world import case, event, page

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
