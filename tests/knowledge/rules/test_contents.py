import pytest

from knowledge.rules.contents import check
from tests.knowledge.pages import NFS, page

LINK = {"effect": "b", "scope": "node", "strength": "often", "delay": {"min_s": 9, "max_s": 5}}
REMEDY = {
    "id": "wipe",
    "title": {"en": "Wipe", "zh": "清空"},
    "stage": "recover",
    "risk": "R4",
}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"sources": []}, "sourced"),
        ({"checks": []}, "check"),
        ({"traps": []}, "trap"),
        ({"title": {"en": "A", "zh": "B"}}, "languages"),
        ({"traps": [{"en": "故障", "zh": "故障"}]}, "languages"),
        ({"causes": [LINK]}, "delay"),
        ({"begins_before": {"min_s": 2, "max_s": 1}}, "delay"),
        ({"signatures": [NFS, NFS]}, "unique"),
        ({"role": "context", "signatures": [NFS]}, "role"),
        ({"role": "symptom", "infer": {"over": "server", "effects": ["b"]}}, "role"),
        ({"progress": True}, "role"),
        ({"remedies": [REMEDY]}, "risk"),
    ],
)
def test_what_a_page_lacks_is_said(changes: dict[str, object], rule: str) -> None:
    """One rule is broken, one problem is found."""
    assert [problem.rule for problem in check(page("a", **changes))] == [rule]


def test_nested_sentences_are_read() -> None:
    """A check's `tells` deep inside the page must be Chinese too."""
    checks = [{"id": "x", "command": ["uptime"], "tells": {"en": "Up?", "zh": "Up?"}}]
    (problem,) = check(page("a", checks=checks))
    assert problem.text == "zh is not Chinese: 'Up?'"
