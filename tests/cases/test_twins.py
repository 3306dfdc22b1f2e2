"""One text, several causes: evidence decides, or the look that would decide is asked for."""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
import yaml
from _pytest.mark import ParameterSet
from pydantic import BaseModel, ConfigDict

from assistant.diagnosis.result import Diagnosis
from assistant.incident import Incident
from assistant.investigate import investigate
from tests.assistant.handbook import shipped
from tests.cases.reported import NOW

FOLDER = Path(__file__).parent / "twins"


class Part(BaseModel):
    """Frozen and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Happened(Part):
    """A Kubernetes Event in short."""

    reason: str
    message: str
    kind: str
    name: str
    at: str
    count: int = 1


class Capture(Part):
    """What a command printed on a host."""

    command: str
    target: str
    at: str
    text: str


class Evidence(Part):
    """What is handed in."""

    files: Mapping[str, str] = {}
    captures: tuple[Capture, ...] = ()
    objects: tuple[dict[str, object], ...] = ()
    events: tuple[Happened, ...] = ()


class Meaning(Evidence):
    """One of the twins: what tells it, and what must then be said."""

    roots: tuple[str, ...] = ()
    """It is decided: the verdict is a fault, and the first root one of these."""
    leads: tuple[str, ...] = ()
    """Not more than a lead can be had from so little: the first hypothesis is one of these."""
    entity: str = ""
    """Where it is, as a pattern."""
    shows: tuple[str, ...] = ()
    """Where the cause lies deeper still: the conditions that are recognised."""
    asks: str = ""
    """The look that remains."""
    never: tuple[str, ...] = ()
    missing: str = ""
    """Why it is not so yet."""


class Twins(Part):
    """A symptom with several meanings."""

    symptom: str
    base: Evidence
    asks: str
    """The looks that decide between them, where nothing but the symptom was handed in."""
    why: str
    twins: tuple[str, ...] = ()
    """Pages that the symptom alone must not be taken for, beside those of `meanings`."""
    missing: str = ""
    meanings: dict[str, Meaning]


@cache
def read(name: str) -> Twins:
    """Read a symptom's twins."""
    return Twins.model_validate(yaml.safe_load((FOLDER / name).read_text("utf-8")))


NAMES = sorted(path.name for path in FOLDER.glob("*.yaml"))


def marked(*values: str, missing: str) -> ParameterSet:
    """Expect to fail what is known to be missed."""
    marks = [pytest.mark.xfail(reason=missing, strict=True)] if missing else []
    return pytest.param(*values, id="-".join(values), marks=marks)


ALONE = [marked(name, missing=read(name).missing) for name in NAMES]
DECIDED = [
    marked(name, meaning, missing=said.missing)
    for name in NAMES
    for meaning, said in read(name).meanings.items()
]


def write(folder: Path, *parts: Evidence) -> None:
    """Write evidence as a bundle; of one file told twice, the second part follows the first."""
    for path, text in ((p, t) for part in parts for p, t in part.files.items()):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text((file.read_text() if file.exists() else "") + text)
    (folder / "k8s").mkdir(exist_ok=True)
    objects = [item for part in parts for item in part.objects]
    events = [event(item) for part in parts for item in part.events]
    for name, items in (("objects", objects), ("events", events)):
        if items:
            document = {"apiVersion": "v1", "kind": "List", "items": items}
            (folder / f"k8s/{name}.json").write_text(json.dumps(document))
    rows = [capture(folder, n, c) for n, c in enumerate(c for p in parts for c in p.captures)]
    (folder / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def event(said: Happened) -> dict[str, object]:
    """Write an Event whole."""
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{said.name}.{said.reason.lower()}", "namespace": "ml"},
        "type": "Warning",
        "reason": said.reason,
        "message": said.message,
        "involvedObject": {"kind": said.kind, "name": said.name, "namespace": "ml"},
        "firstTimestamp": said.at,
        "lastTimestamp": said.at,
        "count": said.count,
    }


def capture(folder: Path, number: int, said: Capture) -> dict[str, object]:
    """Write what a command printed; return its row of the manifest."""
    path = f"host/{said.target}/{number}.txt"
    data = f"$ {said.command}\n{said.text}".encode()
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_bytes(data)
    return {
        "path": path,
        "source": "host",
        "command": said.command,
        "target": said.target,
        "started": said.at,
        "ended": said.at,
        "outcome": "ok",
        "sha256": hashlib.sha256(data).hexdigest(),
        "size": len(data),
    }


def diagnosed(folder: Path, *parts: Evidence) -> tuple[Diagnosis, set[str]]:
    """Investigate what is handed in; return what follows and the conditions that were seen."""
    write(folder, *parts)
    found = investigate([folder], Incident(), shipped(), now=NOW)
    assert found.diagnosis is not None
    return found.diagnosis, {event.page for event in found.timeline.events}


def asked(said: Diagnosis) -> str:
    """Return everything that the operator is asked to look at or to tell."""
    rows = [f"{row.command} # {row.why.en}" for row in said.next_checks]
    rows += [f"{row.what.en} {row.why.en}" for row in said.missing_information]
    return "\n".join(rows)


def sure(said: Diagnosis) -> set[str]:
    """Return the pages that are said to be the cause with any confidence."""
    return {c.page for c in said.root_causes if c.confidence != "INCONCLUSIVE"}


def told(said: Diagnosis) -> str:
    """Describe a diagnosis for whoever reads a failure."""
    roots = [f"{c.page} ({c.confidence})" for c in said.root_causes]
    leads = [h.page for h in said.hypotheses[:4]]
    return f"{said.verdict}: roots {roots}, leads {leads}, asks\n{asked(said)}"


@pytest.mark.parametrize("name", ALONE)
def test_a_symptom_alone_is_taken_for_none_of_its_meanings(name: str, tmp_path: Path) -> None:
    """Nothing is said for sure that the text cannot know; the look that decides is asked for."""
    twins = read(name)
    said, _ = diagnosed(tmp_path, twins.base)
    named = {p for m in twins.meanings.values() for p in (*m.roots, *m.leads)} | {*twins.twins}
    assert sure(said) & named == set(), told(said)
    assert re.search(twins.asks, asked(said)), f"{twins.why}\n{told(said)}"


@pytest.mark.parametrize(("name", "meaning"), DECIDED)
def test_one_piece_of_evidence_decides(name: str, meaning: str, tmp_path: Path) -> None:
    """With the fact that tells this meaning it comes first, and none of the others is blamed."""
    twins = read(name)
    wanted = twins.meanings[meaning]
    said, seen = diagnosed(tmp_path, twins.base, wanted)
    lead = next(iter((*said.root_causes, *said.hypotheses)), None)
    page = lead.page if lead else ""
    where = " ".join((lead.entity.id, *lead.entity.names)) if lead else ""
    if wanted.roots:
        assert said.verdict == "fault", told(said)
    if wanted.roots or wanted.leads:
        assert page in {*wanted.roots, *wanted.leads}, told(said)
    assert {page, *sure(said)} & {*wanted.never} == set(), told(said)
    assert {*wanted.shows} <= seen, told(said)
    assert re.search(wanted.entity, where), told(said)
    assert re.search(wanted.asks, asked(said)), told(said)
