"""The one value that holds all that is known of an incident so far.

Each step of the pipeline is a plain function that returns a new Investigation.
"""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from assistant.diagnosis.result import Diagnosis
from assistant.event import Coverage, Timeline
from assistant.incident import Incident, PriorityDecision
from tools.evidence import Evidence, Gap, Window

Step = Literal["opened", "gathered", "recognised", "ordered", "diagnosed"]


class Versions(BaseModel):
    """What produced the answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    product: str
    handbook: str
    """Hash of all pages."""


class Cluster(BaseModel):
    """Which cluster all of this speaks of."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    context: str = ""
    uid: str = ""


class Investigation(BaseModel):
    """An incident with its evidence, timeline, coverage and diagnosis."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    incident: Incident
    step: Step = "opened"
    window: Window = Window()
    """The fault's window: as asked for, else as found."""
    evidence: tuple[Evidence, ...] = ()
    gaps: tuple[Gap, ...] = ()
    timeline: Timeline = Timeline()
    coverage: tuple[Coverage, ...] = ()
    priority: PriorityDecision | None = None
    diagnosis: Diagnosis | None = None
    cluster: Cluster = Cluster()
    versions: Versions
    generated_at: AwareDatetime
