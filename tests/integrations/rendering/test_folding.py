"""What is alike stands on one row; what is single stays single."""

from datetime import timedelta

from assistant.event import Coverage, Event
from integrations.rendering.folding import fold_coverage, fold_events, name_many
from integrations.rendering.view import View
from tests.integrations.sample_events import build_events
from tests.integrations.sample_world import NODES
from tools.entity import Entity
from tools.evidence import Instant


def _many(count: int, *, apart_s: float = 1.0) -> list[Event]:
    """Return the node-not-ready event on so many nodes, one after another."""
    model = build_events()[7].model_copy(update={"members": ()})
    return [
        model.model_copy(
            update={
                "id": f"ev{100 + n}",
                "entity": Entity(kind="node", id=NODES[n]),
                "start": Instant(model.start.utc + timedelta(seconds=n * apart_s)),
            },
        )
        for n in range(count)
    ]


def test_thirty_nodes_are_one_row() -> None:
    """The row knows its first, its last and everything it holds of."""
    events = _many(30)

    (fold,) = fold_events(events)

    assert (fold.first, fold.last) == (events[0], events[-1])
    assert len(fold.entities) == 30


def test_a_few_stay_alone() -> None:
    """Three rows are read faster than one that hides two."""
    assert len(fold_events(_many(3))) == 3


def test_a_pause_begins_a_new_row() -> None:
    """The same condition half a day later is another happening."""
    early = _many(4)
    late = [
        event.model_copy(update={"start": Instant(event.start.utc + timedelta(hours=12))})
        for event in early
    ]

    assert len(fold_events([*early, *late])) == 2


def test_many_are_named_by_number_kind_and_the_first_few(view: View) -> None:
    """Mixed kinds are entities."""
    nodes = [Entity(kind="node", id=name) for name in NODES]

    assert name_many(view, nodes[:1]) == "node astra-gpu-01"
    assert name_many(view, nodes).startswith("30 × node: astra-gpu-01, astra-gpu-02")
    assert name_many(view, [nodes[0], Entity(kind="pod", id="a/b")]).startswith("2 × entity")


def test_the_ledger_folds_by_state_source_and_why_it_was_not_seen() -> None:
    """Two reasons for not looking are two rows; two abnormal hosts are one."""
    lines = [
        Coverage(source="journal", target=name, state="abnormal", why=name, evidence=(f"E{n}",))
        for n, name in enumerate(NODES)
    ]
    unseen = [
        Coverage(source="bmc", target=name, state="not_checked", why=why)
        for name, why in (("a", "denied"), ("b", "denied"), ("c", "absent"))
    ]

    abnormal, denied, absent = fold_coverage([*lines, *unseen])

    assert abnormal.targets == "astra-gpu-01, astra-gpu-02, astra-gpu-03 +27"
    assert (abnormal.why, len(abnormal.evidence)) == ("", 30)
    assert (denied.targets, denied.why) == ("a, b", "denied")
    assert absent.targets == "c"
