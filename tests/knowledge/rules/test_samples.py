import pytest

from knowledge.rules.samples import check
from tests.knowledge.pages import NFS, page

LINE = "nfs: server 10.0.0.10 not responding, still trying"
METRIC = {
    "id": "m",
    "source": "metric",
    "query": "q",
    "expr": "x",
    "op": ">",
    "value": 5,
    "examples": [{"value": 9}],
}
STATE = {
    "id": "s",
    "source": "reading",
    "kind": "gpu",
    "where": [{"field": "temperature_c", "op": ">", "value": 90}],
    "examples": [{"temperature_c": 95}],
}


@pytest.mark.parametrize(
    ("signature", "rules"),
    [
        (NFS, []),
        ({**NFS, "examples": ["not responding, still trying"]}, ["example"]),
        ({**NFS, "examples": ["nfs: server x OK"]}, ["literal"]),
        ({**NFS, "not_examples": [LINE]}, ["not-example"]),
        ({**NFS, "regex": "("}, []),
        (METRIC, []),
        ({**METRIC, "examples": [{"value": 1}]}, ["example"]),
        ({**METRIC, "examples": [{"instance": "n1"}]}, ["example"]),
        ({**METRIC, "not_examples": [{"value": 6}]}, ["not-example"]),
        (STATE, []),
        ({**STATE, "examples": [{"temperature_c": 20}]}, ["example"]),
        ({**STATE, "not_examples": [{"temperature_c": 99}]}, ["not-example"]),
    ],
)
def test_samples_are_tried(signature: dict[str, object], rules: list[str]) -> None:
    """Examples must hold, negatives must not; what does not compile is reported elsewhere."""
    assert [problem.rule for problem in check(page("a", signatures=[signature]))] == rules
