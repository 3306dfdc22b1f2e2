"""What a diagnosis reasons over, in one value."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from assistant.diagnosis.guards import Settings, acts_until, find_recurring
from assistant.event import Event, Timeline
from assistant.identity import UNNAMED
from assistant.incident import Incident
from assistant.sight import Sight
from assistant.topology import Topology
from knowledge.page import Page
from tools.evidence import Evidence, Gap, Window

CHANGE_LOOKBACK_S = 1800.0
DAMAGING = 1
"""Damage classes from here on are felt by users."""
STOPS_WORK = 2
"""Damage that nobody lives with, however steady."""


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
    unjudged: frozenset[str] = frozenset()
    """Captures that were read, and of which no page speaks."""
    now: datetime | None = None
    """The latest moment that evidence speaks of."""

    @property
    def settings(self) -> Settings:
        """Settings seen in evidence."""
        return Settings(self.timeline.settings)

    @cached_property
    def since(self) -> float:
        """Start of the window in epoch seconds; minus infinity when open."""
        return self.window.since.timestamp() if self.window.since else float("-inf")

    @cached_property
    def until(self) -> float:
        """End of the window in epoch seconds; the latest evidence when open."""
        if self.window.until:
            return self.window.until.timestamp()
        return self.now.timestamp() if self.now else float("inf")

    @cached_property
    def harm(self) -> tuple[Event, ...]:
        """What hurts in the time in question."""
        return tuple(e for e in self.timeline.events if grave(e) and in_question(e, self))

    @cached_property
    def progress(self) -> tuple[Event, ...]:
        """What proves that work went on."""
        return tuple(e for e in self.timeline.events if self.pages[e.page].progress)

    @cached_property
    def recurring(self) -> frozenset[str]:
        """Ids of what came on one thing so often that none of it is a mere blip."""
        return find_recurring(e for e in self.timeline.events if counts(e))

    @cached_property
    def ended_jobs(self) -> Mapping[str, float]:
        """Jobs of which a word says that they are over, with its earliest moment."""
        ended: dict[str, float] = {}
        for event in self.timeline.events:
            if self.pages[event.page].concludes and event.entity.kind == "job":
                known = ended.get(event.entity.id, event.earliest)
                ended[event.entity.id] = min(known, event.earliest)
        return ended


def counts(event: Event) -> bool:
    """Tell whether an event is a fault of now: not benign, chronic, known or mere context."""
    return not (event.benign or event.chronic or event.known or event.role in {"benign", "context"})


def stops_for_good(event: Event) -> bool:
    """Tell whether it stops work and always did: what was so before is no health either."""
    return event.chronic and event.damage >= STOPS_WORK and not (event.benign or event.known)


def in_question(event: Event, case: Case) -> bool:
    """Leave out what was over before the window opened, unless it may still act."""
    if event.role == "context":
        return False
    page = case.pages[event.page]
    until = acts_until(event, page)
    if until < case.since - CHANGE_LOOKBACK_S:
        return False
    if until > event.finish and until >= case.since:
        return True  # it passed without a word of recovery, and its page says how long that lasts
    lingers = page.persists or event.role in {"root", "change"}
    reach = max((link.delay.max_s for link in page.causes), default=0.0) if lingers else 0.0
    seen = event.last.utc.timestamp() + event.last.uncertainty_s
    open_since = event.end is None and page.persists
    return open_since or seen + max(reach, CHANGE_LOOKBACK_S) >= case.since


def grave(event: Event) -> bool:
    """Tell whether users felt it, or will: a critical fault spares nobody who uses the thing."""
    return damaging(event) or (counts(event) and event.severity == "critical")


def hosts_of(events: Iterable[Event]) -> set[str]:
    """Return the hosts that events are anchored to, named or not."""
    return {a.id for event in events for a in event.anchors if a.kind == "node"}


def nodes_of(events: Iterable[Event], case: Case) -> set[str]:
    """Return the hosts that events touch; an address that no host owns is none.

    A host that no line names may be one of those that others name: it counts where none of them
    is hurt.
    """
    known = case.topology.nodes()
    named = hosts_of(events)
    named |= {m.id for event in events for m in event.members if m.kind == "node"}
    unnamed = {name for name in named if name.startswith(UNNAMED)}
    return (named & known if known else named - unnamed) or unnamed


def damaging(event: Event) -> bool:
    """Tell whether users felt it."""
    return counts(event) and event.damage >= DAMAGING
