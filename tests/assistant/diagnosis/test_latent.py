"""Facts about causes that nobody printed, inferred from their victims."""

import random
import sys
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.diagnosis.latent import AT_ONCE_S, _at_once, _silent_together
from assistant.event import Event
from tests.assistant.diagnosis.outage import (
    SERVER,
    STALL,
    UNREACHABLE,
    WORLD,
    storage_outage,
    ties_of,
)
from tests.assistant.diagnosis.world import at, case, event, watched
from tools.evidence import Instant


def test_without_the_server_log_where_is_inferred_and_why_is_inconclusive() -> None:
    """The same place is found from its victims; the reason stays open, with the right check."""
    found = diagnose(case(WORLD, storage_outage(with_log=False), ties=ties_of(4)))
    root = found.root_causes[0]

    assert (found.verdict, root.page, root.entity.id) == ("fault", "unreachable", "10.0.0.10")
    assert not root.observed
    assert root.where.confidence == "LIKELY"
    assert root.why.confidence == "INCONCLUSIVE"
    assert found.next_checks[0].command == "show events 10.0.0.10"


def test_nothing_is_inferred_from_fewer_victims_than_the_page_asks() -> None:
    """Two nodes that stall one after the other are not enough where each may fail alone."""
    events = [
        event(f"stall{i}", STALL, 90.0 * i, node=f"n{i}", anchors=[SERVER], end=300 + i)
        for i in range(2)
    ]
    found = diagnose(case(WORLD, events, ties=ties_of(2)))

    assert "unreachable" not in {h.page for h in found.hypotheses}


@pytest.mark.parametrize(("back", "sure"), [(301.0, "LIKELY"), (900.0, "INCONCLUSIVE")])
def test_two_that_lose_one_server_within_seconds_point_to_it(back: float, sure: str) -> None:
    """Two victims make it sure only if they got it back at once as well."""
    events = storage_outage(2, with_log=False)
    stalls = [
        e.model_copy(update={"end": Instant(at(until)), "last": e.start})
        for e, until in ((events[0], 300.0), (events[3], back))
    ]
    found = diagnose(case(WORLD, [*stalls, *events[1:3], *events[4:]], ties=ties_of(2)))
    root = found.root_causes[0]

    assert (root.page, root.entity.id, root.observed) == ("unreachable", "10.0.0.10", False)
    assert (root.where.confidence, root.why.confidence) == (sure, "INCONCLUSIVE")


def test_unaffected_members_contradict_an_inferred_cause() -> None:
    """If most clients of the server were watched and fine, the server is not the likely cause."""
    events = storage_outage(3, with_log=False)
    sight = watched(*(f"n{i}" for i in range(10)))
    found = diagnose(case(WORLD, events, ties=ties_of(10), sight=sight))

    assert all(r.confidence == "INCONCLUSIVE" for r in found.root_causes if not r.observed)


def test_those_at_once_are_the_fullest_seconds() -> None:
    """As many as any window that begins with a report holds, whatever the order they come in."""
    rng = random.Random(7)  # noqa: S311 - reproducible, nothing secret
    for _ in range(50):
        times = [rng.randrange(0, 120) / 2 for _ in range(rng.randrange(1, 30))]
        found = _at_once(event(f"s{n}", STALL, each) for n, each in enumerate(times))
        most = max(sum(0 <= other - one <= AT_ONCE_S for other in times) for one in times)
        assert len(found) == most
        assert max(found, key=_start).start.utc - min(found, key=_start).start.utc <= TEN
    assert _at_once([]) == []


def test_many_lone_victims_are_compared_but_with_their_neighbours() -> None:
    """Thousands of hosts that each lose a link once take no longer each than hundreds do."""
    lone = [event(f"s{n}", STALL, 7.0 * n) for n in range(400)]
    rule = UNREACHABLE.infer
    assert rule is not None
    silent = rule.model_copy(update={"needs": {STALL.id: "silence_s"}})
    for work in (_at_once, lambda rows: _silent_together(rows, silent)):
        assert _calls(work, lone) < 3 * _calls(work, lone[:200])


def _calls(work: Callable[[list[Event]], list[Event]], rows: list[Event]) -> int:
    """Return how many functions are called meanwhile."""
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        work(rows)
    finally:
        sys.setprofile(None)
    return calls


def _start(one: Event) -> datetime:
    return one.start.utc


TEN = timedelta(seconds=AT_ONCE_S)
