"""Facts about the propagation that is drawn."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.world import case, event, page

LAST = page("last", "symptom", damage=2)
MIDDLE = page("middle", "mechanism", effects=[{"effect": "last"}])
FIRST = page("first", effects=[{"effect": "middle"}, {"effect": "last", "strength": "sometimes"}])
PAGES = [FIRST, MIDDLE, LAST]


def test_a_delay_between_two_intervals_is_an_interval_that_causality_bounds() -> None:
    """An onset shifted back by a timeout allows delays from zero on, never negative ones."""
    events = [
        event("a", FIRST, 0),
        event("b", MIDDLE, 100, before_s=180.0),
        event("c", LAST, 120),
    ]
    first, second = diagnose(case(PAGES, events)).chain

    assert (first.source, first.target) == ("a", "b")
    assert first.delay_s - first.delay_uncertainty_s >= 0
    assert first.delay_s + first.delay_uncertainty_s == 101.0
    assert second.delay_s - second.delay_uncertainty_s >= 0


def test_each_condition_is_drawn_once_on_the_place_where_it_came_first() -> None:
    """Three nodes with the same propagation are one chain."""
    events = [event("a", FIRST, 0, node="n1")]
    for i in range(3):
        anchors = [("rack", "r1")]
        events.append(event(f"b{i}", MIDDLE, 10 + i, node="n1", anchors=anchors))
        events.append(event(f"c{i}", LAST, 20 + i, node="n1", anchors=anchors))
    links = diagnose(case(PAGES, events)).chain

    assert [(link.source, link.target) for link in links] == [("a", "b0"), ("b0", "c0")]


def test_every_edge_cites_both_of_its_ends() -> None:
    """A reader can check the cause and the effect of each step."""
    events = [event("a", FIRST, 0), event("b", MIDDLE, 5), event("c", LAST, 9)]

    assert all(link.evidence for link in diagnose(case(PAGES, events)).chain)


def test_a_precursor_in_bursts_is_drawn_from_its_first_burst() -> None:
    """Errors that came and went before the fault begin the chain where they began."""
    early = page(
        "early",
        effects=[{"effect": "first", "strength": "sometimes", "delay": {"max_s": 86400}}],
    )
    events = [
        event("e1", early, -7000),
        event("e2", early, -3000),
        event("a", FIRST, 0),
        event("b", MIDDLE, 5),
        event("c", LAST, 9),
    ]
    found = diagnose(case([early, *PAGES], events, window=(-600, 3600)))

    assert found.chain[0].source == "e1"
    assert found.first_anomaly == "e1"


def test_what_spread_the_damage_is_named() -> None:
    """A page that amplifies stands out when it lies on the chain."""
    middle = MIDDLE.model_copy(update={"amplifies": True})
    events = [event("a", FIRST, 0), event("b", middle, 5), event("c", LAST, 9)]

    assert diagnose(case([FIRST, middle, LAST], events)).amplifiers == ("b",)


def test_what_the_root_brought_about_is_no_trigger_of_it() -> None:
    """Two conditions that may each lead to the other: the tree begins at the root."""
    worn = page(
        "worn",
        effects=[{"effect": "error", "delay": {"min_s": -10, "max_s": 600}}],
        damage=1,
    )
    error = page(
        "error",
        effects=[
            {"effect": "worn", "strength": "sometimes", "delay": {"max_s": 3600}},
            {"effect": "last"},
        ],
    )
    events = [event("a", error, 0), event("b", worn, 0.1), event("c", LAST, 5)]
    found = diagnose(case([worn, error, LAST], events))

    assert [root.page for root in found.root_causes] == ["worn"]
    assert [(link.source, link.target) for link in found.chain] == [("b", "a"), ("a", "c")]
    assert found.first_anomaly == "b"


@pytest.mark.parametrize(("hosts", "begins"), [(["n1"], "a"), (["n1", "n2"], "load")])
def test_an_everyday_change_set_nothing_off_that_one_thing_alone_has(
    hosts: list[str], begins: str
) -> None:
    """A driver is loaded at each start; five days later a program fails, and that is all."""
    load = page(
        "load",
        "change",
        severity="info",
        effects=[
            {
                "effect": "first",
                "strength": "sometimes",
                "delay": {"max_s": 604800},
                "scope": "rack",
            }
        ],
    )
    loaded = event("load", load, -300, anchors=[("rack", "r")])
    failed = [
        event(name, FIRST, 0, node=host, anchors=[("rack", "r")])
        for name, host in zip("ab", hosts, strict=False)
    ]
    events = [loaded, *failed, event("m", MIDDLE, 5), event("l", LAST, 9)]
    assert diagnose(case([load, *PAGES], events)).first_anomaly == begins
