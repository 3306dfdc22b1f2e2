"""Reads lines that a tool or a person mixed and marked: each writer's as the log they once were.

What is found is cited by the line of the whole in which it stands.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tools.capture import Capture
from tools.evidence import Gap, Item, ObjectState, Reading, Record, Span
from tools.request import Request
from tools.sections import Section, read_section
from tools.source import Source, Writer

MOST = 256 << 20
"""Bytes of a mixed text, which is sorted by writer as a whole; nobody collects more by hand."""


@dataclass
class Group:
    """The lines of one writer."""

    title: str = ""
    writer: Writer | None = None
    """None: as its name or its lines tell."""
    pasted: bool = False
    """A person put them there: what they say of the kernel is a claim."""
    chosen: bool = False
    """A search chose them: between them others were written, which nobody saw."""
    of_job: bool = False
    """One of a job's many ranks: their stamps are taken for those of one clock."""
    lines: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Where each line stands in the whole, from 1."""

    def add(self, line: bytes, number: int) -> None:
        """Take a line, which may have inner line breaks."""
        parts = line.split(b"\n")
        self.lines += parts
        self.numbers += range(number, number + len(parts))

    def place(self, line: int) -> int:
        """Return where a line of the group stands in the whole."""
        return self.numbers[min(line, len(self.numbers)) - 1] if line > 0 else 0


def read_groups(groups: list[Group], source: Source, request: Request) -> Iterator[Item]:
    """Yield what each group says; the bytes are the whole's, which accounts for them."""
    for group in groups:
        host = group.writer.host if group.writer else ""
        section = Section(
            b"\n".join([*group.lines, b""]), 0, 0, group.title, Capture(target=host),
            pasted=group.pasted, writer=group.writer,
        )  # fmt: skip
        for item in read_section(section, source, request):
            yield _placed(item, group)


def _placed(item: Item, group: Group) -> Item:
    match item:
        case Record():
            own = f"file:{item.evidence}"
            # Each writer has a clock of its own.
            apart = group.title and not group.of_job and item.clock == own
            clock = f"{own}!{group.title}" if apart else item.clock
            return replace(item, line=group.place(item.line), clock=clock)
        case Reading():
            quotes = {name: (group.place(at), said) for name, (at, said) in item.quotes.items()}
            return replace(item, line=group.place(item.line), quotes=quotes)
        case ObjectState():
            return replace(item, line=group.place(item.line), locate=None)
        case Span():
            item = replace(item, offset=0, length=0, lines=0)
            return replace(item, channel="text") if group.chosen else item
        case Gap():
            return item.model_copy(update={"offset": None, "length": None})
        case _:
            return item
