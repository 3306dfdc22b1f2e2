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


@pytest.mark.parametrize("counter", ["last_enqueued", "seq"])
@pytest.mark.parametrize("apart", [{"op": "_ALLGATHER_BASE"}, {"group": "5"}])
def test_what_two_process_groups_count_is_not_compared(counter: str, apart: dict[str, str]) -> None:
    """Each begins at one: a group that is used seldom is no rank that is behind."""
    events = _waits(6, **{counter: 5000})
    alike = {"op": "ALLREDUCE", **({"group": "0"} if "group" in apart else {})}
    events = [e.model_copy(update={"fields": {**e.fields, **alike}}) for e in events]
    events[2] = events[2].model_copy(update={"fields": {**alike, **apart, counter: 40}})
    assert find_first_failing(case(PAGES, events, ties=_ties(6))) == []


def test_in_one_group_a_rank_may_be_behind_in_another_collective() -> None:
    """The group counts them all; that it waits there is not that it submitted so few."""
    events = [
        event(f"w{i}", WAIT, 600, node=f"n{i}", anchors=[JOB], fields={
            "group": "0", "op": "BROADCAST" if i == 1 else "ALLREDUCE", "seq": 7 if i == 1 else 9,
        })
        for i in range(4)
    ]  # fmt: skip
    (row,) = find_first_failing(case(PAGES, events, ties=_ties(4)))
    assert row.entity.id == "n1"
    assert "waits in collective 7" in row.why.en


def test_equal_counters_decide_nothing() -> None:
    """If all submitted the same, no rank is named."""
    assert find_first_failing(case(PAGES, _waits(6, last_enqueued=7), ties=_ties(6))) == []


def test_two_timeouts_need_no_search() -> None:
    """A pair of reports can be read by a person."""
    assert find_first_failing(case(PAGES, _waits(2), ties=_ties(3))) == []
