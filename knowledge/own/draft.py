"""What a reader makes of a file: its text in chapters, and what it says of itself."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from knowledge.bilingual import Part
from knowledge.errors import DocumentRefusedError

MOST_CHARACTERS = 2_000_000
"""Text that one document may hold: some 700 printed pages."""
_DEEPEST = 3
"""Levels of headings that are told apart; deeper ones stay in the text."""
_TITLE = 200
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What steers a terminal, hides in a page or reorders its text."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph; with a level from 1 on, a heading."""

    text: str
    level: int = 0


class Chapter(Part):
    """Text under one heading; `title` joins the headings above it."""

    title: str = ""
    text: str


class Draft(Part):
    """One document as it was read.

    `name` is where it lay inside an archive, `source` and `stated` what it says itself of its
    address and date; `page` is the text of a file that is a page of the handbook; `encoding` names
    the one in which it was read, where it is not the usual.
    """

    name: str = ""
    format: str
    title: str = ""
    chapters: tuple[Chapter, ...] = ()
    source: str = ""
    stated: date | None = None
    page: str = ""
    encoding: str = ""


class Refusal(Part):
    """A part of an archive that could not be read, and why."""

    name: str
    why: str


def clean(text: str) -> str:
    """Take out escape sequences and characters that nobody sees; lines end in a newline."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return _UNSEEN.sub("", _ESCAPE.sub("", text))


def one_line(text: str, most: int = _TITLE) -> str:
    """Clean a title and put it on one line."""
    return " ".join(clean(text).split())[:most]


def make_draft(blocks: Iterable[Block], draft: Draft) -> Draft:
    """Put blocks into chapters by their headings; the first heading of level 1 is the title.

    Raises:
        DocumentRefusedError: they hold no text, or too much.
    """
    cleaned = [Block(clean(each.text).strip(), each.level) for each in blocks]
    held = [each for each in cleaned if each.text]
    _weigh(draft.name, held)
    first = next((each for each in held if each.level == 1), None)
    title = one_line(draft.title) or one_line(first.text if first else held[0].text)
    chapters = tuple(_chapters(held, title))
    if not chapters:
        raise DocumentRefusedError(draft.name, "it holds headings only, no text")
    return draft.model_copy(update={"title": title, "chapters": chapters})


def _weigh(name: str, blocks: list[Block]) -> None:
    total = sum(len(each.text) for each in blocks)
    if not total:
        raise DocumentRefusedError(name, "it holds no text")
    if total > MOST_CHARACTERS:
        why = f"it holds {total:,} characters of text, more than {MOST_CHARACTERS:,}; split it"
        raise DocumentRefusedError(name, why)


def _chapters(blocks: Iterable[Block], title: str) -> Iterator[Chapter]:
    above: dict[int, str] = {}
    texts: list[str] = []
    for block in blocks:
        if not 1 <= block.level <= _DEEPEST:
            texts.append(block.text)
            continue
        yield from _chapter(above, texts)
        texts = []
        above = {level: name for level, name in above.items() if level < block.level}
        name = one_line(block.text)
        above |= {} if name == title else {block.level: name}
    yield from _chapter(above, texts)


def _chapter(above: dict[int, str], texts: list[str]) -> Iterator[Chapter]:
    if texts:
        names = " / ".join(above[level] for level in sorted(above))
        yield Chapter(title=names, text="\n\n".join(texts))


def named(draft: Draft, name: str) -> Draft:
    """Return the draft under the name of its place in an archive."""
    return draft.model_copy(update={"name": name})
