"""Facts about what silence rules out."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.world import case, event, kernel, page, watched

REBOOTED = page("rebooted", "symptom", damage=2, signatures=[kernel("rebooted")])


@pytest.mark.parametrize(("unwritten", "names"), [(False, {"panic"}), (True, set[str]())])
def test_silence_does_not_rule_out_what_silences_the_log(
    *, unwritten: bool, names: set[str]
) -> None:
    """A host that dies at once writes nothing: its log may be whole and still say no word."""
    panic = page(
        "panic", effects=[{"effect": "rebooted"}], signatures=[kernel("panic")], unwritten=unwritten
    )
    found = diagnose(case((panic, REBOOTED), [event("e1", REBOOTED, 0)]))
    assert {row.page for row in found.ruled_out} == names


def _broken_card(*, logged: bool) -> set[str]:
    """Diagnose a rebooted node whose card reads well afterwards; name what is ruled out."""
    well = page("well", "benign")
    lost = page("lost", effects=[{"effect": "rebooted"}], signatures=[kernel("lost")])
    card = page(
        "card",
        effects=[{"effect": "rebooted"}],
        stands_for=["lost"],
        refuted_by=[{"condition": "well", "scope": "node", "why": {"en": "well", "zh": "好"}}],
    )
    events = [event("e1", REBOOTED, 0), event("e2", well, 90)]
    sight = watched("n1") if logged else watched("n2")
    found = diagnose(case((card, lost, well, REBOOTED), events, sight=sight))
    return {row.page for row in found.ruled_out}


def test_a_good_reading_afterwards_clears_no_hardware_without_the_log_of_then() -> None:
    """The log of the time clears it; a reading of now only adds to that."""
    assert "card" in _broken_card(logged=True)
    assert "card" not in _broken_card(logged=False)
