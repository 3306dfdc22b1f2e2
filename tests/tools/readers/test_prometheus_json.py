"""Answers of Prometheus: which query they are of, and the alerts that it keeps as series."""

import json
from pathlib import Path

from tests.tools.readers.conftest import Reads, read_paths

UP = {"__name__": "up", "job": "node-exporter", "instance": "gpu-03:9100"}
FIRING = {
    "__name__": "ALERTS", "alertname": "KubeNodeUnreachable", "alertstate": "firing",
    "node": "gpu-03", "severity": "critical",
}  # fmt: skip
T0 = 1796005200


def _answered(folder: Path, *metrics: dict[str, str], **more: object) -> Reads:
    result = [{"metric": metric, "values": [[T0, "1"], [T0 + 60, "1"]]} for metric in metrics]
    data = {"resultType": "matrix", "result": result}
    path = folder / "answer.json"
    path.write_text(json.dumps({"status": "success", "data": data, **more}))
    return read_paths(path)


def test_a_metric_is_known_by_its_own_name_in_a_file_of_any_name(tmp_path: Path) -> None:
    """Unless the answer says which query it is of; a sum has only the file's name."""
    assert [s.query for s in _answered(tmp_path, UP).series] == ["up"]
    assert [s.query for s in _answered(tmp_path, UP, name="exporters").series] == ["exporters"]
    assert [s.query for s in _answered(tmp_path, {"job": "a"}).series] == ["answer"]


def test_a_firing_alert_in_prometheus_own_series_is_an_alert(tmp_path: Path) -> None:
    """It fires since its first sample; one that is only pending is none yet."""
    pending = {**FIRING, "alertname": "Slow", "alertstate": "pending"}
    reads = _answered(tmp_path, FIRING, pending, UP)
    (record,) = reads.records

    assert (record.channel, record.text, record.host) == ("alert", "KubeNodeUnreachable", "gpu-03")
    assert (record.fields["status"], record.fields["severity"]) == ("firing", "critical")
    assert record.time is not None
    assert record.time.utc.timestamp() == T0
    assert len(reads.series) == 3


def test_infinities_are_read_as_the_api_spells_them(tmp_path: Path) -> None:
    """`+Inf` has a sign that no JSON number has; what is no number at all is damage."""
    spelled = ["+Inf", "-Inf", "NaN", "1e+06", "0.5"]
    pairs = [[T0 + n, text] for n, text in enumerate(spelled)]
    path = tmp_path / "answer.json"

    def answer(pairs: list[list[object]]) -> Reads:
        data = {"resultType": "matrix", "result": [{"metric": UP, "values": pairs}]}
        path.write_text(json.dumps({"status": "success", "data": data}))
        return read_paths(path)

    (series,) = answer(pairs).series
    assert [str(sample.value) for sample in series.samples] == [
        "inf",
        "-inf",
        "nan",
        "1000000.0",
        "0.5",
    ]
    assert not answer([*pairs, [T0 + 9, "down"]]).series
