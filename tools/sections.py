"""Reads a text that collects many outputs: each part by its own reader, at its place in the whole.

A part is sniffed as if it were a file of its own. Its lines and bytes keep the numbers that they
have in the whole, so that a citation is found by whoever opens the file.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from tools.capture import Capture
from tools.capture_reading import UNREADABLE
from tools.evidence import Gap, Item, ObjectState, Reading, Record, Span
from tools.request import Request
from tools.sniffing import LogReader, sniff
from tools.source import HEAD, Reader, Source, Writer

SESSION = "session"
"""The reader that cuts a text into sections."""


@dataclass(frozen=True)
class Section:
    """One part of the text."""

    data: bytes
    offset: int
    """Where it begins in the whole."""
    lines: int
    """How many lines stand before it."""
    title: str = ""
    capture: Capture = field(default_factory=Capture)
    modified: datetime | None = None
    """When nothing in it can be younger."""
    is_log: bool = False
    """A program's own lines: whatever they look like, they are no document."""
    is_heading: bool = False
    """It only names what follows: kept, not read."""
    is_table: bool = False
    """One program's output, cut out of a text: it is not cut again."""
    pasted: bool = False
    writer: Writer | None = None


def read_section(section: Section, source: Source, request: Request) -> Iterator[Item]:
    """Yield what one part says, and a span or gap for each of its bytes."""
    counted = 0
    silent = section.is_heading or not section.data
    items = iter(()) if silent else _read(section, source, request)
    for item in items:
        if isinstance(item, Span | Gap):
            counted += item.length or 0
        yield _moved(item, section)
    if missing := len(section.data) - counted:
        yield Span(source.evidence, section.offset + counted, missing, 0)


def _read(section: Section, source: Source, request: Request) -> Iterator[Item]:
    part = Source(
        evidence=source.evidence,
        name=f"{source.name}!{section.title}" if section.title else source.name,
        open=lambda: io.BytesIO(section.data),
        head=section.data[:HEAD],
        capture=section.capture,
        modified=section.modified or source.modified,
        known=source.known,
        pasted=section.pasted,
        writer=section.writer,
    )
    for reader in sniff(part):
        if section.is_log and not isinstance(reader, LogReader):
            continue
        if section.is_table and reader.name == SESSION:
            continue
        said = False
        try:
            for item in reader.read(part, request):
                said = True
                yield item
        except UNREADABLE as error:
            yield _damaged(reader, part, error)
            if not said:
                continue
        return


def _damaged(reader: Reader, part: Source, error: Exception) -> Gap:
    why = f"damaged {reader.name}, searched as plain text: {str(error) or type(error).__name__}"
    return Gap(source=reader.source, target=part.name, why=why[:400], evidence=part.evidence)


def _moved(item: Item, section: Section) -> Item:
    """Give an item the place that it has in the whole."""
    match item:
        case Record(line=line) if line:
            item = replace(item, line=line + section.lines)
        case Reading():
            item = _moved_reading(item, section.lines)
        case ObjectState():
            item = _moved_object(item, section.lines)
        case Span():
            item = replace(item, offset=item.offset + section.offset)
        case Gap(offset=int(offset)):
            item = item.model_copy(update={"offset": offset + section.offset})
    return item


def _moved_reading(item: Reading, lines: int) -> Reading:
    quotes = {name: (line + lines, said) for name, (line, said) in item.quotes.items()}
    return replace(item, line=item.line + lines if item.line else 0, quotes=quotes)


def _moved_object(item: ObjectState, lines: int) -> ObjectState:
    locate = item.locate

    def moved(path: tuple[str | int, ...]) -> int:
        found = locate(path) if locate else 0
        return found + lines if found else 0

    line = item.line + lines if item.line else 0
    return replace(item, line=line, locate=moved if locate else None)
