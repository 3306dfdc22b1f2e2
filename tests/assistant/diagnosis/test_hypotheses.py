"""Facts about candidates that are one thing, and about what may stand at the head."""

from assistant.diagnosis.diagnose import diagnose, rank_causes
from assistant.diagnosis.weights import Weights
from tests.assistant.diagnosis.world import at, case, event, page
from tools.evidence import Instant

ROOT = page("root", effects=[{"effect": "one"}, {"effect": "two"}])
ONE = page("one", "symptom", damage=2)
TWO = page("two", "symptom", damage=2)
PAGES = [ROOT, ONE, TWO]


def test_one_condition_told_twice_of_one_thing_is_no_rival_of_itself() -> None:
    """Two bursts of the same condition on the same entity are one hypothesis."""
    events = [
        event("r1", ROOT, 0),
        event("r2", ROOT, 3),
        event("o", ONE, 5),
        event("t", TWO, 6),
    ]
    found = diagnose(case(PAGES, events))

    assert found.confidence != "INCONCLUSIVE"
    assert len(found.root_causes) == 1


def test_a_known_or_chronic_root_is_not_blamed() -> None:
    """A node in repair since yesterday and a message that always comes are listed, not counted."""
    events = [
        event("r1", ROOT, 0, known=True),
        event("r2", ROOT, 3, chronic=True),
        event("o", ONE, 5),
        event("t", TWO, 6),
    ]

    assert diagnose(case(PAGES, events)).root_causes == ()


def test_what_was_over_too_soon_to_harm_anything_is_no_lead() -> None:
    """A link that was away for 5 s, where every victim bears 20 s, is nobody's cause."""
    guard = {"field": "duration_s", "op": ">=", "value": 20}
    blip = page("blip", effects=[{"effect": "one", "guard": guard}])
    other = page("other", severity="error")
    once = Instant(at(0), 0.5)
    short, long = (event("b", blip, 0, end=end, last=once) for end in (5, 50))
    beside = event("x", other, 10)

    assert [h.page for h in diagnose(case([blip, ONE, other], [short, beside])).hypotheses] == [
        "other"
    ]
    assert "blip" in {h.page for h in diagnose(case([blip, ONE, other], [long, beside])).hypotheses}


def test_what_comes_again_and_again_is_a_lead_however_short_each_time_was() -> None:
    """A port that flaps six times in an hour is to be looked at."""
    guard = {"field": "duration_s", "op": ">=", "value": 20}
    blip = page("blip", effects=[{"effect": "one", "guard": guard}], severity="error")
    flaps = [
        event(f"b{n}", blip, 60 * n, end=60 * n + 5, last=Instant(at(60 * n), 0.5))
        for n in range(6)
    ]

    assert {h.page for h in diagnose(case([blip, ONE], flaps)).hypotheses} == {"blip"}
    assert diagnose(case([blip, ONE], flaps[:5])).hypotheses == ()


def test_a_weak_precursor_gets_no_credit_for_what_the_root_did() -> None:
    """With noise on every weight a condition that only sometimes leads there never takes over."""
    early = page("early", effects=[{"effect": "root", "strength": "sometimes"}])
    events = [
        event("e", early, -100),
        event("r", ROOT, 0),
        event("o", ONE, 5),
        event("t", TWO, 6),
    ]
    world = case([early, *PAGES], events)
    firsts = {
        rank_causes(world, Weights(sigma=1.0, seed=seed))[0].picks[0].event.page
        for seed in range(60)
    }

    assert firsts == {"root"}


def test_a_change_that_does_harm_of_its_own_is_but_the_trigger_of_the_root_that_it_woke() -> None:
    """What passes with the change may outnumber what stayed; the root that was seen is named."""
    away = page("away", "symptom", damage=2)
    woken = [{"effect": "root", "strength": "sometimes"}]
    start = page("start", "change", effects=[*woken, {"effect": "away"}, {"effect": "one"}])
    events = [
        event("s", start, -100),
        event("a", away, -90),
        event("r", ROOT, 0),
        event("o", ONE, 5),
        event("t", TWO, 6),
    ]
    world = case([start, away, *PAGES], events)
    ranking, _ = rank_causes(world, Weights())

    assert ranking.picks[0].event.page == "root"


def test_a_change_alone_is_named() -> None:
    """Where the root that it might have woken was not seen, nothing stands in its place."""
    start = page("start", "change", effects=[{"effect": "one"}, {"effect": "two"}])
    events = [event("s", start, -100), event("o", ONE, 5), event("t", TWO, 6)]
    ranking, _ = rank_causes(case([start, *PAGES], events), Weights())

    assert ranking.picks[0].event.page == "start"
