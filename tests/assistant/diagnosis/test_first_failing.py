"""Facts about finding the one that failed among the many that waited."""

import pytest

from assistant.diagnosis.first_failing import find_first_failing
from assistant.event import Event
from assistant.topology import Ties
from tests.assistant.diagnosis.world import case, event, page

JOB = ("job", "train")
WAIT = page("wait", "symptom", damage=3, collateral_of=["died"], begins_before={"max_s": 600})
DIED = page("died", "symptom", damage=2)
PAGES = [WAIT, DIED]


def _waits(count: int, **fields: int) -> list[Event]:
    return [
        event(f"w{i}", WAIT, 600 + i / 10, node=f"n{i}", anchors=[JOB], fields=dict(fields))
        for i in range(count)
    ]


def _ties(count: int) -> Ties:
    ties = Ties()
    for i in range(count):
        ties.relate(JOB, ("node", f"n{i}"))
    return ties


def test_the_earliest_error_that_is_no_timeout_comes_first() -> None:
    """An exception before the waiting began names the culprit."""
    events = [*_waits(5), event("d", DIED, 2, node="n9", anchors=[JOB])]
    found = find_first_failing(case(PAGES, events))

    assert [(row.job, row.entity.id, row.event) for row in found] == [("train", "n9", "d")]


def test_the_member_that_reports_no_timeout_is_suspected() -> None:
    """Of ten members nine waited: the tenth is dead or stuck elsewhere."""
    found = find_first_failing(case(PAGES, _waits(9), ties=_ties(10)))

    assert found[0].entity.id == "n9"
    assert "9" in found[0].why.en


@pytest.mark.parametrize("counter", ["last_enqueued", "seq"])
def test_the_rank_with_the_fewest_collectives_never_reached_it(counter: str) -> None:
    """The counter that lags behind all others tells who is missing."""
    events = _waits(6, **{counter: 1582})
    events[2] = events[2].model_copy(update={"fields": {counter: 1579}})
    found = find_first_failing(case(PAGES, events, ties=_ties(6)))

    assert found[0].entity.id == "n2"


def test_equal_counters_decide_nothing() -> None:
    """If all submitted the same, no rank is named."""
    assert find_first_failing(case(PAGES, _waits(6, last_enqueued=7), ties=_ties(6))) == []


def test_two_timeouts_need_no_search() -> None:
    """A pair of reports can be read by a person."""
    assert find_first_failing(case(PAGES, _waits(2), ties=_ties(3))) == []
