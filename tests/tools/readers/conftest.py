"""What the readers' tests share: small real samples, and one way to read them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.bundle import Bundle
from tools.evidence import (
    Evidence,
    Gap,
    Item,
    ObjectState,
    Reading,
    Record,
    Series,
    Span,
)
from tools.request import Request

LITERALS = (
    "NVRM: Xid", "not responding", "oom-kill:constraint=", "Killed process", "fallen off the bus",
    "AER: ", "PCIe Bus Error", "RuntimeError", "PLEG is not healthy", "failover", "slow fdatasync",
    "Watchdog caught", "context deadline exceeded", " type nfs", "GPU UUID", "blocked for more",
)  # fmt: skip


@dataclass
class Reads:
    """Everything that one reading yielded."""

    items: list[Evidence | Item]
    records: list[Record] = field(default_factory=list)
    states: list[ObjectState] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)

    def __post_init__(self) -> None:
        kinds: dict[type, list] = {  # type: ignore[type-arg]  # of any item
            Record: self.records, ObjectState: self.states, Series: self.series,
            Reading: self.readings, Span: self.spans, Gap: self.gaps, Evidence: self.evidence,
        }  # fmt: skip
        for item in self.items:
            kinds[type(item)].append(item)

    def accounted(self, number: str) -> int:
        """Sum what spans and gaps say of one capture."""
        parts = [*self.spans, *self.gaps]
        return sum(part.length or 0 for part in parts if part.evidence == number)


def read_paths(*paths: Path, **scope: object) -> Reads:
    """Read files as a bundle."""
    request = Request.model_validate({"literals": LITERALS, **scope})
    with Bundle.open(paths) as bundle:
        return Reads(list(bundle.read(request)))


Read = Callable[..., Reads]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Write a content under a name and read it."""

    def do(content: bytes | str, name: str = "evidence", **scope: object) -> Reads:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_paths(path, **scope)

    return do
