"""Incidents that operators reported: what must follow from each, and what the product says."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Literal, get_args

import yaml
from pydantic import BaseModel, ConfigDict

from assistant.diagnosis.result import Diagnosis, Hypothesis, RootCause, Verdict
from assistant.incident import Incident
from assistant.investigate import investigate
from knowledge.page import Layer
from tests.assistant.handbook import shipped

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 30, 6, tzinfo=UTC)
"""After all of them, so that a stamp without a year is read the same on every day."""
Aspect = Literal["verdict", "layer", "root", "next_check"]
ASPECTS: tuple[Aspect, ...] = get_args(Aspect)


class Expected(BaseModel):
    """What the public account of an incident establishes. Patterns are regular expressions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    case: str
    verdict: Verdict
    layer: tuple[Layer, ...]
    roots: tuple[str, ...]
    """Pages of which the first root must be one; the first may be one that is yet to be written."""
    condition: str = ""
    """The cause in words, where no page says just this yet."""
    entity: str = ""
    says: str = ""
    """What title, place and reason of the root must say, where one page has several meanings."""
    never: tuple[str, ...] = ()
    """Pages that must be no root: the traps."""
    next_check: str
    why: str
    source: str


@dataclass(frozen=True, slots=True)
class Scored:
    """How one incident went."""

    right: dict[Aspect, bool]
    said: str


def slugs() -> list[str]:
    """Return the incidents that are there."""
    return sorted(path.parent.name for path in HERE.glob("*/expect.yaml"))


def expected(slug: str) -> Expected:
    """Read what must follow."""
    text = (HERE / slug / "expect.yaml").read_text("utf-8")
    return Expected.model_validate(yaml.safe_load(text))


class Misses(BaseModel):
    """What is known to be missed, each with its reason."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shares: dict[Aspect, str] = {}
    """Aspects that are right in less than nine of ten incidents."""
    incidents: dict[str, dict[Aspect, str]] = {}


def misses() -> Misses:
    """Read what is known to be missed."""
    return Misses.model_validate(yaml.safe_load((HERE / "misses.yaml").read_text("utf-8")) or {})


@cache
def scored(slug: str) -> Scored:
    """Diagnose the incident's bundle and compare."""
    found = investigate([HERE / slug / "bundle"], Incident(), shipped(), now=NOW)
    assert found.diagnosis is not None
    return compare(expected(slug), found.diagnosis)


def compare(wanted: Expected, said: Diagnosis) -> Scored:
    """Score each aspect of a diagnosis."""
    leads: tuple[RootCause | Hypothesis, ...] = said.root_causes or said.hypotheses
    lead = leads[0] if leads else None
    checks = _looks(said)
    right: dict[Aspect, bool] = {
        "verdict": said.verdict == wanted.verdict,
        "layer": lead is not None and lead.layer in wanted.layer,
        "root": lead is not None
        and lead.page in wanted.roots
        and not any(cause.page in wanted.never for cause in said.root_causes)
        and re.search(wanted.entity, " ".join((lead.entity.id, *lead.entity.names))) is not None
        and re.search(wanted.says, _words(lead)) is not None,
        "next_check": re.search(wanted.next_check, checks) is not None,
    }
    return Scored(right, _describe(said, checks))


def _words(lead: RootCause | Hypothesis) -> str:
    claims = (lead.where.text.en, lead.why.text.en) if isinstance(lead, RootCause) else ()
    return "\n".join((lead.title.en, *claims))


def _looks(said: Diagnosis) -> str:
    asked = [f"{row.what.en} {row.why.en}" for row in said.missing_information]
    return "\n".join([f"{row.command} # {row.why.en}" for row in said.next_checks] + asked)


def _describe(said: Diagnosis, checks: str) -> str:
    roots = ", ".join(f"{c.page} on {c.entity.id} ({c.confidence})" for c in said.root_causes)
    return f"{said.verdict}: {roots or 'no root'}; to look at: {checks or 'nothing'}"
