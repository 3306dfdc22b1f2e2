"""Order in time where the clocks themselves are in doubt."""

import pytest

from assistant.diagnosis.guards import Order, is_stamped_before, order
from assistant.event import Event
from knowledge.page import Link
from tests.assistant.diagnosis.world import event, page
from tests.assistant.items import line_up, only, said
from tests.assistant.items import unzoned as wall
from tools.evidence import Channel, Record

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
LINK = Link.model_validate(
    {
        "effect": "xid-79-fell-off-bus",
        "scope": "node",
        "strength": "often",
        "delay": {"min_s": 0, "max_s": 600},
        "why": {"en": "text", "zh": "文字"},
    }
)


def device(seconds: float, text: str, evidence: str = "E9") -> Record:
    return said("device" if "failover" in text else "kernel", None, text, host="n1",
                clock=f"file:{evidence}", evidence=evidence, time=wall(seconds))  # fmt: skip


def pair(first_at: float, second_at: float, evidence: str = "E9") -> tuple[Event, Event]:
    timeline = line_up(
        [device(first_at, "failover of 10.0.0.10"), device(second_at, XID, evidence)]
    )
    return only(timeline, "storage-controller-failover"), only(timeline, "xid-79-fell-off-bus")


def test_an_unknown_zone_does_not_blur_the_order_within_one_clock() -> None:
    """What one clock stamped later is later, and what it stamped much later is too late."""
    assert order(LINK, *pair(0, 5)) == "certain"
    assert order(LINK, *pair(100, 5)) == "excluded"
    assert order(LINK, *pair(0, 5000)) == "excluded"


def test_an_unknown_zone_blurs_the_order_between_clocks() -> None:
    """Two files without a zone may lie anywhere to each other."""
    assert order(LINK, *pair(100, 5, "E8")) == "unknown"


@pytest.mark.parametrize(
    ("later_s", "told", "sequence"),
    [
        (1.0, "kernel", "excluded"),
        (0.1, "kernel", "unknown"),
        (1.0, "service", "unknown"),
    ],
    ids=["a second later", "at once", "a program's line"],
)
def test_a_kernels_own_stamps_tell_the_order_of_its_lines(
    later_s: float, told: Channel, sequence: Order
) -> None:
    """It buffers nothing unstamped: what it printed a second before is no effect."""
    of = page("any")
    cause = event("a", of, later_s)
    effect = event("b", of, 0, channels=frozenset({told}))
    assert order(LINK, cause, effect) == sequence
    assert is_stamped_before(effect, cause) is (sequence == "excluded")
