import pytest

from knowledge.rules.links import check
from tests.knowledge.pages import NFS, XID, catalog, page

LINK = {"effect": "b", "scope": "node", "strength": "often", "delay": {"max_s": 5}}
WHY = {"en": "Speaks against it.", "zh": "与之矛盾。"}
METRIC = {
    "id": "m",
    "source": "metric",
    "query": "q",
    "expr": "x",
    "op": ">",
    "value": 5,
    "examples": [{"value": 9}],
}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"causes": [{**LINK, "effect": "gone"}]}, "resolves"),
        ({"causes": [{**LINK, "effect": "a"}]}, "resolves"),
        ({"refuted_by": [{"condition": "gone", "scope": "node", "why": WHY}]}, "resolves"),
        ({"distinguish": [{"other": "gone", "check": "look", "means": WHY}]}, "resolves"),
        ({"distinguish": [{"other": "b", "check": "other", "means": WHY}]}, "resolves"),
        ({"causes": [{**LINK, "scope": "line"}]}, "line"),
        ({"collateral_of": ["gone"]}, "resolves"),
        ({"stands_for": ["gone"]}, "resolves"),
        ({"infer": {"over": "server", "effects": ["b"]}}, "infer"),
        ({"causes": [{**LINK, "effect": "silent", "expected": True}]}, "expected"),
        ({"role": "symptom"}, "symptom"),
        ({"causes": [{**LINK, "when": {"errno": "5"}}]}, "fields"),
        (
            {"causes": [{**LINK, "guard": {"field": "lost_s", "op": ">", "value": 9}}]},
            "fields",
        ),
        ({"begins_before": {"max_s": 9, "setting": "unseen_s"}}, "fields"),
        (
            {"benign_when": [{"when": [{"field": "x", "op": "exists"}], "why": WHY}]},
            "fields",
        ),
    ],
)
def test_a_reference_must_resolve_and_make_sense(changes: dict[str, object], rule: str) -> None:
    """One wrong reference, one problem."""
    pages = page("a", **changes), page("b", signatures=[NFS]), page("silent")
    assert [problem.rule for problem in check(catalog(*pages))] == [rule]


def test_a_link_within_one_line_needs_a_line_that_shows_both() -> None:
    """Cause and effect are told by one and the same sample."""
    told = {**NFS, "id": "told", "literal": "nfs: server", "regex": "nfs: server .* not responding"}
    pages = [
        page("a", signatures=[told], causes=[{**LINK, "scope": "line"}]),
        page("b", signatures=[NFS]),
    ]
    assert list(check(catalog(*pages))) == []


def test_a_symptom_needs_damage_or_a_cause() -> None:
    """Either is enough."""
    pages = [
        page("a", role="symptom", damage=1),
        page("b", role="symptom"),
        page("c", causes=[LINK]),
    ]
    assert list(check(catalog(*pages))) == []


def test_what_stands_for_the_unknown_needs_no_cause() -> None:
    """Nothing can be known to cause what no page knows."""
    spare = {**NFS, "fallback": True}
    assert list(check(catalog(page("a", role="symptom", signatures=[spare])))) == []


def test_definitional_links_have_no_circle() -> None:
    """A line cannot quote a cause that quotes it."""
    pages = [
        page("a", causes=[{**LINK, "effect": "b", "definitional": True}]),
        page("b", causes=[{**LINK, "effect": "a", "definitional": True}]),
    ]
    assert [(p.page, p.rule) for p in check(catalog(*pages))] == [("a", "circle"), ("b", "circle")]


def test_a_query_name_means_one_expression() -> None:
    """Or the bundle could not tell whose answer it holds."""
    pages = [
        page("a", signatures=[METRIC]),
        page("b", signatures=[{**METRIC, "expr": "y"}]),
    ]
    (problem,) = check(catalog(*pages))
    assert problem.text == "query q is another expression on page a"


def test_fields_and_settings_that_exist_are_accepted() -> None:
    """A field of the effect, a setting of any page."""
    reader = {**XID, "yields": "setting", "settings": {"lost_s": "pid"}}
    causes = [{**LINK, "when": {"pid": "1"}}]
    before = {"max_s": 9, "setting": "lost_s"}
    pages = [
        page("a", causes=causes, begins_before=before),
        page("b", signatures=[XID]),
        page("c", role="context", signatures=[reader]),
    ]
    assert list(check(catalog(*pages))) == []


def test_a_setting_may_be_reckoned_from_others() -> None:
    """The NFS client's major timeout follows from timeo and retrans: read both, and it is there."""
    waits = page("a", begins_before={"max_s": 180, "setting": "nfs_major_timeout_s"})
    options = {
        **NFS,
        "yields": "setting",
        "regex": r"not responding, still trying(?P<timeo>\d*)(?P<retrans>\d*)",
        "ends": None,
        "peer": {},
        "fields": {"timeo": "int", "retrans": "int"},
        "settings": {"nfs_timeo_s": "timeo", "nfs_retrans": "retrans"},
    }
    reads = page("b", role="context", signatures=[options])
    half = page("b", role="context", signatures=[{**options, "settings": {"nfs_timeo_s": "timeo"}}])
    assert list(check(catalog(waits, reads))) == []
    assert [problem.rule for problem in check(catalog(waits, half))] == ["fields"]
