"""What a report consists of, before any renderer gives it a form.

A report is sections of blocks of lines of spans. The terminal, Markdown and the page render the
same content, so that no entrance knows more than another.
"""

from dataclasses import dataclass, field
from typing import Literal

SpanKind = Literal[
    "text", "strong", "soft", "bound", "code", "tag", "ref",
    "severity", "confidence", "coverage", "priority",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text of one kind. `value` is the id it points to or the class it has."""

    kind: SpanKind
    text: str
    value: str = ""


Line = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One line on its own."""

    line: Line


@dataclass(frozen=True, slots=True)
class Items:
    """A list, numbered where the order matters."""

    lines: tuple[Line, ...]
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what it says; `loud` ones are read first."""

    label: str
    line: Line
    loud: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Labelled lines, one under the other."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A table's row; `anchor` is the id that links point to."""

    cells: tuple[Line, ...]
    anchor: str = ""
    more: tuple[str, ...] = ()
    """Further ids that lead to this row, where it stands for several things."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table under its column names."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    caption: str = ""
    flows: bool = False
    """True where each cell says what it is, so that a narrow form may run a row into a line."""


@dataclass(frozen=True, slots=True)
class Step:
    """A line of a tree; `depth` 0 stands at its top."""

    depth: int
    line: Line


@dataclass(frozen=True, slots=True)
class Chain:
    """Links as a table, and as the tree they make for where a table has no room."""

    table: Table
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Lines of evidence as they stand there, with their numbers (0: none)."""

    lines: tuple[tuple[int, str], ...]

    @property
    def numbered(self) -> bool:
        """Tell whether any line has a number."""
        return any(number for number, _ in self.lines)


@dataclass(frozen=True, slots=True)
class Card:
    """A capture and what is quoted of it."""

    anchor: str
    title: Line
    facts: tuple[Fact, ...]
    quote: Quote
    note: str = ""
    key: bool = True
    """False for what only the timeline cites: it may be folded away."""
    open: bool = False
    """True where the quote is short and the cause stands on it."""
    badge: str = ""
    """What to know of it before it is opened."""


Block = Paragraph | Items | Facts | Table | Chain | Card


@dataclass(frozen=True, slots=True)
class Section:
    """A titled part of the report."""

    id: str
    title: str
    blocks: tuple[Block, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of the long parts a form has room for."""

    events: int
    """Rows of the timeline in each plane; one row may stand for many alike."""
    hypotheses: int
    rows: int
    """Rows of every other long table."""
    quotes: int
    """Quoted lines of one capture."""
    cards: bool = True
    """False where a capture has a line and not a card."""


def collect_anchors(sections: tuple[Section, ...]) -> frozenset[str]:
    """Return the ids that links in these sections can lead to: what was cut has none."""
    blocks = [block for section in sections for block in section.blocks]
    cards = {block.anchor for block in blocks if isinstance(block, Card)}
    tables = [block for block in blocks if isinstance(block, Table)]
    rows = [row for table in tables for row in table.rows if row.anchor]
    return frozenset(cards.union(*((row.anchor, *row.more) for row in rows)))


def text(words: str) -> Line:
    """Return plain words as a line."""
    return (Span("text", words),) if words else ()


def strong(words: str) -> Line:
    """Return words that carry the weight of their line."""
    return (Span("strong", words),) if words else ()


def soft(words: str) -> Line:
    """Return words that explain rather than tell."""
    return (Span("soft", words),) if words else ()


def bound(words: str) -> Line:
    """Return words that should not be broken over lines, where the form can help it."""
    return (Span("bound", words),) if words else ()


def tag(words: str) -> Line:
    """Return a mark that singles its line out."""
    return (Span("tag", words),) if words else ()


def code(words: str) -> Line:
    """Return something to be read letter by letter."""
    return (Span("code", words),) if words else ()


def refs(ids: tuple[str, ...] | list[str], *, most: int = 6) -> Line:
    """Return links to evidence, events, hypotheses or checks; the rest as a number."""
    spans: list[Span] = []
    for one in ids[:most]:
        spans += [Span("text", " "), Span("ref", one, one)] if spans else [Span("ref", one, one)]
    if len(ids) > most:
        spans.append(Span("soft", f" +{len(ids) - most}"))
    return tuple(spans)


def join(*lines: Line, by: str = " ") -> Line:
    """Join the lines that are not empty."""
    spans: list[Span] = []
    for line in lines:
        if line and spans:
            spans.append(Span("text", by))
        spans.extend(line)
    return tuple(spans)


def plain(line: Line) -> str:
    """Return the bare words of a line."""
    return "".join(span.text for span in line)
