"""What was read, from where, when, and what could not be seen.

`Evidence` is one capture: a command's output, a query's answer, a file. Everything else here was
read from a capture and names it. The types that exist in great numbers (`Instant`, `Record`,
`Sample`) are frozen dataclasses, because a million of them must cost seconds, not minutes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

Outcome = Literal["ok", "empty", "hung", "denied", "absent", "failed"]
Zone = Literal["stated", "assumed", "unknown"]
Ending = Literal["", "orderly", "cut"]
"""With words of a shutdown, in mid-sentence, or not to be told."""
Channel = Literal[
    "kernel", "service", "app", "device", "event", "object", "metric", "reading", "command",
    "alert", "text", "quoted",
]  # fmt: skip
"""Who wrote a line, by the transport that carried it, never by what the line says.

kernel: the kernel ring buffer · service: a system daemon's log (its name is the record's `unit`) ·
app: a workload's own output · device: a storage, network or BMC appliance's log · event: a
Kubernetes Event · object: a Kubernetes object's state · metric: samples · reading: a typed value
(NVML, nvidia-smi) · command: text that a command printed · alert: an alert · text: a file whose
writer could not be told · quoted: what a person copied from the kernel's log into a text of theirs.
"""


class Window(BaseModel):
    """A span of time; an open end is None."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: AwareDatetime | None = None
    until: AwareDatetime | None = None

    def contains(self, moment: datetime) -> bool:
        """Tell whether `moment` lies inside, ends included."""
        return (self.since is None or moment >= self.since) and (
            self.until is None or moment <= self.until
        )


class _Sent:
    """Goes to another process as its values in order: the usual way of dataclasses takes thrice."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        """Make it again from its values."""
        kind: type = type(self)
        return type(self), _values_of(kind)(self)


@cache
def _values_of(kind: type) -> Callable[[object], tuple[object, ...]]:
    return attrgetter(*(each.name for each in fields(kind)))


@dataclass(frozen=True, slots=True)
class Instant(_Sent):
    """A moment in UTC with its error bar.

    `zone` is "stated" where the text names its offset or its format implies UTC, "assumed" where a
    zone from elsewhere was applied (on a timeline: one that was concluded, for what the operator
    stated counts as stated there unless evidence denies it), "unknown" where `utc` merely reads the
    wall time as if it were UTC (then `uncertainty_s` is 14 hours until evidence resolves it).
    """

    utc: datetime
    uncertainty_s: float = 0.0
    zone: Zone = "stated"
    original: str = ""
    offset_doubt_s: float = 0.0
    """The part of `uncertainty_s` that comes from what its clock was put right by."""

    @property
    def dated(self) -> bool:
        """False where nothing tells the day: `utc` only keeps the order within one clock."""
        return self.uncertainty_s < UNDATED_S

    @property
    def common_s(self) -> float:
        """The part of the error that all stamps of one clock share.

        Whatever the zone, the boot time or the clock's offset turns out to be, it moves all of them
        alike: between two stamps of one clock it cancels.
        """
        if self.zone != "unknown":
            return self.offset_doubt_s
        widths = (UNDATED_S, UNKNOWN_BOOT_S, UNKNOWN_ZONE_S)
        return next((one for one in widths if self.uncertainty_s >= one), self.uncertainty_s)


UNKNOWN_ZONE_S = 14 * 3600.0
"""How far a wall time of unknown zone can be from UTC, in seconds."""
UNKNOWN_BOOT_S = 7 * 86400.0
"""How far a boot clock that nothing ties to wall time is trusted to be from when it was captured,
in seconds. No zone is that wide, so that the two can be told apart."""
UNDATED_S = 3650 * 86400.0
"""The error of a moment of which nothing tells the day: a file's age says when it was copied."""


class Evidence(BaseModel):
    """One capture: what was asked, of whom, when, and how it ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    source: str
    """journal, kubernetes, prometheus, nvml, host, containers, alert, file … (the probe's name)"""
    command: str
    """The exact command or query that anyone can repeat; for a file, its path as given."""
    target: str = ""
    """The host, object or file it speaks of."""
    cluster: str = ""
    observed_at: AwareDatetime | None = None
    """When it was captured; None where only the content knows."""
    window: Window = Window()
    """The time the content covers: first to last stamp seen, or the window asked for."""
    outcome: Outcome = "ok"
    detail: str = ""
    """Why, when the outcome is not ok; for `hung`, after how long it was given up."""
    path: str = ""
    """Where the bytes lie; member paths of archives after `!`."""
    size: int = 0
    """Bytes of content (decompressed)."""
    sha256: str = ""
    """Of the stored, masked bytes; for a user's own file, of that file as it lies there."""
    truncated: bool = False
    live: bool = False
    """True when captured from a running system by us now, so that it proves the present only."""
    modified: AwareDatetime | None = None
    """When a file that no capture dates was last changed: nothing in it is younger."""


class Gap(BaseModel):
    """Something that could not be seen, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    target: str
    why: str
    state: Literal["hung", "not_checked", "not_visible"] = "not_checked"
    evidence: str = ""
    window: Window = Window()
    offset: int | None = None
    length: int | None = None
    """Bytes that are in no record, for gaps inside a file."""


@dataclass(frozen=True, slots=True)
class Record(_Sent):
    """One logical line (its continuation lines joined with newlines) read from evidence."""

    evidence: str
    channel: Channel
    text: str
    line: int = 0
    """1-based line number of the first physical line in the capture; 0 where lines mean nothing."""
    time: Instant | None = None
    clock: str = ""
    """Which clock stamped it: ``host:NAME``, ``api:CLUSTER``, ``scrape:NAME`` or ``file:E5``."""
    host: str = ""
    unit: str = ""
    """systemd unit, syslog tag, Kubernetes component, container name: who wrote it."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What the carrier said beside the text: pod, namespace, container, rank, pid, boot, reason."""
    stands_for: int = 1
    """How many lines like it this one stands for, where a steady hum was thinned."""


@dataclass(frozen=True, slots=True)
class ObjectState(_Sent):
    """A Kubernetes-like object's state as captured, whole enough for signatures to walk."""

    evidence: str
    kind: str
    """Kind as Kubernetes writes it: Node, Pod, Event, Job, PersistentVolume, Lease…"""
    namespace: str
    name: str
    uid: str
    content: Mapping[str, object]
    observed: Instant | None = None
    line: int = 0
    """Where the object begins, where lines are known without a search."""
    locate: Callable[[tuple[str | int, ...]], int] | None = field(
        default=None, compare=False, repr=False
    )
    """Finds the line of the value at a path inside the object; 0 where it cannot be told."""


@dataclass(frozen=True, slots=True)
class Sample(_Sent):
    """One value of a series at a moment."""

    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Series(_Sent):
    """The samples of one label set, of a named query or of a plain metric."""

    evidence: str
    query: str
    """The query's name, or the metric's name for loose OpenMetrics."""
    labels: Mapping[str, str]
    samples: Sequence[Sample]
    clock: str = ""


@dataclass(frozen=True, slots=True)
class Reading(_Sent):
    """Typed values of one entity at one moment: NVML, nvidia-smi, a parsed command."""

    evidence: str
    kind: str
    """What was read: gpu, nvlink, mount, chrony, disk …"""
    host: str
    values: Mapping[str, str | float | int | bool | None]
    observed: Instant | None = None
    line: int = 0
    quotes: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Value's name → line and words as they stand in the capture, where the names differ."""


@dataclass(frozen=True, slots=True)
class Span(_Sent):
    """Bytes of a text that were scanned and stay where they lie, found again by offset."""

    evidence: str
    offset: int
    length: int
    lines: int
    first: Instant | None = None
    last: Instant | None = None
    host: str = ""
    channel: Channel = "text"
    unit: str = ""
    ending: Ending = ""
    """How the host's lines in the whole content end."""


Item = Record | ObjectState | Series | Reading | Span | Gap
"""Whatever a reader yields. The lengths of a capture's spans and gaps add up to its size."""


class Citation(BaseModel):
    """A place in evidence, with the words that stand there (masked)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    evidence: str
    line: int = 0
    text: str = Field(default="", max_length=2000)
