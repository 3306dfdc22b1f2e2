"""The report as Markdown (GitHub's dialect), with every untrusted word escaped."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from integrations.rendering.answer import title_line
from integrations.rendering.content import (
    Block,
    Card,
    Fact,
    Facts,
    Items,
    Limits,
    Line,
    Paragraph,
    Section,
    Span,
    Table,
)
from integrations.rendering.escaping import code_span, escape_markdown, fence
from integrations.rendering.moments import write_stamp
from integrations.rendering.sections import build_sections
from integrations.rendering.view import View

LIMITS = Limits(events=200, rows=200, quotes=20)
_SYMBOLS: Mapping[str, str] = {"critical": "⯃", "error": "▲", "warning": "◆", "info": "●"}


def render_markdown(view: View) -> str:
    """Render the whole report as one Markdown document."""
    investigation, words = view.investigation, view.words
    versions = words("report.versions", **investigation.versions.model_dump())
    generated = f"{words('report.generated')} {write_stamp(investigation.generated_at)}"
    parts = [f"# {_line(title_line(view))}", f"**{escape_markdown(view.headline())}**"]
    parts += [_section(section) for section in build_sections(view, LIMITS)]
    parts.append(f"---\n{escape_markdown(f'{generated} · {versions}')}")
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    blocks = "\n\n".join(_block(block) for block in section.blocks)
    return f"## {escape_markdown(section.title)}\n\n{blocks}"


def _block(block: Block) -> str:
    match block:
        case Paragraph(line):
            return _line(line)
        case Items(lines, ordered):
            return "\n".join(f"{'1.' if ordered else '-'} {_line(line)}" for line in lines)
        case Facts(facts):
            return "\n".join(f"- {_fact(fact)}" for fact in facts)
        case Table():
            return "\n".join(_table(block))
        case Card():
            return "\n\n".join(_card(block))


def _fact(fact: Fact) -> str:
    label = f"**{escape_markdown(fact.label)}:** " if fact.label else ""
    return label + _line(fact.line)


def _table(table: Table) -> Iterator[str]:
    if table.caption:
        yield f"**{escape_markdown(table.caption)}**\n"
    yield _row([escape_markdown(column) for column in table.columns])
    yield _row(["---"] * len(table.columns))
    for row in table.rows:
        cells = [_line(cell) for cell in row.cells]
        if row.anchor:
            cells[0] = f'<a id="{_anchor(row.anchor)}"></a>{cells[0]}'
        yield _row(cells)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _card(card: Card) -> Iterator[str]:
    yield f'### <a id="{_anchor(card.anchor)}"></a>{_line(card.title)}'
    yield " · ".join(_fact(fact) for fact in card.facts)
    if card.note:
        yield f"*{escape_markdown(card.note)}*"
    if card.quote.lines:
        width = max(len(str(number)) for number, _ in card.quote.lines)
        yield fence("\n".join(_quoted(n, words, width) for n, words in card.quote.lines))


def _quoted(number: int, words: str, width: int) -> str:
    lead = str(number) if number else ""
    return f"{lead:>{width}} │ {words}"


def _line(line: Line) -> str:
    return "".join(_SPANS[span.kind](span) for span in line)


def _strong(span: Span) -> str:
    return f"**{escape_markdown(span.text)}**" if span.text.strip() else ""


def _text(span: Span) -> str:
    shown = escape_markdown(span.text)
    lead = " " if span.text[:1].isspace() else ""
    tail = " " if span.text[-1:].isspace() and shown else ""
    return lead + shown + tail


def _ref(span: Span) -> str:
    return f"[{escape_markdown(span.text)}](#{_anchor(span.value)})"


def _severity(span: Span) -> str:
    return f"{_SYMBOLS.get(span.value, '')} {escape_markdown(span.text)}"


def _anchor(name: str) -> str:
    return "".join(letter for letter in name if letter.isalnum() or letter in "-_")


_SPANS: Mapping[str, Callable[[Span], str]] = {
    "text": _text,
    "soft": _text,
    "strong": _strong,
    "code": lambda span: code_span(span.text),
    "ref": _ref,
    "severity": _severity,
    "confidence": _strong,
    "coverage": _strong,
    "priority": _strong,
}
