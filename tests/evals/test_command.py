"""`firstfault eval` keeps the contract."""

import json

import pytest
from typer.testing import CliRunner

from evals.command import app

SUMMARY = {
    "families", "cases", "root_exact", "layer", "first_anomaly", "chain_f1", "forbidden", "unsafe",
    "false_alarm", "confirmed_precision", "en_zh_gap", "clean_perturbed_gap", "seconds",
}  # fmt: skip


def test_a_scenario_is_judged_as_json() -> None:
    """One case, its scores, its seed."""
    done = CliRunner().invoke(
        app, ["cgroup-oom-137", "-o", "json", "--seed", "7", "--scale", "0.002"]
    )
    document = json.loads(done.stdout)
    assert done.exit_code == 0
    assert document["summary"].keys() >= SUMMARY
    assert document["summary"]["cases"] == 1
    assert document["seeds"] == [7]
    assert document["cases"][0]["id"] == "cgroup-oom-137/7"
    assert {"family", "perturbation", "scores", "miss"} <= document["cases"][0].keys()


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_unknown_scenario_is_not_found(form: str) -> None:
    """Exit code 3, and an error as the contract writes it."""
    done = CliRunner().invoke(app, ["no-such", "-o", form])
    assert done.exit_code == 3
    if form == "json":
        assert json.loads(done.stdout)["error"]["code"] == "not_found"
    else:
        assert "no-such" in done.stderr
