"""What is set aside as the consequence of one death."""

import pytest

from assistant.diagnosis.collateral import find_collateral
from tests.assistant.diagnosis.world import event, page

WAITED = page(
    "waited", "symptom", damage=3, begins_before={"max_s": 1800, "setting": "collective_timeout_s"}
)
STALLED = page("stalled", "mechanism", begins_before={"max_s": 180})
TRACEBACK = page("traceback", "symptom", collateral_of=["waited", "stalled"])
PAGES = {one.id: one for one in (WAITED, STALLED, TRACEBACK)}
LIMIT_S = 600.0


@pytest.mark.parametrize(
    ("name", "after_s", "set_aside"),
    [("waited", 5, False), ("waited", 601, True), ("stalled", 5, True)],
    ids=["while they waited", "when they gave up", "while storage did not answer"],
)
def test_nothing_follows_a_time_out_before_it_ran_out(
    name: str, after_s: float, *, set_aside: bool
) -> None:
    """Ranks that wait harm nobody until they give up; a disk that does not answer does at once."""
    fields = {"collective_timeout_s": LIMIT_S}
    head = event("head", PAGES[name], 0, fields=fields, before_s=3)
    died = event("died", TRACEBACK, after_s)
    assert bool(find_collateral([head, died], PAGES)) is set_aside
