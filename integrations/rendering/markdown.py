"""The report as Markdown (GitHub's dialect), with every untrusted word escaped."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from integrations.rendering.answer import title_line
from integrations.rendering.content import (
    Block,
    Card,
    Chain,
    Fact,
    Facts,
    Items,
    Limits,
    Line,
    Paragraph,
    Section,
    Span,
    Table,
    collect_anchors,
)
from integrations.rendering.escaping import code_span, escape_markdown, fence
from integrations.rendering.naming import for_people
from integrations.rendering.sections import build_sections
from integrations.rendering.view import View

LIMITS = Limits(events=60, hypotheses=15, rows=60, quotes=15)
_STRONG = ("strong", "tag", "confidence", "coverage", "priority")
_SYMBOLS: Mapping[str, str] = {"critical": "⯃", "error": "▲", "warning": "◆", "info": "●"}


def render_markdown(view: View) -> str:
    """Render the whole report as one Markdown document."""
    view = for_people(view)
    sections = build_sections(view, LIMITS)
    writer = _Writer(collect_anchors(sections))
    parts = [f"# {writer.line(title_line(view))}", f"**{escape_markdown(view.headline())}**"]
    parts += [writer.section(section) for section in sections]
    parts.append(f"---\n{escape_markdown(view.colophon())}")
    return "\n\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes blocks; a link whose target was cut becomes plain words."""

    anchors: frozenset[str]

    def section(self, section: Section) -> str:
        blocks = "\n\n".join(self.block(block) for block in section.blocks)
        return f"## {escape_markdown(section.title)}\n\n{blocks}"

    def block(self, block: Block) -> str:
        match block:
            case Paragraph(line):
                return self.line(line)
            case Items(lines, ordered):
                return "\n".join(f"{'1.' if ordered else '-'} {self.line(line)}" for line in lines)
            case Facts(facts):
                return "\n".join(f"- {self.fact(fact)}" for fact in facts)
            case Table():
                return "\n".join(self.table(block))
            case Chain(table):
                return "\n".join(self.table(table))
            case Card():
                return "\n\n".join(self.card(block))

    def fact(self, fact: Fact) -> str:
        label = f"**{escape_markdown(fact.label)}:** " if fact.label else ""
        return label + self.line(fact.line)

    def table(self, table: Table) -> Iterator[str]:
        if table.caption:
            yield f"**{escape_markdown(table.caption)}**\n"
        yield _row([escape_markdown(column) for column in table.columns])
        yield _row(["---"] * len(table.columns))
        for row in table.rows:
            cells = [self.line(cell) for cell in row.cells]
            if row.anchor:
                marks = (f'<a id="{_anchor(name)}"></a>' for name in (row.anchor, *row.more))
                cells[0] = "".join(marks) + cells[0]
            yield _row(cells)

    def card(self, card: Card) -> Iterator[str]:
        yield f'### <a id="{_anchor(card.anchor)}"></a>{self.line(card.title)}'
        yield " · ".join(self.fact(fact) for fact in card.facts)
        if card.note:
            yield f"*{escape_markdown(card.note)}*"
        if card.quote.lines:
            width = max(len(str(number)) for number, _ in card.quote.lines)
            yield fence("\n".join(_quoted(n, words, width) for n, words in card.quote.lines))

    def line(self, line: Line) -> str:
        return "".join(self.span(span) for span in line)

    def span(self, span: Span) -> str:
        if span.kind in _STRONG:
            return f"**{escape_markdown(span.text)}**" if span.text.strip() else ""
        if span.kind == "code":
            return code_span(span.text)
        if span.kind == "ref" and span.value in self.anchors:
            return f"[{escape_markdown(span.text)}](#{_anchor(span.value)})"
        if span.kind == "severity":
            return f"{_SYMBOLS.get(span.value, '')} {escape_markdown(span.text)}"
        return _text(span)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _quoted(number: int, words: str, width: int) -> str:
    lead = str(number) if number else ""
    return f"{lead:>{width}} │ {words}"


def _text(span: Span) -> str:
    shown = escape_markdown(span.text)
    lead = " " if span.text[:1].isspace() else ""
    tail = " " if span.text[-1:].isspace() and shown else ""
    return lead + shown + tail


def _anchor(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_")
