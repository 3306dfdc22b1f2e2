"""A citation stands only where its words do."""

import json
from pathlib import Path

import pytest

from evals.citations import measure_valid, stands
from tools.evidence import Citation, Evidence


def _evidence(path: str, outcome: str = "ok", command: str = "") -> Evidence:
    return Evidence.model_validate(
        {"id": "E1", "source": "file", "command": command, "path": path, "outcome": outcome}
    )


def _cite(text: str, line: int = 0) -> Citation:
    return Citation(evidence="E1", line=line, text=text)


def test_words_stand_on_their_line(tmp_path: Path) -> None:
    """The line may be joined from several; other words do not stand."""
    (tmp_path / "a.log").write_text("one\nnfs: server 10.0.0.10 not responding\n")
    evidence = _evidence("a.log")
    assert stands(_cite("nfs: server 10.0.0.10 not responding", 2), evidence, tmp_path)
    assert not stands(_cite("nfs: server 10.0.0.11 not responding", 2), evidence, tmp_path)
    assert not stands(_cite("anything at all"), _evidence("none.log"), tmp_path)


def test_words_stand_inside_json(tmp_path: Path) -> None:
    """Quotes are escaped there; objects, alerts and readings are cited by their parts."""
    body = {"message": 'volume "data" is full', "name": "pod-1", "uuid": "GPU-1", "lost": True}
    (tmp_path / "a.json").write_text(json.dumps(body))
    evidence = _evidence("a.json")
    assert stands(_cite('volume "data" is full'), evidence, tmp_path)
    assert stands(_cite("uuid=GPU-1, lost=True"), evidence, tmp_path)
    assert not stands(_cite("uuid=GPU-2, lost=True"), evidence, tmp_path)


def test_an_object_stands_with_its_fields(tmp_path: Path) -> None:
    """Name and values must stand in the file, the last value with its key on the line cited."""
    body = {"metadata": {"namespace": "ml", "name": "t-2"}, "status": {"reason": "OOMKilled"}}
    (tmp_path / "a.json").write_text(json.dumps(body, indent=1))
    evidence = _evidence("a.json")
    assert stands(_cite("Pod ml/t-2: status.reason=OOMKilled", 7), evidence, tmp_path)
    assert not stands(_cite("Pod ml/t-2: status.reason=OOMKilled", 6), evidence, tmp_path)
    assert not stands(_cite("Pod ml/t-2: status.phase=OOMKilled", 7), evidence, tmp_path)
    assert not stands(_cite("Pod ml/t-3: status.reason=OOMKilled", 7), evidence, tmp_path)
    assert not stands(_cite("Pod ml/t-2: status.reason=Error"), evidence, tmp_path)


@pytest.mark.parametrize(("value", "stood"), [("3", True), ("4", False)])
def test_a_sample_stands_with_its_labels(tmp_path: Path, *, value: str, stood: bool) -> None:
    """Labels and value must be of one series."""
    series = {"metric": {"node": "n1", "x": "y"}, "values": [[1, "3"], [2, "5"]]}
    document = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    (tmp_path / "q.json").write_text(json.dumps(document))
    cited = _cite(f'some_query{{node="n1"}} {value}')
    assert stands(cited, _evidence("q.json"), tmp_path) is stood


def test_a_hang_is_proved_by_its_manifest_line(tmp_path: Path) -> None:
    """It printed nothing that could be cited."""
    evidence = _evidence("df.txt", "hung", "df -h")
    assert stands(_cite("HUNG after 10 s: df -h"), evidence, tmp_path)
    assert not stands(_cite("HUNG after 10 s: ls /data"), evidence, tmp_path)


def test_the_share_names_what_is_broken(tmp_path: Path) -> None:
    """A citation of unknown evidence is broken; none at all is no proof."""
    (tmp_path / "a.log").write_text("a line that is long enough\n")
    good, bad = _cite("a line that is long enough", 1), Citation(evidence="E9", text="x")
    share, broken = measure_valid([good, bad], {"E1": _evidence("a.log")}, tmp_path)
    assert (share, broken) == (0.5, [bad])
    assert measure_valid([], {}, tmp_path) == (0.0, [])
