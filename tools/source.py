"""One content to be read, as a reader sees it, and what a reader must offer."""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from tools.capture import Capture
from tools.errors import ReaderError
from tools.evidence import UNKNOWN_ZONE_S, Channel, Instant, Item, ObjectState, Reading
from tools.request import Request

V = TypeVar("V")

HEAD = 64 << 10
"""Bytes from the beginning that sniffing may look at."""
WHOLE = 1 << 30
"""The largest document that is read at once; logs are streamed and have no limit."""

MOST_STAMPED = 20_000
"""Lines that both clocks have stamped, of all hosts: any of them places a ring."""


class EvidenceFile(Protocol):
    """A file of the evidence, as the bundle found it."""

    @property
    def name(self) -> str:
        """As the user sees it."""

    @property
    def place(self) -> str:
        """Path inside its bundle."""

    @property
    def path(self) -> Path:
        """Where the bytes lie."""

    @property
    def head(self) -> bytes:
        """The first bytes of the content."""

    @property
    def capture(self) -> Capture:
        """Its manifest line."""


@dataclass
class Known:
    """What captures read before say of others' content."""

    boots: MutableMapping[str, datetime] = field(default_factory=dict)
    """When each host booted."""
    stamped: dict[str, "tuple[Instant, str] | None"] = field(default_factory=dict)
    """Wall time and host of kernel lines, by what the boot clock says in them; None: of several."""
    latest: datetime | None = None
    """The last day that any content names."""
    nodes: MutableMapping[str, str] = field(default_factory=dict)
    """Where each NAMESPACE/POD runs."""
    ranks: "Mapping[str, Writer]" = field(default_factory=dict)
    """By file: rank, host and job of logs that the ranks of one job wrote."""

    readers: list["Reader"] = field(default_factory=list)
    """Those that knew their format lately, the latest first."""

    def prefer(self, reader: "Reader") -> None:
        """Put a reader first: captures of one kind come in a row."""
        if self.readers[:1] != [reader]:
            self.readers[:] = [reader, *(each for each in self.readers if each is not reader)]

    def apart(self) -> "Known":
        """Know the same, and keep for itself what is learnt from here on.

        Captures that are read so say the same in whichever order, and process, they are read.
        """
        boots, nodes = ChainMap({}, self.boots), ChainMap({}, self.nodes)
        return Known(boots, {}, self.latest, nodes, self.ranks, self.readers)

    def own(self) -> "Known":
        """Return what was learnt apart."""
        return Known(_own(self.boots), self.stamped, nodes=_own(self.nodes))

    def join(self, part: "Known") -> None:
        """Take over what was learnt apart."""
        self.boots.update(part.boots)
        self.nodes.update(part.nodes)
        for boot_s, told in part.stamped.items():
            if told is None:
                self.stamped[boot_s] = None
            else:
                self.tie(boot_s, *told)

    def tie(self, boot_s: str, wall: Instant, host: str) -> None:
        """Take a line that a boot clock and a clock of wall time have both stamped."""
        if len(self.stamped) >= MOST_STAMPED or wall.common_s > UNKNOWN_ZONE_S:
            return
        known = self.stamped.setdefault(boot_s, (wall, host))
        if known is not None and known[1] != host:
            self.stamped[boot_s] = None

    def learn(self, item: Item) -> None:
        """Take boot times and places from what was just read."""
        if isinstance(item, ObjectState) and item.kind == "Pod":
            spec = item.content.get("spec")
            node = spec.get("nodeName") if isinstance(spec, Mapping) else None
            if isinstance(node, str):
                self.nodes[f"{item.namespace}/{item.name}"] = node
        elif isinstance(item, Reading) and item.kind == "uptime":
            boot = item.values.get("boot")
            if isinstance(boot, str) and boot.endswith("+00:00"):
                self.boots[item.host] = datetime.fromisoformat(boot)


def _own(known: MutableMapping[str, V]) -> dict[str, V]:
    return dict(known.maps[0] if isinstance(known, ChainMap) else known)


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote a content, as far as its surroundings tell."""

    channel: Channel | None = None
    """None: each line, or its format, must tell."""
    host: str = ""
    unit: str = ""
    clock: str = ""
    fields: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """Decompressed content, opened anew by each call of `open`."""

    evidence: str
    name: str
    """Path as the evidence calls it: a hint, never a proof."""
    open: Callable[[], BinaryIO]
    head: bytes = b""
    capture: Capture = field(default_factory=Capture)
    modified: datetime | None = None
    size: int | None = None
    """Bytes of content, where known before reading."""
    file: Callable[[], Path] | None = None
    """A real file with the content, for programs that must open it themselves."""
    known: Known = field(default_factory=Known)
    pasted: bool = False
    """A person put its lines there: what they say of the kernel is a claim."""
    writer: Writer | None = None
    """Who wrote it, where something that was taken off its lines said so."""

    def reference(self, now: datetime | None) -> datetime | None:
        """Find the latest moment that the content can speak of.

        A copied file is younger than what it says, so the present that was given bounds its age.
        """
        known = self.capture.ended or self.capture.started
        return known or min((t for t in (self.modified, now) if t), default=None)

    def whole(self, most: int = WHOLE) -> bytes:
        """Read everything.

        Raises:
            ReaderError: more than `most` bytes, which a document may have.
        """
        with self.open() as stream:
            data = stream.read(most + 1)
        if len(data) > most:
            raise ReaderError(f"{self.name}: a document of more than {most >> 20} MiB")
        return data


class Reader(Protocol):
    """Understands one format. A module in `tools.readers` offers one as `READER`."""

    @property
    def name(self) -> str:
        """The format's name, unique among readers."""
        ...

    @property
    def source(self) -> str:
        """What evidence of this format is called where no capture says so."""
        ...

    def score(self, head: bytes, hint: str) -> float:
        """Tell from the first bytes how surely this is the format: 0 no, 1 certain."""
        ...

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Yield what the content says, and a span or gap for each byte of it."""
        ...
