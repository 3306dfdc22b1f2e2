"""What was reported: scope, window, priority and its clock."""

from datetime import timedelta
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict

from knowledge.bilingual import Bilingual
from knowledge.page import Priority
from tools.evidence import Window

SLA: dict[Priority, timedelta] = {
    "P0": timedelta(minutes=15),
    "P1": timedelta(hours=1),
    "P2": timedelta(hours=4),
    "P3": timedelta(days=1),
}
"""Time to the first human response, from the sources' matrix (P3: the next working day)."""


class PriorityDecision(BaseModel):
    """A priority, the rule that set it and the response it demands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    level: Priority
    rule: Bilingual
    respond_by: AwareDatetime | None = None


class Scope(BaseModel):
    """Where to look; empty means everywhere."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    nodes: tuple[str, ...] = ()
    pods: tuple[str, ...] = ()
    job: str = ""
    context: str = ""


class Incident(BaseModel):
    """A report to investigate. Its text focuses the search and is never evidence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    """I-YYYYMMDD-n; given by the store."""
    title: str = ""
    text: str = ""
    scope: Scope = Scope()
    window: Window = Window()
    zone: str = ""
    host_zones: dict[str, str] = {}
    status: Literal["open", "closed"] = "open"
    assignee: str = ""
    opened_at: AwareDatetime | None = None
