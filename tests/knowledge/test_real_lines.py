"""Messages that components really print are recognised as the condition that each of them shows."""

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet
from pydantic import BaseModel, ConfigDict, Field

from integrations.cli.main import call
from knowledge.matching import Matcher
from tests.assistant.handbook import shipped
from tests.kept_pages import cache_home

LIST = Path(__file__).with_name("real_lines.yaml")
LEAST = 250
SAMPLED = 30
LOST = "Kubelet stopped posting node status."


class Row(BaseModel):
    """One message."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    line: str
    reason: str = ""
    """Of an Event."""
    expect: tuple[str, ...] = ()
    """These pages and no others; none where the line rightly shows nothing, or is missed."""
    silent: str = ""
    missing: str = ""
    whole: bool = False
    """Also read as a file of its own, from the reader to the answer."""


class Writer(BaseModel):
    """Who printed it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    channel: str
    unit: str = ""


class Group(BaseModel):
    """Messages of one writer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(alias="from")
    writer: Writer = Field(alias="as")
    lines: tuple[Row, ...] = Field(min_length=1)


@cache
def groups() -> tuple[Group, ...]:
    """Read the list."""
    rows: list[object] = yaml.safe_load(LIST.read_text("utf-8"))
    return tuple(Group.model_validate(row) for row in rows)


@cache
def matcher() -> Matcher:
    """Make the handbook ready once."""
    return Matcher(shipped())


def condition(message: str) -> dict[str, object]:
    """Write the node whose Ready condition says so."""
    lost = message == LOST
    ready = {
        "type": "Ready",
        "status": "Unknown" if lost else "False",
        "reason": "NodeStatusUnknown" if lost else "KubeletNotReady",
        "message": message,
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "gpu-n01"},
        "status": {"conditions": [ready]},
    }


def shown(writer: Writer, row: Row) -> set[str]:
    """Return the pages that a message shows by itself."""
    if writer.channel == "condition":
        found = matcher().match_state("object", "Node", condition(row.line))
    else:
        found = matcher().match_text(writer.channel, writer.unit, row.line, reason=row.reason)
    return {match.page for match in found}


def points(*, whole: bool = False) -> list[ParameterSet]:
    """Name each message; one that is missed fails until its entry says otherwise."""
    return [
        pytest.param(
            group.writer,
            row,
            id=f"{group.source}-{number}",
            marks=[pytest.mark.xfail(reason=row.missing, strict=True)] if row.missing else [],
        )
        for group in groups()
        for number, row in enumerate(group.lines, 1)
        if row.whole or not whole
    ]


@pytest.mark.parametrize(("writer", "row"), points())
def test_a_real_message_shows_its_condition(writer: Writer, row: Row) -> None:
    """It shows the pages that it is known for and no others; what is missed shows none yet."""
    found = shown(writer, row)
    assert found if row.missing else found == {*row.expect}


def written(writer: Writer, row: Row) -> tuple[str, str]:
    """Write a message as a file that holds nothing else: its name and its text."""
    stamp = "2026-03-02T04:00:00+00:00 gpu-n01"
    match writer.channel:
        case "kernel" | "service":
            tag = "kernel" if writer.channel == "kernel" else f"{writer.unit}[812]"
            return "host.log", "".join(f"{stamp} {tag}: {s}\n" for s in row.line.split("\n"))
        case "event":
            event = {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"name": "train-0.17a", "namespace": "ml"},
                "type": "Warning",
                "reason": row.reason,
                "message": row.line,
                "involvedObject": {"kind": "Pod", "name": "train-0", "namespace": "ml"},
                "source": {"component": "kubelet", "host": "gpu-n01"},
                "firstTimestamp": "2026-03-02T04:00:00Z",
                "lastTimestamp": "2026-03-02T04:00:00Z",
                "count": 1,
            }
            return "events.json", json.dumps({"apiVersion": "v1", "kind": "List", "items": [event]})
        case "app":
            return "train.log", f"2026-03-02 04:00:00 {row.line}\n"
    return "printed.txt", f"{row.line}\n"


def diagnosed(path: Path, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Run the command on a file; return the pages of its events."""
    code = call(["diagnose", str(path), "-o", "json", "--no-model"])
    assert code in {0, 5}
    return {event["page"] for event in json.loads(capsys.readouterr().out)["events"]}


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the command keep its incidents here, and share the pages that were validated."""
    monkeypatch.setenv("FIRSTFAULT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache_home()))
    return tmp_path


@pytest.mark.uncounted  # of the answer as a whole
@pytest.mark.parametrize(("writer", "row"), points(whole=True))
def test_a_file_of_one_message_is_enough(
    writer: Writer, row: Row, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever has nothing but this line is told its condition by the command that they run."""
    name, text = written(writer, row)
    (folder / name).write_text(text)
    assert row.expect[0] in diagnosed(folder / name, capsys)


@pytest.mark.parametrize(
    ("said", "page"),
    [
        ("Failed to initialize NVML: Unknown Error", "nvml-lost-in-container"),
        ("RuntimeError: CUDA error: uncorrectable ECC error encountered", "rank-cuda-ecc-error"),
    ],
)
def test_a_stamp_of_kubectl_hides_no_message(
    said: str, page: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program's line behind the stamp of `kubectl logs --timestamps` is still the program's."""
    (folder / "train.log").write_text(f"2026-03-02T04:00:00.123456789Z {said}\n")
    assert page in diagnosed(folder / "train.log", capsys)


def test_the_list_is_whole() -> None:
    """Every entry says one thing: what it shows, why it shows nothing, or why it is missed."""
    rows = [row for group in groups() for row in group.lines]
    assert len(rows) >= LEAST
    assert sum(row.whole for row in rows) >= SAMPLED
    assert [r.line for r in rows if bool(r.expect) + bool(r.silent) + bool(r.missing) != 1] == []
    assert {page for row in rows for page in row.expect} <= {*shipped().pages}
