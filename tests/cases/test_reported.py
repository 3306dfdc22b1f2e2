"""Incidents that operators reported lead to the verdict, layer, root and look that were right."""

import pytest
from _pytest.mark import ParameterSet

from tests.assistant.handbook import shipped
from tests.cases.reported import ASPECTS, Aspect, expected, misses, scored, slugs

KNOWN = misses()
ENOUGH = 0.9


def _point(*values: str, miss: str | None) -> ParameterSet:
    marks = [pytest.mark.xfail(reason=miss, strict=True)] if miss else []
    return pytest.param(*values, id="-".join(values), marks=marks)


POINTS = [
    _point(slug, aspect, miss=KNOWN.incidents.get(slug, {}).get(aspect))
    for slug in slugs()
    for aspect in ASPECTS
]


@pytest.mark.parametrize(("slug", "aspect"), POINTS)
def test_a_reported_incident_is_understood(slug: str, aspect: Aspect) -> None:
    """What the account of the incident established follows from its own lines."""
    found = scored(slug)
    assert found.right[aspect], f"{expected(slug).why}\n{found.said}"


@pytest.mark.parametrize("aspect", [_point(a, miss=KNOWN.shares.get(a)) for a in ASPECTS])
def test_nine_in_ten_are_right(aspect: Aspect) -> None:
    """Over all incidents, each aspect is right nearly always."""
    right = [slug for slug in slugs() if scored(slug).right[aspect]]
    assert len(right) >= ENOUGH * len(slugs()), f"{len(right)} of {len(slugs())}"


@pytest.mark.parametrize("slug", slugs())
def test_an_expectation_can_be_met_or_says_what_is_not_written_yet(slug: str) -> None:
    """Each root is a page of the handbook, or the cause is put in words."""
    wanted, known = expected(slug), {*shipped().pages}
    assert {*wanted.roots} & known or wanted.condition
    assert {*wanted.never} <= known


def test_every_known_miss_is_of_an_incident_that_is_there() -> None:
    """No entry outlives its incident, and each says why."""
    assert {*KNOWN.incidents} <= {*slugs()}
    assert all(reason for aspects in KNOWN.incidents.values() for reason in aspects.values())
