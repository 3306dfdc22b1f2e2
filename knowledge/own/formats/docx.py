"""Word documents (docx) as text, by their headings; tables by row."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import PurePath
from zipfile import BadZipFile

import docx
from docx.document import Document
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml.etree import LxmlError  # type: ignore[import-untyped]  # it comes with python-docx

from knowledge.errors import DocumentRefusedError
from knowledge.own.dates import find_date
from knowledge.own.draft import Block, Draft, make_draft, one_line

FORMAT = "docx"
_HEADING = re.compile(r"(?:heading|标题) ?(\d)", re.IGNORECASE)
_TEMPLATE_WRITTEN = datetime(2013, 12, 23, 23, 15, tzinfo=UTC)
_MADE_UP = "Word Document"
"""What python-docx writes where nobody named a document."""
_BROKEN = (OpcError, BadZipFile, LxmlError, KeyError, ValueError, AttributeError, TypeError)


def read_docx(content: bytes, name: str = "") -> Draft:
    """Read a Word document.

    Raises:
        DocumentRefusedError: it is damaged or holds no text.
    """
    try:
        document = docx.Document(BytesIO(content))
        blocks = list(_blocks(document))
        moment, title = _metadata(document)
    except _BROKEN as error:
        why = f"a damaged Word document: {one_line(str(error))}"
        raise DocumentRefusedError(name, why) from error
    stated = find_date("\n".join(each.text for each in blocks[:30]))
    stated = stated or (moment.date() if moment else None)
    headings = (each.text for each in blocks if each.level and each.text.strip())
    title = title or next(headings, PurePath(name).stem)
    return make_draft(blocks, Draft(name=name, format=FORMAT, title=title, stated=stated))


def _metadata(document: Document) -> tuple[datetime | None, str]:
    """Return when it was written and its title; what the library makes up is neither."""
    try:
        document.part.package.part_related_by(RELATIONSHIP_TYPE.CORE_PROPERTIES)
    except KeyError:
        return None, ""
    told = document.core_properties
    moments = (told.modified, told.created)
    moment = next((each for each in moments if each and each != _TEMPLATE_WRITTEN), None)
    return moment, "" if told.title == _MADE_UP else told.title


def _blocks(document: Document) -> Iterator[Block]:
    for part in document.iter_inner_content():
        match part:
            case Paragraph():
                yield Block(part.text, _level(part))
            case Table():
                yield from (Block(" | ".join(_cells(row.cells))) for row in part.rows)


def _cells(cells: object) -> Iterator[str]:
    """Give each cell once: a merged one stands in every column that it spans."""
    before: object = None
    for cell in cells if isinstance(cells, tuple) else ():
        if cell._tc is not before:  # noqa: SLF001 -- the one identity that a cell has
            yield " ".join(cell.text.split())
        before = cell._tc  # noqa: SLF001 -- as above


def _level(paragraph: Paragraph) -> int:
    style = paragraph.style.name if paragraph.style is not None else ""
    if style == "Title":
        return 1
    found = _HEADING.fullmatch(style or "")
    return int(found[1]) if found else 0
