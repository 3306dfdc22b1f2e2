import pytest

from knowledge.rules.patterns import check
from tests.knowledge.pages import NFS, page

STATE = {
    "id": "s",
    "source": "object",
    "kind": "Node",
    "where": [{"field": "status", "op": "exists"}],
    "examples": [{"status": "x"}],
}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"regex": "(unclosed"}, "compiles"),
        ({"regex": "(?<=look)behind"}, "compiles"),
        ({"unit": "["}, "compiles"),
        ({"ends": {"literal": "long enough", "regex": "*"}}, "compiles"),
        ({"literal": "short"}, "literal"),
        ({"literal": "Timeout"}, "literal"),
        ({"literal": ""}, "literal"),
        ({"ends": {"literal": "OK", "regex": "OK"}}, "literal"),
    ],
)
def test_a_bad_expression_or_literal_is_found(change: dict[str, object], rule: str) -> None:
    """RE2 has no look-around; a literal must be selective."""
    assert [p.rule for p in check(page("a", signatures=[{**NFS, **change}]))] == [rule]


@pytest.mark.parametrize(
    "change",
    [
        {"where": [{"field": "a..b", "op": "exists"}]},
        {"where": [{"field": "a", "op": "matches", "value": "("}]},
        {"where": [{"field": "a", "op": "==", "value_of": "b["}]},
        {"each": "items."},
        {"entity": {"node": "{metadata.}"}},
        {"fields": {"x": '"open'}},
    ],
)
def test_a_bad_path_is_found(change: dict[str, object]) -> None:
    """Paths of tests, lists, templates and fields are all parsed."""
    assert [p.rule for p in check(page("a", signatures=[{**STATE, **change}]))] == ["compiles"]


def test_a_fallback_needs_no_literal() -> None:
    """It is tried only where no literal led anywhere."""
    assert list(check(page("a", signatures=[{**NFS, "literal": "", "fallback": True}]))) == []


def test_link_attributes_are_compiled() -> None:
    """A `when` that does not compile would never exclude anything."""
    link = {"effect": "b", "scope": "node", "strength": "often", "delay": {"max_s": 5}}
    (problem,) = check(page("a", causes=[{**link, "when": {"errno": "("}}]))
    assert "link to b, when errno" in problem.text


def test_an_event_may_do_without_literal() -> None:
    """Its reason selects it."""
    signature = {**NFS, "source": "event", "reason": "Evicted", "literal": "", "ends": None}
    assert list(check(page("a", signatures=[signature]))) == []
