"""Every scenario is deterministic, whole, and true to what it says of itself."""

import hashlib
import json
import re
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

import evals.scenarios
from evals.answer import Answer, NamedRoot
from evals.bench.gates import Gates
from evals.bundle_edit import read_lines
from evals.command import app
from evals.errors import BrokenScenarioError, UnknownScenarioError
from evals.model import Recording, read_epoch
from evals.scenarios.build import build, list_faults, list_scenarios, load
from evals.score import score
from evals.truth import Truth, load_truth
from tests.assistant.handbook import shipped
from tests.evals.conftest import SEED, THIN, Shelf


def _truth(recording: Recording) -> Truth:
    return load_truth(recording.scenario, recording.facts)


def _oracle(truth: Truth) -> Answer:
    """Answer from the truth itself."""
    roots = tuple(
        NamedRoot(
            page=root.page,
            kind=root.kind,
            ids=frozenset(root.ids),
            layer=str(truth.layer),
            plane=str(truth.plane),
            observed=True,
            confidence="CONFIRMED",
        )
        for root in truth.roots
    )
    chain = tuple((causes[0], effect) for effect, causes in truth.chain.items())
    if truth.expect == "healthy":
        return Answer("healthy", "LIKELY")
    if truth.expect == "inconclusive":
        return _leave_open(truth)
    return Answer(
        "fault",
        "CONFIRMED",
        roots=roots,
        chain=chain,
        first_at=truth.first_anomaly.at if truth.first_anomaly else None,
        ruled_out=frozenset(truth.must_rule_out),
    )


def _leave_open(truth: Truth) -> Answer:
    """Answer an open case from the truth: name the place; the words are patterns there."""
    return Answer(
        "inconclusive",
        "INCONCLUSIVE",
        first_at=truth.first_anomaly.at if truth.first_anomaly else None,
        checks=("journalctl -k", "kubectl logs"),
        places=(truth.deciding[0].about[0],) * 2,
        lacking=tuple(f"kernel log, log: {pointer.about[0]}" for pointer in truth.missing),
    )


def test_the_first_six_scenarios_are_there() -> None:
    """None that was promised is lost; more may come."""
    assert set(list_scenarios()) >= {
        "astra-storage-failover",
        "cgroup-oom-137",
        "healthy-old-noise",
        "one-dead-rank",
        "slurm-storage-failover",
        "xid79-pcie-prologue",
    }
    assert "healthy-old-noise" not in list_faults()


def test_a_new_folder_is_a_new_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner, the gates and `firstfault eval` find it; no list names it."""
    folder = tmp_path / "brand_new"
    folder.mkdir()
    known = "from evals.scenarios.cgroup_oom_137.spec import record\n"
    (folder / "spec.py").write_text(f'{known}ID = "brand-new"\n')
    truth = resources.files("evals.scenarios.cgroup_oom_137").joinpath("truth.yaml")
    (folder / "truth.yaml").write_text(truth.read_text().replace("cgroup-oom-137", "brand-new"))
    places = [*evals.scenarios.__path__, str(tmp_path)]
    monkeypatch.setattr(evals.scenarios, "__path__", places)

    assert "brand-new" in list_scenarios()
    assert "brand-new" in list_faults()
    cases = list(Gates(shipped(), tmp_path, seeds=(SEED,)).cases())
    assert ("brand-new", SEED) in cases
    done = CliRunner().invoke(app, ["brand-new", "-o", "json", "--scale", str(THIN)])
    assert json.loads(done.stdout)["summary"]["root_exact"] == 1.0, done.output


@pytest.mark.parametrize("name", list_scenarios())
def test_folder_specification_and_truth_agree_on_the_name(name: str, shelf: Shelf) -> None:
    """One name finds all of a scenario."""
    assert (
        load(name).ID == shelf.recording(name).scenario == _truth(shelf.recording(name)).id == name
    )


def test_an_unknown_scenario_is_named() -> None:
    """The message lists what there is."""
    with pytest.raises(UnknownScenarioError, match="cgroup-oom-137"):
        load("no-such")


@pytest.mark.parametrize("name", ["cgroup-oom-137", "healthy-old-noise"])
def test_a_seed_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    """Two builds of one seed do not differ in a byte."""
    digests = []
    for place in ("a", "b"):
        build(name, SEED, tmp_path / place, scale=THIN, stored_queries=False)
        files = sorted(path for path in (tmp_path / place).rglob("*") if path.is_file())
        text = b"".join(
            str(f.relative_to(tmp_path / place)).encode() + f.read_bytes() for f in files
        )
        digests.append(hashlib.sha256(text).hexdigest())
    assert digests[0] == digests[1]


def test_the_scale_thins_noise_only() -> None:
    """Names, times and facts do not hang on how much noise there is."""
    thin, thick = (load("cgroup-oom-137").record(SEED, scale) for scale in (0.01, 0.1))
    assert thin.facts == thick.facts
    assert [log.pod for log in thin.pod_logs] == [log.pod for log in thick.pod_logs]
    assert len(thin.journal[thin.facts["host"]]) < len(thick.journal[thick.facts["host"]])


def test_a_bundle_is_not_written_over_another(tmp_path: Path) -> None:
    """Two bundles in one folder would be one false bundle."""
    (tmp_path / "old").write_text("x")
    with pytest.raises(BrokenScenarioError, match="not empty"):
        build("cgroup-oom-137", SEED, tmp_path, scale=THIN, stored_queries=False)


@pytest.mark.parametrize("name", list_scenarios())
def test_the_oracle_scores_full_and_silence_nothing(name: str, shelf: Shelf) -> None:
    """The truth itself scores 1 in all but evidence, an empty answer 0."""
    truth = _truth(shelf.recording(name))
    full = score(_oracle(truth), truth)
    assert full["root_exact"] == full["layer"] == full["first_anomaly"] == full["chain_f1"] == 1
    assert not full["forbidden"]
    silent = score(Answer("inconclusive", "INCONCLUSIVE"), truth)
    assert silent["root_exact"] == silent["root"] == silent["chain_f1"] == silent["total"] == 0


@pytest.mark.parametrize("name", list_faults())
def test_the_truth_names_pages_and_links_of_the_handbook(name: str, shelf: Shelf) -> None:
    """A truth that speaks of unknown conditions could never be met."""
    pages = shipped().pages
    truth = _truth(shelf.recording(name))
    named = {root.page for root in truth.roots} | set(truth.chain) | set(truth.where)
    assert not {page for page in named if page not in pages}, f"seed {SEED}"


@pytest.mark.parametrize("name", list_scenarios())
def test_no_truth_is_in_a_bundle(name: str, shelf: Shelf) -> None:
    """What only the truth knows (page ids, the word `truth`) is in no file."""
    truth = _truth(shelf.recording(name))
    words = [root.page.encode() for root in truth.roots] + [b"first_anomaly", b"root_cause"]
    for path in shelf.bundle(name).rglob("*"):
        if path.is_file():
            body = path.read_bytes()
            assert not [word for word in words if word in body], path


@pytest.mark.parametrize("name", list_faults())
def test_something_shows_the_root_and_can_be_hidden(name: str, shelf: Shelf) -> None:
    """The marks of the truth find lines in the recording."""
    marks = re.compile("|".join(_truth(shelf.recording(name)).marks.lines))
    recording = shelf.recording(name)
    journal = (entry.text for entries in recording.journal.values() for entry in entries)
    files = (line for file in recording.files for line in file.text.splitlines())
    pods = (text for log in recording.pod_logs for _, text in log.lines)
    assert any(marks.search(text) for text in (*journal, *files, *pods))


@pytest.mark.parametrize("name", list_scenarios())
def test_the_first_anomaly_is_the_first(name: str, shelf: Shelf) -> None:
    """The window reported covers the fault, and the recording begins before it."""
    recording = shelf.recording(name)
    if "first_anomaly" in recording.facts:
        first = read_epoch(recording.facts["first_anomaly"])
        assert recording.since < first < recording.until
    assert recording.since <= recording.reported[0] < recording.reported[1] <= recording.until


def test_the_manifest_is_true(astra: tuple[Path, Recording]) -> None:
    """Each file has a line with its own hash, and each line a file."""
    folder, _ = astra
    entries = {str(entry["path"]): entry for entry in read_lines(folder)}
    files = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert files - set(entries) == {"manifest.jsonl", "incident.yaml"}
    assert set(entries) <= files
    for path, entry in entries.items():
        assert hashlib.sha256((folder / path).read_bytes()).hexdigest() == entry["sha256"]


def test_a_hang_is_said_in_the_manifest(astra: tuple[Path, Recording]) -> None:
    """`df` hung for ten seconds on many nodes, and printed nothing."""
    folder, _ = astra
    hung = [entry for entry in read_lines(folder) if entry["outcome"] == "hung"]
    assert {entry["command"] for entry in hung} == {"df -h", "ls /data"}
    assert all(not (folder / str(entry["path"])).read_bytes() for entry in hung)
    assert len({entry["target"] for entry in hung}) >= 8


def test_both_tickets_are_in_the_report(astra: tuple[Path, Recording]) -> None:
    """English and Chinese tell the same."""
    text = (astra[0] / "incident.yaml").read_text()
    assert "GPUs" in text
    assert "训练任务失败" in text


def test_objects_are_lists_as_kubectl_writes_them(astra: tuple[Path, Recording]) -> None:
    """Thirty GPU nodes and three of the control plane, twice."""
    for folder in ("k8s", "k8s/2"):
        nodes = json.loads((astra[0] / folder / "nodes.json").read_text())
        assert nodes["kind"] == "List"
        assert len(nodes["items"]) == 33
