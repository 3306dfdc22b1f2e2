"""Recognised conditions on entities over time: what the diagnosis reasons about."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from knowledge.bilingual import Bilingual
from knowledge.page import Layer, Plane, Role, Severity
from tools.entity import Entity
from tools.evidence import Channel, Citation, Instant

FieldValue = str | float | int | bool


class Anchor(BaseModel):
    """A place an event touches. Two events meet under a scope if they share an anchor of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    id: str
    inferred: bool = False
    """True where topology concluded it (elimination, address book), not where evidence says it."""


class Event(BaseModel):
    """One condition on one entity over an interval.

    `start` holds the onset: it lies in [start.utc - before_s - start.uncertainty_s,
    start.utc + start.uncertainty_s]. `end` None means open: not known to be over.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    page: str
    role: Role
    layer: Layer
    plane: Plane
    severity: Severity
    damage: int = 0
    entity: Entity
    anchors: tuple[Anchor, ...] = ()
    """Own entity included."""
    peers: tuple[Anchor, ...] = ()
    """The other side that the evidence names."""
    start: Instant
    before_s: float = 0.0
    """How much earlier than `start` the condition may have begun (timeouts, snapshots)."""
    last: Instant
    """The last time it was seen."""
    end: Instant | None = None
    count: int = 1
    pace: Mapping[int, int] = Field(default={}, exclude=True, repr=False)
    """Occurrences by quarter of an hour since the epoch; only while the timeline is made."""
    steps: Mapping[tuple[str, int], int] = Field(default={}, exclude=True, repr=False)
    """How far work had come, by its writer and each five minutes since the epoch; as `pace`."""
    tempos: Mapping[tuple[str, int], float] = Field(default={}, exclude=True, repr=False)
    """The least that a step took, or lost, in them, as its program prints it; as `pace`."""
    fields: Mapping[str, FieldValue] = {}
    """Of the first line; numeric fields keep their maximum over the burst."""
    text: str = ""
    channels: frozenset[Channel] = frozenset()
    clocks: frozenset[str] = frozenset()
    clock: str = ""
    """The one of them that stamped `start`."""
    kin: str = ""
    """A clock that shares the unknown zone of `clock`; empty where it stands alone."""
    citations: tuple[Citation, ...] = ()
    members: tuple[Entity, ...] = ()
    """For a population event: the entities folded into it."""
    baseline_rate: float = 0.0
    """Occurrences an hour of the same condition before the incident or on unaffected peers."""
    chronic: bool = False
    """True when it was there before at a like rate: noise, no root."""
    known: bool = False
    """True on a node that was already cordoned, drained or in repair with a reason."""
    benign: str = ""
    """Why it is known to be harmless; empty when it is not."""
    live: bool = False
    """Seen only by a live look, which proves the present."""

    @property
    def earliest(self) -> float:
        """Epoch seconds before which the onset cannot lie."""
        return self.start.utc.timestamp() - self.before_s - self.start.uncertainty_s

    @property
    def latest(self) -> float:
        """Epoch seconds after which the onset cannot lie."""
        return self.start.utc.timestamp() + self.start.uncertainty_s

    @property
    def worker(self) -> str:
        """The job that it is of; where none is named, the thing itself."""
        return next((a.id for a in self.anchors if a.kind == "job"), self.entity.id)

    def shared_s(self, other: "Event") -> float:
        """Seconds of doubt that both onsets share, so that none of it lies between them.

        A clock whose zone or boot time is unknown is off by the same amount at both.
        """
        if not self.clock or (self.kin or self.clock) != (other.kin or other.clock):
            return 0.0
        return min(self.start.common_s, other.start.common_s)

    @property
    def is_closed(self) -> bool:
        """Tell whether something says that it was over, beyond that it was not seen again."""
        return self.end is not None and self.end.utc > self.last.utc

    @property
    def finish(self) -> float:
        """Epoch seconds when it was over; infinity while open."""
        if self.end is None:
            return float("inf")
        return self.end.utc.timestamp() + self.end.uncertainty_s


class Setting(BaseModel):
    """A configured value that evidence shows, where it holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    value: float
    """Seconds for durations, bytes for sizes."""
    anchors: tuple[Anchor, ...] = ()
    citation: Citation


class ClockCorrection(BaseModel):
    """What to add to a clock's stamps to get UTC, from line `from_line` of `evidence` on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    clock: str
    offset_s: float
    uncertainty_s: float = 0.0
    since: datetime = datetime.min.replace(tzinfo=UTC)
    from_line: int = 0
    evidence: tuple[str, ...] = ()
    why: str = ""
    kind: Literal["offset", "zone", "step"] = "offset"


class Coverage(BaseModel):
    """What one source saw of one target: a line of the ledger that no model writes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    target: str
    state: Literal["abnormal", "normal", "hung", "not_checked", "not_visible"]
    why: str = ""
    reason: Bilingual | None = None
    """`why` in both languages, where it is said in our own words."""
    since: datetime | None = None
    until: datetime | None = None
    """The time it covers; None: unknown or open."""
    evidence: tuple[str, ...] = ()


class Slowdown(BaseModel):
    """A stretch in which a job went on far slower, or worse, than at its best, or not at all."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    job: str
    since: datetime
    until: datetime


class Timeline(BaseModel):
    """Events in order of their onset, with the clocks put right."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    events: tuple[Event, ...] = ()
    settings: tuple[Setting, ...] = ()
    corrections: tuple[ClockCorrection, ...] = ()
    unresolved_zones: tuple[str, ...] = Field(default=())
    """Clocks whose zone stays unknown."""
    slowdowns: tuple[Slowdown, ...] = ()
    stalls: tuple[Slowdown, ...] = ()
    divergences: tuple[Slowdown, ...] = ()
    """Stretches to the end of a job's log in which its loss is far above what it was before."""
    unread: tuple[Event, ...] = ()
    """What writers themselves call errors and no page knows, one for each writer and run."""
