"""Facts about what silence rules out."""

import pytest

from assistant.diagnosis.diagnose import diagnose
from tests.assistant.diagnosis.world import case, event, kernel, page

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
