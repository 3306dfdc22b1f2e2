"""Sightings of one condition on one thing, folded while they stream past."""

from datetime import timedelta

from assistant.burst import Fold, Place, Sighting
from tests.assistant.items import T0, at
from tests.assistant.pages import HANDBOOK
from tools.evidence import Channel


def _sighting(channel: Channel, seconds: float, until: float, evidence: str) -> Sighting:
    return Sighting(
        page="node-not-ready",
        entity=("node", "n1"),
        clock="host:n1",
        channel=channel,
        time=at(seconds),
        last=at(until),
        place=Place(evidence, 3, evidence),
    )


def test_what_another_channel_says_while_a_state_holds_is_cited_too() -> None:
    """A state that was read lasts from its start to its capture; a line lies between the two."""
    fold = Fold(HANDBOOK.pages)
    fold.add(_sighting("reading", 0, 100, "E1"))
    fold.add(_sighting("app", 50, 50, "E2"))
    (burst,) = fold.bursts()
    assert {place.evidence for place in burst.places} == {"E1", "E2"}
    assert burst.last.utc == T0 + timedelta(seconds=100)
