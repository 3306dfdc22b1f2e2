"""How many GPUs answer, beside how many there should be."""

import pytest

from assistant.gpu_rosters import GpuRosters
from tests.assistant.items import at, reading
from tools.evidence import ObjectState


def _node(capacity: str, **labels: str) -> ObjectState:
    content = {"metadata": {"labels": labels}, "status": {"capacity": {"nvidia.com/gpu": capacity}}}
    return ObjectState("E1", "Node", "", "n1", "", content, at(0))


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        pytest.param(_node("8"), 8, id="capacity"),
        pytest.param(_node("28", **{"nvidia.com/gpu.count": "8"}), 8, id="label"),
        pytest.param(_node("28"), None, id="shared cards"),
        pytest.param(ObjectState("E1", "Topology", "", "n1", "", {"gpu_count": 8}, at(0)), 8),
    ],
)
def test_seven_cards_stand_beside_what_is_stated(state: ObjectState, expected: int | None) -> None:
    """By an inventory, by a label, or by a capacity that counts cards and not shares of them."""
    rosters = GpuRosters()
    rosters.learn_object(state)
    rosters.learn(reading("gpu_host", "n1", 60, gpu_count=7))
    rosters.learn(reading("gpu_host", "n1", 0, gpu_count=8))
    told = [(each.values["found"], each.values["expected"]) for each in rosters.found()]
    assert told == ([(7, expected)] if expected else [])
