import pytest

from knowledge.problem import Problem
from knowledge.rules.kinds import check
from tests.knowledge.pages import XID, page

KNOWN = frozenset({"node", "gpu", "pod"})
OF_A_GPU = {"kind": "gpu", "anchors": ["node"]}


@pytest.mark.parametrize("named", ["gpu", "node"])
def test_an_event_may_be_of_any_kind_that_its_page_speaks_of(named: str) -> None:
    """A line that names no GPU is an event of the node, if the page lists nodes among its kinds."""
    line = {**XID, "entity": {named: "{host}"}}
    assert list(check(page("a", entity=OF_A_GPU, signatures=[line]), KNOWN)) == []


def test_an_event_of_a_kind_that_its_page_does_not_speak_of_is_a_warning() -> None:
    """Its subject would be chosen by chance."""
    line = {**XID, "entity": {"pod": "{pod}"}}
    assert list(check(page("a", entity=OF_A_GPU, signatures=[line]), KNOWN)) == [
        Problem(
            "a", "entity", "signature line names none of gpu, node, the page's kinds", "warning"
        )
    ]


def test_a_setting_needs_no_subject() -> None:
    """Only events are of something."""
    line = {**XID, "yields": "setting", "settings": {"s": "pid"}, "entity": {}}
    assert list(check(page("a", entity=OF_A_GPU, signatures=[line]), KNOWN)) == []


def test_a_caution_is_about_kinds_that_there_are() -> None:
    """A misspelt kind would spare nothing."""
    advice = {"text": {"en": "Not", "zh": "不"}, "why": {"en": "So", "zh": "因"}, "about": ["gpus"]}
    (found,) = check(page("a", entity=OF_A_GPU, signatures=[XID], do_not=[advice]), KNOWN)
    assert found.text == "caution 'Not': no entity kind is called 'gpus'"
