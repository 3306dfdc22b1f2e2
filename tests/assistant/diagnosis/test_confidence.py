"""Facts about how sure a cause is."""

from assistant.diagnosis.diagnose import diagnose
from assistant.event import Event
from tests.assistant.diagnosis.world import case, event, kernel, page, watched
from tools.evidence import Citation

LINE = Citation(evidence="E1", line=7, text="segment refused: No space left on device")
QUOTING = page(
    "full", effects=[{"effect": "refused", "scope": "line", "definitional": True}], damage=2
)
REFUSED = page("refused", "symptom", damage=2)


def _told(*citations: Citation) -> list[Event]:
    return [
        event("a", QUOTING, 0, citations=citations, channels=frozenset({"app"})),
        event("b", REFUSED, 0, citations=citations, channels=frozenset({"app"})),
    ]


def test_a_line_that_states_its_own_cause_needs_no_other_witness() -> None:
    """It names cause and effect, so no log that was not read could show another cause."""
    found = diagnose(case([QUOTING, REFUSED], _told(LINE), sight=watched()))

    assert found.verdict == "fault"
    assert found.root_causes[0].page == "full"


def test_two_lines_that_came_together_are_no_such_statement() -> None:
    """What merely stood beside it may have another cause."""
    cause, effect = _told(LINE)
    apart = effect.model_copy(update={"citations": (LINE.model_copy(update={"line": 9}),)})
    found = diagnose(case([QUOTING, REFUSED], [cause, apart], sight=watched()))

    assert found.verdict == "inconclusive"


def test_an_unread_kernel_log_matters_where_a_rival_would_stand_in_it() -> None:
    """A root that was seen is open only to causes that its effects may have."""
    effects = [{"effect": "refused"}, {"effect": "lost"}]
    seen = page("seen", effects=effects, damage=2)
    lost = page("lost", "symptom", damage=1)
    rival = page("rival", effects=[{"effect": "lost"}], signatures=[kernel("rival")])
    events = [
        event(name, of, seconds, channels=frozenset({"service"}))
        for name, of, seconds in (("a", seen, 0), ("b", REFUSED, 9), ("c", lost, 9))
    ]

    assert diagnose(case([seen, lost, REFUSED], events, sight=watched())).verdict == "fault"
    told = diagnose(case([seen, lost, REFUSED, rival], events, sight=watched()))
    assert told.verdict == "inconclusive"


def test_a_line_that_explains_only_itself_is_no_answer_while_other_damage_is_open() -> None:
    """That it happened is certain; that it is what broke the rest is not."""
    other = page("lost", "symptom", damage=1, severity="critical")
    elsewhere = event("c", other, 600, node="n2")
    pages = [QUOTING, REFUSED, other]
    found = diagnose(case(pages, [*_told(LINE), elsewhere], sight=watched()))

    assert found.verdict == "inconclusive"
    assert not found.root_causes  # the other is graver


def test_one_act_that_several_logs_tell_is_one_kind_of_effect() -> None:
    """Kernel and service manager speak of the same death; another layer's loss is another kind."""
    quoting = [{"effect": name, "definitional": True} for name in ("seen-dead", "told-dead")]
    killer = page("killer", effects=[*quoting, {"effect": "job-lost"}], damage=2)
    dead = [page(name, "symptom", damage=1) for name in ("seen-dead", "told-dead")]
    lost = page("job-lost", "symptom", damage=2, layer="application")
    events = [event("a", killer, 0), event("b", dead[0], 1), event("c", dead[1], 2)]

    told = diagnose(case([killer, *dead, lost], events, sight=watched()))
    assert told.hypotheses[0].kinds == 1
    more = diagnose(case([killer, *dead, lost], [*events, event("d", lost, 3)], sight=watched()))
    assert more.hypotheses[0].kinds == 2
