"""The real Prometheus answers queries over a scenario's samples."""

import json

import pytest

from evals.replay import prometheus as server
from evals.scenarios.build import load
from evals.writers.prometheus import answer_queries

pytestmark = pytest.mark.skipif(not server.is_available(), reason="Prometheus is not installed")


def test_prometheus_sees_the_memory_climb() -> None:
    """The victim's working set rises to the limit; a rate over a counter works too."""
    recording = load("cgroup-oom-137").record(5, 0.001)
    wanted = (
        ("memory", "max by (pod) (max_over_time(container_memory_working_set_bytes[1h]))"),
        ("ready", 'kube_node_status_condition{condition="Ready",status="true"} == 0'),
    )
    found = {answer.name: json.loads(answer.body) for answer in answer_queries(recording, wanted)}
    results = found["memory"]["data"]["result"]
    peaks = {r["metric"]["pod"]: max(float(value) for _, value in r["values"]) for r in results}
    victim = recording.facts["pod"].partition("/")[2]
    assert max(peaks, key=lambda pod: peaks[pod]) == victim
    assert found["ready"]["status"] == "success"
    assert found["ready"]["data"]["result"] == []
