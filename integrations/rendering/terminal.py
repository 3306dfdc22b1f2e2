"""The report on a terminal. All text is escaped and no markup is interpreted."""

from collections.abc import Iterable, Mapping
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table as Grid
from rich.text import Text
from rich.tree import Tree

from integrations.rendering.answer import title_line
from integrations.rendering.brief import build_brief
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
    Quote,
    Section,
    Span,
    Step,
    Table,
)
from integrations.rendering.escaping import flatten, make_visible
from integrations.rendering.naming import for_people
from integrations.rendering.sections import build_sections
from integrations.rendering.summary import build_summary
from integrations.rendering.view import View
from integrations.rendering.wrapping import Prose

LIMITS = Limits(events=12, hypotheses=5, rows=20, quotes=5, cards=False)
_PIPE_WIDTH = 120
"""Columns where nobody tells how wide the reader's paper is."""
_NARROW = 110
"""Below so many columns, tables of many columns would be tall towers of short words."""
_STYLES: Mapping[str, str] = {
    "strong": "bold",
    "soft": "dim",
    "code": "cyan",
    "tag": "bold magenta",
    "ref": "cyan",
    "critical": "bold red",
    "error": "yellow",
    "warning": "blue",
    "info": "dim",
    "CONFIRMED": "bold green",
    "LIKELY": "bold",
    "INCONCLUSIVE": "bold magenta",
    "abnormal": "yellow",
    "hung": "bold red",
    "not_checked": "magenta",
    "not_visible": "magenta",
    "normal": "green",
    "P0": "bold red reverse",
    "P1": "bold yellow",
    "P2": "bold blue",
}
_SYMBOLS: Mapping[str, str] = {
    "critical": "■ ", "error": "▲ ", "warning": "◆ ", "info": "● ",
    "hung": "■ ", "abnormal": "▲ ", "not_checked": "? ", "not_visible": "? ", "normal": "✓ ",
}  # fmt: skip


def open_console(stream: TextIO, *, colour: bool | None, width: int | None = None) -> Console:
    """Open a console on `stream`; colour None lets the stream decide. Reads no environment."""
    terminal = stream.isatty()
    plain = colour is False or (colour is None and not terminal)
    return Console(
        file=stream,
        force_terminal=not plain,
        no_color=plain,
        color_system=None if plain else "standard",
        width=width or (None if terminal else _PIPE_WIDTH),
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=False,
        _environ={},
    )


def print_report(
    view: View, console: Console, limits: Limits = LIMITS, *, whole: bool = False
) -> None:
    """Print the answer in a line, then what matters, or the `whole` report; end on the answer."""
    view = for_people(view)
    console.print(_line(title_line(view)))
    answer = Prose(flatten(view.recap()), "bold")
    console.print(answer)
    for section in build_sections(view, limits) if whole else build_brief(view):
        print_section(section, console)
    console.print(Prose(f"\n{view.colophon()}", "dim"))
    # The top has scrolled away by now: end on what matters.
    summary = build_summary(view) if whole else None
    if summary:
        print_section(summary, console)
        console.print()
    console.print(answer)


def print_section(section: Section, console: Console) -> None:
    """Print one section under its title."""
    console.print()
    console.print(Rule(Text(section.title, "bold"), align="left", style="dim"))
    console.print(Group(*_blocks(section, narrow=console.width < _NARROW)))


def _blocks(section: Section, *, narrow: bool) -> Iterable[RenderableType]:
    return (_block(block, narrow=narrow) for block in section.blocks)


def _block(block: Block, *, narrow: bool) -> RenderableType:
    match block:
        case Paragraph(line):
            return _line(line)
        case Items(lines, ordered):
            marks = (f"{n}." if ordered else "•" for n in range(1, len(lines) + 1))
            return _pairs(
                (Text(mark), _line(line)) for mark, line in zip(marks, lines, strict=True)
            )
        case Facts(facts):
            return _pairs((_label(fact), _line(fact.line)) for fact in _without_repeats(facts))
        case Table():
            return _flow(block) if narrow and block.flows else _table(block)
        case Chain(_, steps):
            return _tree(steps)
        case Card():
            return _card(block)


def _without_repeats(facts: Iterable[Fact]) -> Iterable[Fact]:
    """Print a label once where several facts in a row share it."""
    before = ""
    for fact in facts:
        yield Fact("" if fact.label == before else fact.label, fact.line, loud=fact.loud)
        before = fact.label or before


def _label(fact: Fact) -> Text:
    return Text(fact.label, "bold" if fact.loud else "")


def _pairs(pairs: Iterable[tuple[Text, Text]]) -> Grid:
    grid = Grid.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for label, line in pairs:
        grid.add_row(label, line)
    return grid


def _table(table: Table) -> Grid:
    title = Text(table.caption, "bold") if table.caption else None
    grid = Grid(
        box=SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, header_style="dim",
    )  # fmt: skip
    for column in table.columns:
        grid.add_column(Text(column), overflow="fold")
    for row in table.rows:
        grid.add_row(*(_line(cell) for cell in row.cells))
    return grid


def _flow(table: Table) -> RenderableType:
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for row in table.rows:
        cells = [_line(cell) for cell in row.cells if cell]
        grid.add_row("•", _joined(cells))
    title = [Text(table.caption, "bold")] if table.caption else []
    return Group(*title, grid, "")


def _tree(steps: Iterable[Step]) -> Tree:
    top = Tree("", hide_root=True, guide_style="dim")
    above = [top]
    for step in steps:
        above = above[: step.depth + 1]
        above.append(above[-1].add(_line(step.line)))
    return top


def _card(card: Card) -> RenderableType:
    facts = _joined(_fact(fact) for fact in card.facts)
    facts.stylize("dim")
    parts: list[RenderableType] = [_line(card.title), facts]
    if card.note:
        parts.append(Text(card.note, "italic"))
    if card.quote.lines:
        parts.append(_quote(card.quote))
    return Group(parts[0], Padding(Group(*parts[1:]), (0, 0, 0, 4)))


def _fact(fact: Fact) -> Text:
    label = f"{fact.label} " if fact.label else ""
    return Prose(label).append_text(_line(fact.line))


def _quote(quote: Quote) -> Grid:
    """Set numbers beside their lines, so that a long line wraps under itself."""
    grid = Grid.grid(padding=(0, 1, 0, 0))
    grid.add_column(justify="right", style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, words in quote.lines:
        lead = f"{number or ''} │" if quote.numbered else "│"
        grid.add_row(lead, Prose(make_visible(words)))
    return grid


def _line(line: Line) -> Text:
    shown = Prose()
    for span in line:
        shown.append(_words(span), _STYLES.get(span.value) or _STYLES.get(span.kind) or "")
    return shown


def _joined(parts: Iterable[Text]) -> Text:
    shown = Prose()
    for n, part in enumerate(parts):
        shown.append_text(Text(" · ", "dim") if n else Text()).append_text(part)
    return shown


def _words(span: Span) -> str:
    symbol = _SYMBOLS.get(span.value, "") if span.kind in ("severity", "coverage") else ""
    clean = f"[{flatten(span.text)}]" if span.kind == "tag" else flatten(span.text)
    lead = " " if span.text[:1].isspace() else ""
    tail = " " if span.text[-1:].isspace() and clean else ""
    return f"{lead}{symbol}{clean}{tail}"
