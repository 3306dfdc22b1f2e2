"""The same input has the same fingerprint, whenever it is looked at."""

from datetime import timedelta

from assistant.fingerprint import fingerprint
from tests.integrations.sample import build_investigation


def test_a_live_look_of_the_same_scope_and_day_is_the_same_incident() -> None:
    """Live evidence is never the same twice, so scope, cluster and day tell."""
    sample = build_investigation()
    first = sample.model_copy(update={"evidence": sample.evidence[5:6]})
    later = first.model_copy(update={"generated_at": sample.generated_at + timedelta(minutes=9)})
    other = later.model_copy(update={"evidence": sample.evidence[:1]})

    assert fingerprint(first) == fingerprint(later)
    assert fingerprint(first) != fingerprint(other)
