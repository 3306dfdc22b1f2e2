"""How one kind of log line is built: its pattern, and what its parts mean."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from tools.evidence import Channel, Instant
from tools.stamps import Dating


class Line(NamedTuple):
    """What the carrier said about one line, and what remains of it."""

    text: str
    instant: Instant | None = None
    host: str = ""
    unit: str = ""
    channel: Channel | None = None
    """None: as the file's writer."""
    fields: dict[str, str] | None = None


@dataclass
class Setting:
    """What the lines of one content have in common."""

    dating: Dating
    host: str = ""
    boot: datetime | None = None
    """When the host booted, where anything anchors its monotonic clock."""
    stamped: Mapping[str, tuple[Instant, str] | None] = field(default_factory=dict)
    """Wall time and host of kernel lines elsewhere, by what the boot clock says in them."""
    wall: Instant | None = None
    """The one that placed the boot clock, where a line did; it is as sure as that line."""
    undated: datetime | None = None
    """Where to put what nothing dates: its order within one clock is all that counts."""
    notes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Dialect:
    """One kind of line. A module in `tools.readers` offers one as `DIALECT`."""

    name: str
    pattern: re.Pattern[str]
    """Matched at a line's beginning."""
    build: Callable[[re.Match[str], Setting], Line | None]
    """None where the match turns out to mean nothing (a month 13)."""
    weight: float = 0.9
    """How surely a file is of this kind if all its lines match."""
    channel: Channel | None = None
    """Of files of this kind whose writer nothing else tells."""
    source: str = "file"
    escaped: bool = False
    """The carrier is JSON: quotes and backslashes of the text are escaped."""
    prepare: Callable[[bytes, Setting], None] | None = None
    """Look over the whole text for what dates its lines, before they are read."""

    def share(self, lines: list[str]) -> float:
        """Tell how many of the lines match, from 0 to 1."""
        if not lines:
            return 0.0
        return sum(1 for line in lines if self.pattern.match(line)) / len(lines)
