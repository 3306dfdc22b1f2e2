"""A postmortem may name only what the handbook knows, and must teach something."""

import pytest

from knowledge.catalog import Catalog
from knowledge.past import load_postmortems
from knowledge.rules.postmortems import check_postmortems
from tests.assistant.handbook import shipped
from tests.kept_pages import cache_home
from tests.knowledge.incidents import BOTH, FRONT, NAME, incident, known

STEPS = FRONT["chain"]


def _faults(**changes: object) -> list[tuple[str, str]]:
    found = check_postmortems([incident(**changes)], Catalog(known()))
    assert {problem.page for problem in found} <= {NAME}
    return [(problem.rule, problem.text) for problem in found]


def _chain(**changes: object) -> list[object]:
    assert isinstance(STEPS, list)
    return [{**STEPS[0], **changes}, *STEPS[1:]]


@pytest.mark.uncounted
def test_the_shipped_incidents_are_sound() -> None:
    """Every page exists, every step is a link or says why not, both languages are there."""
    assert check_postmortems(load_postmortems(cache_home() / "firstfault"), shipped()) == []


def test_a_sound_one_passes() -> None:
    """Nothing is said of it."""
    assert _faults() == []


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("changes", "rule", "told"),
    [
        ({"root": "no-page"}, "resolves", "no-page"),
        ({"misled": [{"text": BOTH, "page": "no-page"}]}, "resolves", "no-page"),
        ({"decided": {"text": BOTH, "page": "no-page", "check": "look"}}, "resolves", "no-page"),
        ({"decided": {"text": BOTH, "page": "server-gone", "check": "x"}}, "resolves", "by x"),
        (
            {"chain": _chain(effect="check-fails")},
            "linked",
            "server-gone to check-fails is no link",
        ),
        ({"chain": _chain(unlinked=BOTH)}, "linked", "said to be no link, but is one"),
        ({"chain": _chain(delay={"min_s": 700, "max_s": 800})}, "delay", "longer or shorter"),
        ({"chain": _chain(delay={"min_s": 9, "max_s": 1})}, "delay", "longer or shorter"),
        ({"chain": [*_chain(), *_chain()]}, "chain", "tells a step twice"),
        ({"root": "other-1"}, "root", "other-1 causes nothing in the chain"),
        (
            {"chain": [*_chain(), {"cause": "other-1", "effect": "job-dies"}]},
            "chain",
            "other-1 hangs together with the root by no step",
        ),
        ({"phrases": {"en": ["x"]}}, "languages", "phrases lack one"),
        ({"title": {"en": "Gone", "zh": "Gone"}}, "languages", "zh is not Chinese"),
        ({"lessons": [{"aim": "detect", "text": BOTH}]}, "lesson", "no lesson prevents it"),
    ],
)
def test_each_fault_is_named(changes: dict[str, object], rule: str, told: str) -> None:
    """By rule, and in words that say where."""
    found = _faults(**changes)

    assert any(rule == name and told in text for name, text in found), found


def test_a_step_without_a_link_may_say_why() -> None:
    """What happened once need not be a rule of the handbook."""
    assert _faults(chain=_chain(cause="other-1"), root="mount-hangs") != []
    assert _faults(chain=_chain(cause="other-1", unlinked=BOTH), root="mount-hangs") == []


def test_a_symptom_is_no_root() -> None:
    """It only ever follows."""
    ends = [*_chain(), {"cause": "job-dies", "effect": "server-gone", "unlinked": BOTH}]

    assert ("root", "job-dies is symptom, which is never a cause of its own") in _faults(
        root="job-dies", chain=ends
    )


def test_what_spread_the_damage_asks_for_a_lesson_that_contains_it() -> None:
    """Else the next small fault becomes as wide."""
    pages = known()
    pages = {**pages, "check-fails": pages["check-fails"].model_copy(update={"amplifies": True})}
    taught = incident(lessons=[{"aim": "prevent", "text": BOTH}])

    (problem,) = check_postmortems([taught], Catalog(pages))

    assert problem.text == "check-fails spread the damage, but no lesson contains it"


def test_no_postmortem_takes_the_name_of_a_page() -> None:
    """One name means one thing in `kb show`."""
    pages = {**known(), NAME: known()["job-dies"]}

    (problem,) = check_postmortems([incident()], Catalog(pages))

    assert problem.text == "has the id of a page"
