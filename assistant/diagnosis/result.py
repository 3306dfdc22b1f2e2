"""The outcome of a diagnosis, as values that every entrance renders."""

from collections.abc import Mapping
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from knowledge.bilingual import Bilingual
from knowledge.page import Layer, Plane
from tools.entity import Entity

Confidence = Literal["CONFIRMED", "LIKELY", "INCONCLUSIVE"]
Verdict = Literal["fault", "healthy", "inconclusive"]


class Value(BaseModel):
    """Frozen and closed, like all that travels."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Claim(Value):
    """A sentence with its own confidence."""

    text: Bilingual
    confidence: Confidence


class State(Value):
    """How it stands now."""

    now: Literal["ongoing", "recovering", "recovered", "unknown"]
    as_of: AwareDatetime | None = None
    work_seen: AwareDatetime | None = None
    """The last work seen where it hurt, after all of it was over."""


class RootCause(Value):
    """A root the verdict stands on. *Where* and *why* are separate claims."""

    hypothesis: str
    page: str
    codes: tuple[str, ...] = ()
    title: Bilingual
    layer: Layer
    plane: Plane
    entity: Entity
    observed: bool
    confidence: Confidence
    where: Claim
    why: Claim
    explains: tuple[str, ...] = ()
    contradicted_by: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    event: str = ""
    first_anomaly: str = ""
    """Id of the event at which its own propagation began."""
    state: State | None = None
    """How it stands with what this root explains."""


class Hypothesis(Value):
    """A candidate root with what speaks for and against it."""

    id: str
    rank: int
    page: str
    title: Bilingual
    layer: Layer
    plane: Plane
    entity: Entity
    event: str = ""
    """Empty when inferred."""
    observed: bool = True
    score: float = 0.0
    """Log-likelihood ratio; for ordering only, it is not a confidence."""
    explains: tuple[str, ...] = ()
    """Every event it reaches, damage or not."""
    kinds: int = 0
    """Distinct conditions among the explained."""
    supports: tuple[str, ...] = ()
    """Evidence ids."""
    contradicts: tuple[str, ...] = ()
    """Ids of events that refute it."""
    missing: tuple[str, ...] = ()
    """Pages of expected effects that are absent although their source covered the time."""
    would_tell: tuple[str, ...] = ()
    """Ids of next checks."""


class ChainLink(Value):
    """One edge of the propagation that is drawn."""

    source: str
    target: str
    delay_s: float
    delay_uncertainty_s: float
    status: Literal["observed", "inferred"]
    scope: str
    evidence: tuple[str, ...] = ()
    why: Bilingual | None = None


class RuledOut(Value):
    """A hypothesis that the reader would have, and the evidence that killed it."""

    page: str
    title: Bilingual
    why: Bilingual
    evidence: tuple[str, ...] = ()


class NextCheck(Value):
    """The read-only look that would tell hypotheses apart."""

    id: str
    command: str
    where: str
    why: Bilingual
    tells_apart: tuple[str, ...] = ()


class Missing(Value):
    """What only the operator knows, asked once."""

    what: Bilingual
    why: Bilingual


class Instruction(Value):
    """Something to do now, or not to do."""

    text: Bilingual
    why: Bilingual
    page: str = ""
    nodes: tuple[str, ...] = ()
    """Hosts that it is about, where evidence tells."""


class Change(Value):
    """An alteration of the system inside or just before the window."""

    at: AwareDatetime | None
    """None where nothing tells the day."""
    what: str
    page: str
    entity: Entity
    scope_match: bool
    evidence: tuple[str, ...] = ()


class Impact(Value):
    """Who is hurt, counted from evidence."""

    nodes: int = 0
    gpus: int = 0
    jobs: int = 0


class OfferedRemedy(Value):
    """A repair that the pages along the chain name."""

    page: str
    id: str
    title: Bilingual
    stage: str
    risk: str


class FirstFailing(Value):
    """The member of a job that failed first, when the others only waited."""

    job: str
    entity: Entity
    event: str = ""
    """What it failed of; empty where only the others' words tell."""
    why: Bilingual
    evidence: tuple[str, ...] = ()


class Diagnosis(Value):
    """Everything the deterministic core concludes."""

    verdict: Verdict
    confidence: Confidence
    state: State
    impact: Impact = Impact()
    first_anomaly: str = ""
    root_causes: tuple[RootCause, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    chain: tuple[ChainLink, ...] = ()
    amplifiers: tuple[str, ...] = ()
    """Events of the chain that spread the damage beyond the fault itself."""
    contain_now: tuple[Instruction, ...] = ()
    do_not: tuple[Instruction, ...] = ()
    changes: tuple[Change, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    unexplained: tuple[str, ...] = ()
    gravest_open: str = ""
    """Id of what is as grave as all that the likely roots explain, and nothing ties to them."""
    unread: tuple[str, ...] = ()
    """Ids of what is new in the time in question, its writer calls an error and no page knows."""
    standing: tuple[str, ...] = ()
    """Beside "healthy", ids of faults that are still there and harm nothing yet."""
    collateral: Mapping[str, str] = {}
    """Event id → id of the event whose consequence it is."""
    first_failing: tuple[FirstFailing, ...] = ()
    next_checks: tuple[NextCheck, ...] = ()
    missing_information: tuple[Missing, ...] = ()
    remedies: tuple[OfferedRemedy, ...] = ()
    caps: tuple[Bilingual, ...] = ()
    """Why the confidence is not higher, one sentence a rule that capped it."""
    decided_by_unseen: bool = False
    """True when a source that was not seen could separate the first hypothesis from the next."""
