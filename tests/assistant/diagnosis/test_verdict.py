"""Facts about what the verdict, the state and the counts agree on."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from assistant.event import Event
from tests.assistant.diagnosis.world import case, event, kernel, page, watched

CHIP = ("nvswitch", "n1/0000:05:00")
EFFECTS = [{"effect": "link-lost"}, {"effect": "channel-removed"}]
SWITCH = page(
    "switch-fatal",
    codes=["SXid 20034", "SXid 12020"],
    entity={"kind": "nvswitch"},
    severity="critical",
    lasts_s=86400,
    effects=EFFECTS,
    signatures=[kernel("fatal")],
)
WORN = page("worn", severity="warning", effects=EFFECTS, signatures=[kernel("worn")])
LINK = page("link-lost", "symptom", severity="warning", signatures=[kernel("link")])
CHANNEL = page("channel-removed", "symptom", severity="warning", signatures=[kernel("channel")])
HURT = page("hurt", "symptom", damage=1, signatures=[kernel("hurt")])
WORLD = [SWITCH, WORN, LINK, CHANNEL, HURT]


def _after() -> list[Event]:
    return [event("link", LINK, 2), event("channel", CHANNEL, 3)]


def _switch_fails() -> list[Event]:
    text = "SXid (PCI:0000:05:00.0): 20034, Fatal"
    return [event("chip", SWITCH, 0, anchors=[CHIP], text=text), *_after()]


def test_a_critical_fault_is_a_fault_before_anybody_feels_it() -> None:
    """No damage was seen yet: the cause is sure all the same, and it goes on."""
    found = diagnose(case(WORLD, _switch_fails(), window=(-60, 30)))

    assert found.verdict == "fault"
    assert found.confidence == found.root_causes[0].where.confidence != "INCONCLUSIVE"
    assert found.state.now == "ongoing"
    assert found.impact.nodes == 1


def test_what_the_verdict_leaves_open_nothing_else_calls_sure() -> None:
    """A cause of what harms nobody is no fault; then no claim is surer than the verdict."""
    found = diagnose(case(WORLD, [event("worn", WORN, 0), *_after()]))

    assert found.verdict == "inconclusive"
    cause = found.root_causes[0]
    assert {cause.confidence, cause.where.confidence, cause.why.confidence} == {"INCONCLUSIVE"}
    assert found.caps


def test_only_codes_that_the_evidence_prints_are_named() -> None:
    """A page gathers many codes; the lead is the one that was printed."""
    found = diagnose(case(WORLD, _switch_fails()))

    assert found.root_causes[0].codes == ("SXid 20034",)


def test_old_harm_elsewhere_is_not_counted() -> None:
    """What was over long before the window is neither felt now nor asked about."""
    old = event("old", HURT, -20000, node="n9", end=-20000)
    found = diagnose(case(WORLD, [old, *_switch_fails()]))

    assert found.impact.nodes == 1
    assert not any("n9" in one.what.en for one in found.missing_information)


def test_felt_on_and_impact_count_alike() -> None:
    """Both count the nodes where harm was seen."""
    events = [*_switch_fails(), event("far", LINK, 4, node="n2")]
    found = diagnose(case(WORLD, events))

    assert f"felt on {found.impact.nodes} node" in found.root_causes[0].where.text.en


def test_harm_without_a_cause_begins_with_the_harm() -> None:
    """An old fault that led to nothing is not where this one began."""
    old = page("old", signatures=[kernel("old")])
    events = [event("old", old, -86400, node="n2"), event("hurt", HURT, 0)]
    found = diagnose(case([*WORLD, old], events))

    assert found.verdict == "inconclusive"
    assert found.first_anomaly == "hurt"


@pytest.mark.parametrize(
    ("node", "before", "first"),
    [("n1", 60, "stray"), ("n2", 60, "led"), ("n1", 86400, "led")],
    ids=["the same host", "another host", "long ago"],
)
def test_what_stays_unexplained_just_before_on_what_is_hurt_came_first(
    node: str, before: float, first: str
) -> None:
    """A link that went down ten seconds before the storage did is no afterthought."""
    led = page("led", effects=[{"effect": "hurt"}], severity="critical")
    stray = page("stray")
    events = [event("stray", stray, -before, node=node), event("led", led, 0)]
    events.append(event("hurt", HURT, 5))
    found = diagnose(case([*WORLD, led, stray], events, window=(-90000, 3600)))
    assert (found.verdict, found.first_anomaly) == ("inconclusive", first)


def test_the_first_anomaly_is_no_consequence_of_what_was_seen() -> None:
    """Where nothing is singled out, the harm leads up to what it is the consequence of."""
    hurt = page("hurt", "symptom", damage=2, signatures=[kernel("hurt")], collateral_of=["flap"])
    flap = page("flap", "mechanism", signatures=[kernel("flap")])
    found = diagnose(case((flap, hurt), [event("e1", flap, 0), event("e2", hurt, 20)]))
    assert found.verdict == "inconclusive"
    assert found.first_anomaly == "e1"


def test_of_leads_that_explain_nothing_the_gravest_comes_first() -> None:
    """A warning that somebody cordoned another node is no lead where a GPU is gone."""
    cordoned = page("cordoned", "mechanism", damage=1, severity="warning")
    gone = page("gone", "mechanism", damage=1, severity="critical")
    events = [event("a", cordoned, 0), event("b", gone, 60, node="n2")]
    found = diagnose(case([cordoned, gone], events, sight=watched("n1", "n2")))

    assert [root.page for root in found.root_causes] == ["gone"]
    assert found.verdict == "inconclusive"


def test_no_lead_is_named_where_what_is_open_is_graver_than_each() -> None:
    """The question is then what nothing explains."""
    cordoned = page("cordoned", "mechanism", damage=1, severity="warning")
    away = page("away", "symptom", damage=1, severity="error")
    events = [event("a", cordoned, 0), event("b", away, 60, node="n2")]
    found = diagnose(case([cordoned, away], events, sight=watched("n1", "n2")))

    assert not found.root_causes
    assert "b" in found.unexplained


def test_a_lead_that_explains_the_damage_is_not_replaced_by_a_graver_one() -> None:
    """Rivals keep it from being sure; severity is no reason to believe the other."""
    upgraded = page("upgraded", "change", severity="warning", effects=[{"effect": "mismatch"}])
    killed = page(
        "killed", severity="critical", effects=[{"effect": "mismatch", "strength": "often"}]
    )
    mismatch = page("mismatch", "symptom", damage=2)
    events = [event("a", upgraded, 0), event("b", killed, 30), event("c", mismatch, 60)]
    found = diagnose(case([upgraded, killed, mismatch], events, sight=watched("n1")))

    assert found.root_causes[0].page == found.hypotheses[0].page == "upgraded"


def test_a_likely_root_elsewhere_is_not_hidden_by_one_that_is_only_a_lead() -> None:
    """With nothing in common, the sure one gives the verdict and the other stands beside it."""
    effects = [{"effect": "lost"}, {"effect": "gone"}]
    sure = page("sure", severity="critical", effects=effects)
    lost, gone = page("lost", "symptom", damage=1), page("gone", "symptom", damage=1)
    lead = page("lead", "mechanism", damage=2, effects=[{"effect": "blocked"}])
    blocked = page("blocked", "symptom", damage=3)
    events = [
        event("a", lead, 0, node="n2"), event("b", blocked, 60, node="n2"),
        event("c", sure, 30), event("d", lost, 31), event("e", gone, 32),
    ]  # fmt: skip
    found = diagnose(case([sure, lost, gone, lead, blocked], events, sight=watched("n1", "n2")))

    assert [root.page for root in found.root_causes] == ["sure", "lead"]
    assert found.verdict == "fault"
