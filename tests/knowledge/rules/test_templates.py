import pytest

from knowledge.rules.templates import check
from tests.knowledge.pages import NFS, XID, page

STATE = {
    "id": "s",
    "source": "object",
    "kind": "Node",
    "where": [{"field": "spec.unschedulable", "op": "==", "value": True}],
    "entity": {"node": "{metadata.name}"},
    "fields": {"reason": "spec.reason"},
    "examples": [{"metadata": {"name": "n1"}, "spec": {"unschedulable": True, "reason": "x"}}],
}
METRIC = {
    "id": "m",
    "source": "metric",
    "query": "q",
    "expr": "x",
    "op": ">",
    "value": 5,
    "entity": {"node": "{instance}"},
    "examples": [{"instance": "n1", "value": 9}],
}
MOUNTS = ({"kind": "mount", "id": "{host}:{server}"}, {"kind": "storage_server", "id": "{server}"})


@pytest.mark.parametrize(
    ("signature", "told"),
    [
        (XID, ""),
        ({**XID, "entity": {"gpu": "{uuid}"}}, "{uuid}, which is no named group"),
        ({**XID, "fields": {"name": "text"}}, "field name is no named group"),
        ({**XID, "yields": "setting", "settings": {"x_s": "took"}}, "reads took"),
        ({**XID, "settings": {"pid": "pid"}}, "belong together"),
        ({**XID, "reckons": {"twice": "pid + pid"}}, ""),
        ({**XID, "reckons": {"x": "pid - total"}}, "from total, which is none of its fields"),
        ({**XID, "reckons": {"x": "pid * 2"}}, "no sum of fields"),
        ({**XID, "where": [{"field": "size", "op": ">", "value": 1}]}, "tests size"),
        ({**XID, "where": [{"field": "pid", "op": ">", "value_of": "y"}]}, "tests y"),
        ({**NFS, "yields": "relation"}, "two or more entities"),
        ({**NFS, "yields": "relation", "relation": MOUNTS}, ""),
        (
            {**XID, "ends": {"literal": "GPU is back", "regex": "GPU is back"}},
            "the ending does not name bdf",
        ),
        (METRIC, ""),
        ({**METRIC, "examples": [{"value": 9}]}, "no label instance"),
        (STATE, ""),
        ({**STATE, "entity": {"node": "{metadata.uid}"}}, "nothing at metadata.uid"),
        ({**STATE, "fields": {"x": "status.x"}}, "no example has a value for field x"),
    ],
)
def test_names_are_known_where_used(signature: dict[str, object], told: str) -> None:
    """Groups, labels and paths that a template needs exist in its samples."""
    problems = [problem.text for problem in check(page("a", signatures=[signature]))]
    assert len(problems) == bool(told)
    assert all(told in text for text in problems)
