"""What a diagnosis reasons over, in one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.diagnosis.guards import Settings
from assistant.event import Event, Timeline
from assistant.incident import Incident
from assistant.sight import Sight
from assistant.topology import Topology
from knowledge.page import Page
from tools.evidence import Evidence, Gap, Window

DAMAGING = 1
"""Damage classes from here on are felt by users."""


@dataclass(frozen=True)
class Case:
    """The ordered events of an incident with all that bears on them."""

    timeline: Timeline
    pages: Mapping[str, Page]
    topology: Topology
    sight: Sight
    incident: Incident
    window: Window
    evidence: Sequence[Evidence] = ()
    gaps: Sequence[Gap] = ()
    now: datetime | None = None
    """The latest moment that evidence speaks of."""

    @property
    def settings(self) -> Settings:
        """Settings seen in evidence."""
        return Settings(self.timeline.settings)

    @property
    def since(self) -> float:
        """Start of the window in epoch seconds; minus infinity when open."""
        return self.window.since.timestamp() if self.window.since else float("-inf")

    @property
    def until(self) -> float:
        """End of the window in epoch seconds; the latest evidence when open."""
        if self.window.until:
            return self.window.until.timestamp()
        return self.now.timestamp() if self.now else float("inf")


def counts(event: Event) -> bool:
    """Tell whether an event is a fault of now: not benign, chronic, known or mere context."""
    return not (event.benign or event.chronic or event.known or event.role in {"benign", "context"})


def damaging(event: Event) -> bool:
    """Tell whether users felt it."""
    return counts(event) and event.damage >= DAMAGING
