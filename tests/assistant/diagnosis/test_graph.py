"""Facts about when one condition may have caused another."""

from collections.abc import Sequence

import pytest

from assistant.diagnosis.graph import Graph, build_graph, reach
from assistant.diagnosis.guards import Settings
from assistant.diagnosis.weights import DEFAULT_WEIGHTS
from assistant.event import Anchor, Event, Setting
from knowledge.page import Page
from tests.assistant.diagnosis.world import at, event, page
from tools.evidence import Citation, Instant, Zone


def _graph(pages: Sequence[Page], events: Sequence[Event], *seen: Setting) -> Graph:
    return build_graph(events, {p.id: p for p in pages}, Settings(seen), DEFAULT_WEIGHTS)


def _pairs(graph: Graph) -> set[tuple[str, str]]:
    return {(e.cause, e.effect) for edges in graph.out.values() for e in edges}


CAUSE = page("cause", effects=[{"effect": "effect"}])
EFFECT = page("effect", "symptom", damage=2)


def test_an_edge_needs_a_shared_anchor() -> None:
    """Cause and effect on different nodes do not meet under scope node."""
    events = [event("a", CAUSE, 0, node="n1"), event("b", EFFECT, 10, node="n2")]

    assert _pairs(_graph([CAUSE, EFFECT], events)) == set()


def test_an_effect_before_its_cause_is_excluded() -> None:
    """An onset that certainly precedes the cause cannot be its effect."""
    events = [event("a", CAUSE, 100), event("b", EFFECT, 10)]

    assert _pairs(_graph([CAUSE, EFFECT], events)) == set()


def test_an_unknown_order_keeps_the_edge_but_is_not_certain() -> None:
    """Overlapping onset intervals of two clocks leave the order open."""
    late = event("b", EFFECT, 10, before_s=60.0, clocks=frozenset({"other"}))
    graph = _graph([CAUSE, EFFECT], [event("a", CAUSE, 0), late])

    assert [e.certain for e in graph.out["a"]] == [False]


def test_an_effect_later_than_the_longest_delay_is_excluded() -> None:
    """A delay bound of 600 s excludes an effect 700 s after the cause was last at work."""
    events = [event("a", CAUSE, 0), event("b", EFFECT, 703)]

    assert _pairs(_graph([CAUSE, EFFECT], events)) == set()


def test_a_blip_shorter_than_the_tolerance_harms_nothing() -> None:
    """A guard on duration removes the edge when the cause ended too soon."""
    guarded = page(
        "cause",
        effects=[{"effect": "effect", "guard": {"field": "duration_s", "op": ">=", "value": 30}}],
    )
    short = [event("a", guarded, 0, end=5), event("b", EFFECT, 6)]
    long = [event("a", guarded, 0, end=50), event("b", EFFECT, 40)]

    assert _pairs(_graph([guarded, EFFECT], short)) == set()
    assert _pairs(_graph([guarded, EFFECT], long)) == {("a", "b")}


def test_a_setting_in_evidence_replaces_the_guard_s_default() -> None:
    """A client that tolerates 120 s is not harmed by 50 s, whatever the page's default."""
    guard = {"field": "duration_s", "op": ">=", "value": 30, "setting": "grace_s"}
    guarded = page("cause", effects=[{"effect": "effect", "guard": guard}])
    events = [event("a", guarded, 0, end=50), event("b", EFFECT, 40)]
    seen = Setting(
        name="grace_s",
        value=120,
        anchors=(Anchor(kind="node", id="n1"),),
        citation=Citation(evidence="E2"),
    )

    assert _pairs(_graph([guarded, EFFECT], events, seen)) == set()


def test_a_guard_that_cannot_be_evaluated_weakens_the_link() -> None:
    """Unknown magnitude keeps the edge at a lower strength."""
    guard = {"field": "lost_percent", "op": ">", "value": 1}
    guarded = page("cause", effects=[{"effect": "effect", "guard": guard}])
    graph = _graph([guarded, EFFECT], [event("a", guarded, 0), event("b", EFFECT, 5)])

    assert graph.out["a"][0].strength < 0.8


def test_the_effect_s_own_fields_exclude_a_cause() -> None:
    """An exit status other than 137 is not the work of the OOM killer."""
    killer = page("cause", effects=[{"effect": "effect", "when": {"exit": "137"}}])
    other = event("b", EFFECT, 5, fields={"exit": 1})
    same = event("c", EFFECT, 5, fields={"exit": 137})

    assert _pairs(_graph([killer, EFFECT], [event("a", killer, 0), other, same])) == {("a", "c")}


def test_peer_scope_joins_the_one_that_is_named() -> None:
    """The effect is seen on n2 and names n1: the cause is on n1."""
    cause = page("cause", effects=[{"effect": "effect", "scope": "peer"}])
    named = event("b", EFFECT, 5, node="n2", peers=(Anchor(kind="node", id="n1"),))
    graph = _graph([cause, EFFECT], [event("a", cause, 0, node="n1"), named])

    assert _pairs(graph) == {("a", "b")}


def test_chronic_and_benign_events_cause_nothing() -> None:
    """Noise that was there before does not stand at the head of an edge."""
    events = [
        event("a", CAUSE, 0, chronic=True),
        event("c", CAUSE, 0, benign="known"),
        event("b", EFFECT, 5),
    ]

    assert _pairs(_graph([CAUSE, EFFECT], events)) == set()


def test_reach_multiplies_strengths_along_the_best_path() -> None:
    """Two links of .8 reach with .64."""
    middle = page("middle", "mechanism", effects=[{"effect": "effect"}])
    first = page("first", effects=[{"effect": "middle"}])
    events = [event("a", first, 0), event("m", middle, 5), event("b", EFFECT, 10)]
    graph = _graph([first, middle, EFFECT], events)

    assert round(reach(graph, "a", DEFAULT_WEIGHTS)["b"], 2) == 0.64


def test_edges_grow_with_events_not_with_their_square() -> None:
    """Three hundred causes and effects at one hub give a bounded number of edges an effect."""
    hub = [("storage_server", "s")]
    cause = page("cause", effects=[{"effect": "effect", "scope": "server"}])
    events = [event(f"a{i}", cause, i / 10, node=f"n{i}", anchors=hub) for i in range(300)]
    events += [event(f"b{i}", EFFECT, 60 + i / 10, node=f"n{i}", anchors=hub) for i in range(300)]
    graph = _graph([cause, EFFECT], events)

    assert sum(len(edges) for edges in graph.into.values()) <= 300 * 6


def test_one_pod_is_on_one_node_even_if_nobody_names_it() -> None:
    """What a pod's own log says meets what its status says under scope node; another pod's not."""
    mine, other = [("pod", "ml/a")], [("pod", "ml/b")]
    here = event("a", CAUSE, 0, node="", anchors=mine)
    same = event("b", EFFECT, 10, node="", anchors=mine)
    elsewhere = event("c", EFFECT, 10, node="", anchors=other)

    assert _pairs(_graph([CAUSE, EFFECT], [here, same, elsewhere])) == {("a", "b")}


def test_what_one_line_tells_of_two_conditions_meets_in_that_line() -> None:
    """A message that states its own cause needs no place in common beyond itself."""
    quoting = page("cause", effects=[{"effect": "effect", "scope": "line", "definitional": True}])
    line, next_line = (Citation(evidence="E1", line=number) for number in (7, 8))
    told = [
        event("a", quoting, 0, node="n1", citations=(line,)),
        event("b", EFFECT, 0, node="n2", citations=(line,)),
        event("c", EFFECT, 0, node="n1", citations=(next_line,)),
    ]

    assert _pairs(_graph([quoting, EFFECT], told)) == {("a", "b")}


@pytest.mark.parametrize(("lasted", "explained"), [(60, True), (3600, False)])
def test_what_passes_explains_nothing_that_stays(*, lasted: float, explained: bool) -> None:
    """A start makes a thing missing for minutes; an hour later it is missing for another reason."""
    started = page("started", "change", effects=[{"effect": "gone", "passes_s": 900}])
    gone = page("gone", "symptom", damage=1)
    late = event("b", gone, 5, last=Instant(at(lasted), 0.5))
    events = [event("a", started, 0), late]

    assert bool(_pairs(_graph([started, gone], events))) is explained


NAMED = page("named", effects=[{"effect": "effect", "scope": "peer"}])
STRANGER = (Anchor(kind="node", id="10.4.2.7"),)


def test_an_address_that_no_host_owns_may_be_the_one_other_host_that_failed_then() -> None:
    """A guess, and marked as one: nothing but the time speaks for it."""
    events = [
        event("a", NAMED, 0, node="n7"),
        event("b", EFFECT, 10, node="n3", peers=STRANGER),
    ]
    graph = _graph([NAMED, EFFECT], events)

    (edge,) = graph.out["a"]
    assert (edge.effect, edge.guessed, edge.stated) == ("b", True, False)


@pytest.mark.parametrize(
    "others",
    [
        [event("c", NAMED, 1, node="n8")],
        [event("c", NAMED, 1, node="10.4.2.7")],
        [event("c", CAUSE, 1, node="n3")],
    ],
    ids=["two could be meant", "the address is known", "something else explains it"],
)
def test_nothing_is_guessed_where_evidence_tells_or_two_could_be_meant(others: list[Event]) -> None:
    """The lead would hide what is known, or pick one at random."""
    events = [
        event("a", NAMED, 0, node="n7"),
        event("b", EFFECT, 10, node="n3", peers=STRANGER),
        *others,
    ]
    graph = _graph([CAUSE, NAMED, EFFECT], events)

    assert not [e for edges in graph.out.values() for e in edges if e.guessed]


WAITS = page("waits", "symptom", damage=2, entity={"kind": "rank"})
DIES = page("dies", effects=[{"effect": "waits", "scope": "job"}])


def test_a_rank_of_no_named_job_may_wait_for_the_one_host_that_failed_then() -> None:
    """A guess as well; where its job is elsewhere, or two hosts failed, there is none."""
    died, waits = event("a", DIES, 0, node="n7"), event("b", WAITS, 10, node="n3")
    (edge,) = _graph([DIES, WAITS], [died, waits]).out["a"]
    assert (edge.effect, edge.guessed, edge.stated) == ("b", True, False)

    named = waits.model_copy(
        update={"anchors": (*waits.anchors, Anchor(kind="job", id="ml/other"))}
    )
    other = event("c", DIES, 1, node="n8")
    assert not _graph([DIES, WAITS], [died, named]).out
    assert not _graph([DIES, WAITS], [died, other, waits]).out


def test_a_job_that_nothing_places_may_be_on_the_one_host_that_failed_then() -> None:
    """Its name alone, a launcher's log say, tells of no host."""
    died = event("a", DIES, 0, node="n7")
    waits = event("b", WAITS, 10, node="", anchors=[("rank", "out/1"), ("job", "out")])
    assert [e.guessed for e in _graph([DIES, WAITS], [died, waits]).out["a"]] == [True]

    placed = event("c", EFFECT, 11, node="n3", anchors=[("job", "out")])
    assert not _graph([DIES, WAITS, EFFECT], [died, waits, placed]).out


def test_the_host_that_complains_is_not_the_peer_it_complains_of() -> None:
    """Its own port is for the links of its node."""
    events = [event("a", NAMED, 0, node="n3"), event("b", EFFECT, 10, node="n3", peers=STRANGER)]

    assert _pairs(_graph([NAMED, EFFECT], events)) == set()


@pytest.mark.parametrize(
    ("where", "said", "kept"),
    [
        ("n3", {"program": "train"}, True),
        ("n7", {"program": "train"}, True),
        ("n7", {"program": "jupyter"}, False),
    ],
    ids=["nothing of the cause's host", "the same program there", "another program there"],
)
def test_no_guess_joins_what_two_programs_say(
    *, where: str, said: dict[str, str], kept: bool
) -> None:
    """Lines that name their programs tell of one job only where the names agree."""
    died = event("a", DIES, 0, node="n7")
    waits = event("b", WAITS, 10, node="n3", fields={"program": "train"})
    graph = _graph(
        [DIES, WAITS, EFFECT], [died, waits, event("c", EFFECT, 1, node=where, fields=said)]
    )
    assert ("a", "b") in _pairs(graph) or not kept
    assert kept or ("a", "b") not in _pairs(graph)


@pytest.mark.parametrize("zone", ["unknown", "assumed"])
def test_nothing_is_guessed_by_times_that_do_not_compare(zone: Zone) -> None:
    """Only the time speaks for a guess: within half a day it speaks for none."""
    lost = Instant(at(0), 1.0, zone)
    died = event("a", DIES, 0, node="n7").model_copy(update={"start": lost})
    graph = _graph([DIES, WAITS], [died, event("b", WAITS, 10, node="n3")])
    assert bool(graph.out) is (zone == "assumed")
