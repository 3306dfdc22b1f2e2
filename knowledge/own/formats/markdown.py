"""Markdown as text: what stood between marks, tables by row, code as it is."""

from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.own.dates import find_date, read_date
from knowledge.own.draft import Block, Draft, make_draft
from knowledge.own.formats.html import read_blocks
from knowledge.own.front import is_page, split_front

FORMAT = "markdown"
_DATES = ("date", "updated", "last_updated", "last_modified", "modified", "reviewed", "created")
_SOURCES = ("source", "url", "link", "permalink")


def read_markdown(text: str, name: str = "") -> Draft:
    """Read a Markdown text; one with the front matter of a page is given as it is.

    Raises:
        DocumentRefusedError: it holds no text, or its front matter cannot be read.
    """
    front, body = split_front(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    if is_page(front):
        return Draft(name=name, format="page", title=str(front.get("id", "")), page=text)
    dates = (read_date(front.get(key)) for key in _DATES)
    draft = Draft(
        name=name,
        format=FORMAT,
        title=_said(front.get("title")),
        source=next(filter(None, (_said(front.get(key)) for key in _SOURCES)), ""),
        stated=next(filter(None, dates), None) or find_date(body),
    )
    return make_draft(_blocks(MarkdownIt("commonmark").enable("table").parse(body)), draft)


def _said(value: object) -> str:
    return value if isinstance(value, str) else ""


def _blocks(tokens: Iterable[Token]) -> Iterator[Block]:
    level = 0
    row: list[str] | None = None
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            level = int(token.tag[1:]) if token.nesting > 0 else 0
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            yield Block(" | ".join(row or ()))
            row = None
        elif token.type == "inline" and row is not None:
            row.append(_inline(token.children or ()))
        else:
            yield from _block(token, level)


def _block(token: Token, level: int) -> Iterator[Block]:
    match token.type:
        case "inline":
            yield Block(_inline(token.children or ()), level)
        case "fence" | "code_block":
            yield Block(token.content.rstrip("\n"))
        case "html_block":
            yield from read_blocks(token.content)
        case _:
            pass


def _inline(children: Iterable[Token]) -> str:
    breaks = {"softbreak": "\n", "hardbreak": "\n", "html_inline": ""}
    return "".join(breaks.get(child.type, child.content) for child in children)
