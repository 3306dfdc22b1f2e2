"""A root that is sure, beside damage as grave that it has nothing to do with."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.diagnosis.result import Diagnosis
from tests.assistant.diagnosis.world import case, event, kernel, page, watched

SURE = page("sure", severity="critical", effects=[{"effect": "lost"}, {"effect": "gone"}])
GONE = page("gone", "symptom", damage=2, signatures=[kernel("gone")])
LOOK = {
    "id": "fabric",
    "command": ["look", "{node}"],
    "where": "node",
    "tells": {"en": "why", "zh": "原因"},
}
STUCK = page("stuck", "symptom", damage=3, signatures=[kernel("stuck")], checks=[LOOK])
LOST = page("lost", "symptom", damage=1, signatures=[kernel("lost")])
FABRIC = page(
    "fabric", effects=[{"effect": "stuck", "strength": "sometimes"}], signatures=[kernel("fabric")]
)
PAGES = [SURE, GONE, LOST, STUCK, FABRIC]


def _beside(*, node: str = "n2", damage: int = 3, seen: tuple[str, ...] = ("n1",)) -> Diagnosis:
    """Diagnose a sure root beside what stopped elsewhere."""
    stuck = STUCK.model_copy(update={"damage": damage})
    events = [
        event("root", SURE, 0),
        event("a", LOST, 2),
        event("b", GONE, 3),
        event("open", stuck, 60, node=node),
    ]
    return diagnose(case(PAGES, events, sight=watched(*seen)))


def test_a_root_is_not_confirmed_beside_graver_damage_that_it_does_not_explain() -> None:
    """It is a fault all the same, and the other is named with it and looked into."""
    found = _beside()
    assert [root.page for root in found.root_causes] == ["sure"]
    assert (found.verdict, found.confidence) == ("fault", "LIKELY")
    assert found.root_causes[0].why.confidence == "LIKELY"
    assert found.gravest_open == "open"
    assert "“stuck” on n2" in found.caps[0].en
    assert "look n2" in [check.command for check in found.next_checks]


@pytest.mark.parametrize(
    ("node", "damage"), [("n1", 3), ("n2", 1)], ids=["on the root's own host", "less grave"]
)
def test_what_shares_a_host_or_is_less_grave_takes_no_confidence(node: str, damage: int) -> None:
    """It may be the root's by a way that no page tells, or matters less than what is explained."""
    found = _beside(node=node, damage=damage)
    assert (found.confidence, found.gravest_open) == ("CONFIRMED", "")
    assert "open" in found.unexplained


@pytest.mark.parametrize("seen", [("n1",), ("n1", "n2")])
def test_a_log_that_was_not_read_could_tell_what_is_open(seen: tuple[str, ...]) -> None:
    """Nobody read the kernel log of the host on which the gravest is open."""
    assert _beside(seen=seen).decided_by_unseen is ("n2" not in seen)


def test_what_only_a_lead_explains_is_open_too() -> None:
    """Both are named; the sure one is not confirmed for what may not be its doing."""
    fabric = FABRIC.model_copy(update={"severity": "critical"})
    events = [
        event("root", SURE, 0),
        event("a", LOST, 2),
        event("b", GONE, 3),
        event("lead", fabric, 30, node="n2"),
        event("open", STUCK, 60, node="n2"),
    ]
    found = diagnose(case(PAGES, events, sight=watched("n1", "n2")))
    roots = {root.page: root.confidence for root in found.root_causes}
    assert roots == {"sure": "LIKELY", "fabric": "INCONCLUSIVE"}
    assert found.gravest_open == "open"
    assert not found.unexplained
