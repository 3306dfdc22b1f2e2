"""What the machines of a scenario wrote: one value that every writer turns into files.

All times are epoch seconds of true time. A host's own stamps are true time plus its clock's
offset; the writers apply it, so a specification never thinks about wrong clocks.
"""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

KERNEL = "kernel"

Body = dict[str, object]
"""A JSON object, as the Kubernetes API writes it."""


def open_stream(scenario: str, seed: int, purpose: str) -> random.Random:
    """Return the random stream of one purpose, so that noise never moves the story."""
    return random.Random(f"{scenario}/{seed}/{purpose}")


def happens(rng: random.Random, share: float) -> bool:
    """Draw whether something happens that happens in that share of cases."""
    return rng.random() < share


def write_iso(at: float, *, digits: int = 0) -> str:
    """Write a moment as RFC 3339 in UTC with `digits` decimals."""
    moment = datetime.fromtimestamp(at, UTC)
    if digits == 0:
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    fraction = f"{moment.microsecond:06d}{0:03d}"[:digits]
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{fraction}Z"


def read_epoch(text: str) -> float:
    """Read an RFC 3339 moment."""
    return datetime.fromisoformat(text).timestamp()


@dataclass(frozen=True, slots=True)
class Gpu:
    """One accelerator of a host."""

    index: int
    uuid: str
    bdf: str
    """``0000:9b:00`` as the kernel prints it, without the function."""
    serial: str

    @property
    def port(self) -> str:
        """Name the downstream port above it, as the kernel prints it."""
        return f"0000:{int(self.bdf[5:7], 16) - 4:02x}:01.0"


@dataclass(frozen=True, slots=True)
class Boot:
    """An earlier start of a machine."""

    id: str
    booted: float
    down: float
    """When it ended."""


@dataclass(frozen=True, slots=True)
class Host:
    """A machine and its clock."""

    name: str
    address: str
    machine_id: str
    boot_id: str
    booted: float
    gpus: tuple[Gpu, ...] = ()
    clock_offset_s: float = 0.0
    """What its stamps are ahead of true time."""
    before: Boot | None = None
    """Its boot before this one, where it was started anew within the recording."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One journal entry."""

    at: float
    unit: str
    """`kernel`, or the systemd unit without its suffix."""
    text: str
    priority: int = 6
    pid: int = 0


@dataclass(frozen=True, slots=True)
class Loss:
    """What could not be read of a host's journal when the logs were collected."""

    until: float
    """Entries before it are gone; the end of time where none could be read."""
    refusal: str = ""
    """What the tool said instead of entries; empty where the rest was read."""


@dataclass(frozen=True, slots=True)
class PodLog:
    """What one container wrote; the runtime of `host` stamped the lines."""

    namespace: str
    pod: str
    container: str
    host: str
    lines: tuple[tuple[float, str], ...]
    previous: bool = False
    refusal: str = ""
    """What the tool said instead of lines."""


@dataclass(frozen=True, slots=True)
class Metric:
    """Samples of one label set, in rising time."""

    name: str
    labels: Mapping[str, str]
    samples: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Command:
    """A command run on a host, with what it printed or that it hung."""

    host: str
    argv: tuple[str, ...]
    name: str
    """The file's stem."""
    started: float
    output: str = ""
    outcome: Literal["ok", "hung", "failed", "empty"] = "ok"
    took_s: float = 0.2
    source: str = "host"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as somebody exported it: a storage log, a scheduler's log, an application's log."""

    path: str
    text: str
    source: str
    target: str
    command: str
    taken: float


@dataclass(frozen=True, slots=True)
class Ticket:
    """The user's words."""

    language: Literal["en", "zh"]
    text: str


@dataclass
class Recording:
    """Everything that a scenario's machines wrote, before any writer touches it."""

    scenario: str
    seed: int
    cluster: str
    title: str
    since: float
    until: float
    taken: float
    """When the logs were collected."""
    reported: tuple[float, float] = (0.0, 0.0)
    """The window that the report names."""
    hosts: dict[str, Host] = field(default_factory=dict)
    journal: dict[str, list[Entry]] = field(default_factory=dict)
    snapshots: dict[float, list[Body]] = field(default_factory=dict)
    """Kubernetes objects by the moment somebody listed them."""
    losses: dict[str, Loss] = field(default_factory=dict)
    """What is missing of whose journal. Whatever is added later is missing as well."""
    pod_logs: list[PodLog] = field(default_factory=list)
    metrics: list[Metric] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    nvml: dict[str, tuple[float, Body]] = field(default_factory=dict)
    files: list[TextFile] = field(default_factory=list)
    alerts: list[Body] = field(default_factory=list)
    alerts_taken: float = 0.0
    """When the firing alerts were listed."""
    tickets: list[Ticket] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    """What fills the truth's placeholders. Never written into a bundle."""

    def add_hosts(self, hosts: Iterable[Host]) -> None:
        """Make machines known and open their journals."""
        for host in hosts:
            self.hosts[host.name] = host
            self.journal[host.name] = []

    def ask(self, *, en: str, zh: str) -> None:
        """Add the users' words, the same in both languages."""
        self.tickets += [Ticket("en", en), Ticket("zh", zh)]

    def log(self, host: str, at: float, unit: str, text: str, *, priority: int = 6) -> None:
        """Append a journal entry at true time `at`."""
        self.journal[host].append(Entry(at, unit, text, priority))

    def kept(self, host: str) -> list[Entry]:
        """Return the entries of a host's journal that could still be read."""
        loss = self.losses.get(host)
        entries = self.journal[host]
        return [entry for entry in entries if entry.at >= loss.until] if loss else entries

    def stamped(self, host: str, at: float) -> float:
        """Return what the clock of `host` showed at true time `at`."""
        known = self.hosts.get(host)
        return at + (known.clock_offset_s if known else 0.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a scenario is called and how far it reaches around its fault; offsets in seconds."""

    scenario: str
    cluster: str
    title: str
    before_s: float
    after_s: float
    reported_s: float
    """How long before the fault the report's window begins; it ends where the recording ends."""
    collecting_s: float = 5.0
    """How long before the end the logs were collected."""

    def open(self, seed: int, fault: float) -> Recording:
        """Open the recording of a fault at `fault`."""
        until = fault + self.after_s
        return Recording(
            scenario=self.scenario,
            seed=seed,
            cluster=self.cluster,
            title=self.title,
            since=fault - self.before_s,
            until=until,
            taken=until - self.collecting_s,
            reported=(fault - self.reported_s, until),
        )
