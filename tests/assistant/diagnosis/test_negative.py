"""Facts about absent effects, refuting conditions and rivals."""

from assistant.diagnosis.diagnose import diagnose
from assistant.diagnosis.graph import build_graph
from assistant.diagnosis.guards import Settings
from assistant.diagnosis.negative import contradicting_events, missing_effects
from assistant.diagnosis.weights import DEFAULT_WEIGHTS
from assistant.sight import Sight, Stretch, build_sight
from knowledge.page import Page
from tests.assistant.diagnosis.world import at, case, event, kernel, page, watched
from tools.evidence import Instant

EXPECTED = page("expected", "symptom", damage=1, signatures=[kernel("expected")])
OTHER = page("other", "symptom", damage=2, signatures=[kernel("other")])
SECOND = page("second", "symptom", damage=2, signatures=[kernel("second")])


def _root(name: str = "root", **link: object) -> Page:
    expected = {"effect": "expected", "expected": True, "strength": "always", **link}
    return page(name, effects=[expected, {"effect": "other"}, {"effect": "second"}])


def _missing(
    root: Page, *, sight: Sight | None = None, anchors: tuple[tuple[str, str], ...] = ()
) -> list[str]:
    pages = {p.id: p for p in (root, EXPECTED, OTHER, SECOND)}
    head = event("r", root, 0, anchors=anchors)
    events = [head, event("o", OTHER, 5)]
    graph = build_graph(events, pages, Settings(()), DEFAULT_WEIGHTS)
    links = missing_effects(head, graph, pages, sight or watched("n1"), Settings(()))
    return [link.effect for link in links]


def test_an_expected_effect_that_was_watched_for_and_did_not_come_is_missing() -> None:
    """Its source covered the whole delay and shows nothing."""
    assert _missing(_root()) == ["expected"]


def test_an_effect_that_was_there_already_is_not_missing() -> None:
    """It began too early for this link and still held: what stands in the chain is not absent."""
    root = _root(delay={"min_s": 0, "max_s": 60})
    pages = {p.id: p for p in (root, EXPECTED, OTHER, SECOND)}
    head, long_before = event("r", root, 0), event("e", EXPECTED, -1200)
    elsewhere = event("e", EXPECTED, -1200, node="n2")
    for other, missing in ((long_before, []), (elsewhere, ["expected"])):
        graph = build_graph([head, other], pages, Settings(()), DEFAULT_WEIGHTS)
        links = missing_effects(head, graph, pages, watched("n1"), Settings(()))
        assert [link.effect for link in links] == missing


def test_an_effect_is_not_missing_where_its_source_does_not_cover_the_delay() -> None:
    """A log that ends at the cause proves no absence."""
    short = build_sight(
        [Stretch("kernel", "n1", "", at(-600).timestamp(), at(1).timestamp(), "E1")]
    )

    assert _missing(_root(delay={"min_s": 0, "max_s": 3600}), sight=short) == []


def test_an_effect_is_expected_only_where_something_used_the_entity() -> None:
    """`expected_if` names the anchor that must be there."""
    root = _root(expected_if="job")

    assert _missing(root) == []
    assert _missing(root, anchors=(("job", "train"),)) == ["expected"]


def test_an_effect_is_expected_only_beyond_the_guard() -> None:
    """A cause of unknown magnitude owes nothing."""
    root = _root(guard={"field": "lost", "op": ">", "value": 1})

    assert _missing(root) == []


def test_a_missing_effect_keeps_a_root_inconclusive() -> None:
    """The strongest single term against a hypothesis."""
    root = _root()
    pages = [root, EXPECTED, OTHER, SECOND]
    events = [event("r", root, 0), event("o", OTHER, 5), event("s", SECOND, 6)]

    assert diagnose(case(pages, events)).confidence == "INCONCLUSIVE"
    with_effect = [*events, event("e", EXPECTED, 3)]
    assert diagnose(case(pages, with_effect)).confidence != "INCONCLUSIVE"


def test_a_refuting_condition_around_the_onset_contradicts() -> None:
    """A healthy reading of the same thing at the same time speaks against the fault."""
    root = page(
        "root",
        effects=[{"effect": "other"}, {"effect": "second"}],
        refuted_by=[
            {"condition": "fine", "scope": "node", "why": {"en": "it was fine", "zh": "一切正常"}}
        ],
    )
    fine = page("fine", "benign", severity="info")
    pages = {p.id: p for p in (root, fine)}
    head = event("r", root, 0)
    during = event("f", fine, -60, last=Instant(at(60)))
    after = event("g", fine, 3000)
    live = event("l", fine, -60, last=Instant(at(60)), live=True)

    assert contradicting_events(head, [during, after, live], pages) == [during]


def test_a_comparable_rival_leaves_it_open() -> None:
    """Two roots that explain the same damage equally well: neither is likely."""
    one, two = (page(n, effects=[{"effect": "other"}, {"effect": "second"}]) for n in ("a", "b"))
    events = [
        event("ra", one, 0),
        event("rb", two, 1),
        event("o", OTHER, 5),
        event("s", SECOND, 6),
    ]
    found = diagnose(case([one, two, OTHER, SECOND], events))

    assert found.confidence == "INCONCLUSIVE"
    assert {h.page for h in found.hypotheses[:2]} == {"a", "b"}


def test_a_root_that_an_effect_names_has_no_rival_that_merely_came_before() -> None:
    """The caller prints the callee's error: that beats a coincidence on the same node."""
    named = {"effect": "other", "definitional": True}
    one = page("a", effects=[named, {"effect": "second"}])
    two = page("b", effects=[{"effect": "other"}, {"effect": "second"}])
    events = [
        event("ra", one, 0),
        event("rb", two, 1),
        event("o", OTHER, 5),
        event("s", SECOND, 6),
    ]
    found = diagnose(case([one, two, OTHER, SECOND], events))

    assert (found.root_causes[0].page, found.verdict) == ("a", "fault")


def test_a_cause_further_up_replaces_the_candidate_below_it() -> None:
    """Of two roots in line, the upper one is the root."""
    low = page("low", effects=[{"effect": "other"}, {"effect": "second"}])
    high = page("high", effects=[{"effect": "low", "strength": "always"}])
    events = [
        event("h", high, 0),
        event("l", low, 3),
        event("o", OTHER, 5),
        event("s", SECOND, 6),
    ]
    found = diagnose(case([low, high, OTHER, SECOND], events))

    assert [r.page for r in found.root_causes] == ["high"]


def test_a_weak_precursor_is_a_trigger_not_the_root() -> None:
    """A condition that only sometimes leads to the root is drawn before it and not blamed."""
    low = page("low", effects=[{"effect": "other"}, {"effect": "second"}])
    early = page("early", effects=[{"effect": "low", "strength": "sometimes"}])
    events = [
        event("e", early, 0),
        event("l", low, 30),
        event("o", OTHER, 35),
        event("s", SECOND, 36),
    ]
    found = diagnose(case([low, early, OTHER, SECOND], events))

    assert [r.page for r in found.root_causes] == ["low"]
    assert found.chain[0].source == "e"
    assert found.first_anomaly == "e"
