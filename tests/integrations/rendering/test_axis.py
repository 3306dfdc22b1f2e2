"""The axis holds the incident, not the noise of last week."""

from datetime import UTC, datetime, timedelta

import pytest

from integrations.rendering.axis import Axis, choose_step, fit_axis
from integrations.rendering.view import View
from tests.integrations.sample import build_investigation
from tests.integrations.sample_world import START
from tools.evidence import Instant

HOUR = START.timestamp()


def test_it_fits_the_chain_with_a_margin(view: View) -> None:
    """From the disk's first error to the last node's recovery."""
    axis = fit_axis(view)

    assert axis is not None
    assert HOUR + 18 * 60 < axis.low < HOUR + 19 * 60
    assert HOUR + 31.5 * 60 < axis.high < HOUR + 33 * 60


def test_an_old_event_does_not_stretch_it(view: View) -> None:
    """What the chain does not name lies outside."""
    sample = build_investigation()
    old = sample.timeline.events[3].model_copy(
        update={"id": "ev99", "start": Instant(START - timedelta(days=9))},
    )
    events = (old, *sample.timeline.events)
    timeline = sample.timeline.model_copy(update={"events": events})

    stretched = fit_axis(
        View(sample.model_copy(update={"timeline": timeline}), view.pages, view.words)
    )

    assert stretched == fit_axis(view)


def test_nothing_to_draw_has_no_axis(view: View) -> None:
    """No events, no figure."""
    empty = view.investigation.timeline.model_copy(update={"events": ()})
    bare = view.investigation.model_copy(update={"timeline": empty, "diagnosis": None})

    assert fit_axis(View(bare, view.pages, view.words)) is None


@pytest.mark.parametrize(("span", "step"), [(60, 10), (3600, 600), (86400, 21600), (1e9, 1e9 / 9)])
def test_steps_are_round(span: float, step: float) -> None:
    """At most nine pieces, of a length people count in."""
    assert choose_step(span, 9) == step


def test_ticks_stand_at_round_moments_in_order() -> None:
    """Labels are UTC and places rise."""
    axis = Axis(HOUR + 17, HOUR + 1817)

    ticks = axis.ticks()

    assert [label for _, label in ticks][:2] == ["02:05", "02:10"]
    assert [place for place, _ in ticks] == sorted(place for place, _ in ticks)
    moment = datetime(2025, 6, 20, 2, 5, tzinfo=UTC).timestamp()
    assert ticks[0][0] == axis.place(moment)


def test_places_are_held_inside() -> None:
    """What lies beyond is drawn at the edge, never outside the figure."""
    axis = Axis(0, 10)

    assert (axis.place(-5), axis.place(5), axis.place(50)) == (0.0, 0.5, 1.0)
    assert axis.holds(8, 99)
    assert not axis.holds(11, 99)
