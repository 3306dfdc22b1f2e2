"""The parts that answer say each thing once, and nothing that the evidence does not hold."""

from datetime import timedelta

import pytest

from assistant.diagnosis.result import State
from integrations.rendering.answer import (
    first_anomaly,
    stand_of,
    tell_course,
    tell_reach,
    urgency,
)
from integrations.rendering.content import plain
from integrations.rendering.view import View


def _with(view: View, **changes: object) -> View:
    assert view.diagnosis is not None
    diagnosis = view.diagnosis.model_copy(update=changes)
    found = view.investigation.model_copy(update={"diagnosis": diagnosis})
    return View(found, view.pages, view.words)


@pytest.mark.parametrize(
    ("minutes", "said"),
    [(15, "from this look on"), (-30, "a response was due by"), (5, "respond by")],
)
def test_the_time_to_respond_says_from_when_it_counts(view: View, minutes: int, said: str) -> None:
    """From the fault, from this look where nothing tells when it began; or it is over."""
    found = view.investigation
    assert found.priority is not None
    by = found.generated_at + timedelta(minutes=minutes)
    priority = found.priority.model_copy(update={"level": "P0", "respond_by": by})
    changed = found.model_copy(update={"priority": priority})

    (fact,) = urgency(View(changed, view.pages, view.words))

    assert said in plain(fact.line)
    assert ("from this look" in plain(fact.line)) == (minutes == 15)


def test_nothing_is_counted_as_zero(view: View) -> None:
    """`0 nodes` beside a fault on a node would contradict it: what was not counted is not said."""
    assert view.diagnosis is not None
    some = view.diagnosis.impact.model_copy(update={"nodes": 1, "gpus": 0, "jobs": 0})
    none = some.model_copy(update={"nodes": 0})

    told = [plain(stand_of(_with(view, impact=one))[0].line) for one in (some, none)]

    assert told[0].endswith("hurt in all: 1 node")
    assert "hurt" not in told[1]


def test_a_precursor_is_no_rival(view: View) -> None:
    """What leads to the first hypothesis, or follows from it, needs no check to tell them apart."""
    assert view.diagnosis is not None
    first, second, *rest = view.diagnosis.hypotheses
    first = first.model_copy(update={"event": "ev2", "explains": ("ev3",)})
    before = second.model_copy(update={"event": "ev1", "explains": ("ev2", "ev3")})
    after = second.model_copy(update={"event": "ev3", "explains": ()})

    def told(other: object) -> str:
        changed = _with(view, hypotheses=(first, other, *rest))
        assert changed.diagnosis is not None
        return changed.relation(changed.diagnosis.hypotheses[1])

    assert told(before).startswith("comes before 1")
    assert told(after).startswith("follows from 1")
    assert told(second.model_copy(update={"event": "ev9", "explains": ()})) == ""
    assert tell_reach(view, after) == "explains nothing else"


def test_each_of_several_causes_tells_where_it_began_and_how_it_stands(view: View) -> None:
    """One alone leaves that to the verdict; an order among strangers would mean nothing."""
    assert view.diagnosis is not None
    (root,) = view.diagnosis.root_causes
    event = view.events[0]
    over = State(now="recovered")
    other = root.model_copy(
        update={"first_anomaly": event.id, "state": over, "confidence": "INCONCLUSIVE"}
    )
    both = _with(view, root_causes=(root, other))

    assert tell_course(view, root) == ()
    assert len(first_anomaly(view)) == 1
    assert first_anomaly(both) == ()
    (told,) = tell_course(both, other)
    assert event.id in plain(told.line)
    assert plain(told.line).endswith(view.words("state.recovered"))
    assert both.headline().endswith("(INCONCLUSIVE)")
