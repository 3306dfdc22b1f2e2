"""The Markdown dialect that the reports are written in, as a parser."""

from markdown_it import MarkdownIt
from markdown_it.token import Token


def parse(text: str) -> list[Token]:
    """Parse CommonMark with tables and strikethrough."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
