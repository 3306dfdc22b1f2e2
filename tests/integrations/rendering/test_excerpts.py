"""Cited lines are gathered per capture with the numbers of all their physical lines."""

from integrations.rendering.excerpts import Excerpt, collect_excerpts
from tests.integrations.sample import build_investigation
from tools.evidence import Citation


def test_a_joined_message_counts_all_its_lines() -> None:
    """A call trace of three lines at 120 is 120-122."""
    excerpt = Excerpt((Citation(evidence="E1", line=120, text="a\nb\nc"),))

    assert excerpt.lines == "120-122"


def test_neighbours_and_overlaps_make_one_range() -> None:
    """Ranges are as short as they can be."""
    quotes = tuple(Citation(evidence="E1", line=n, text="x") for n in (90, 12, 88, 89, 89))

    assert Excerpt(quotes).lines == "12,88-90"


def test_repeats_are_dropped_and_settings_count() -> None:
    """The same line cited twice stands once; a setting's line stands too."""
    sample = build_investigation()
    twice = sample.timeline.model_copy(update={"events": sample.timeline.events * 2})

    excerpts = collect_excerpts(sample.model_copy(update={"timeline": twice}))

    assert excerpts["E1"].lines == "12,120,141"
    assert excerpts["E1"].text.count("not responding") == 1
