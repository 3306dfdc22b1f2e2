"""PDF as text, page by page."""

from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError, PyPdfError

from knowledge.errors import DocumentRefusedError
from knowledge.own.dates import find_date
from knowledge.own.draft import Block, Draft, make_draft, one_line

FORMAT = "pdf"
MARK = b"%PDF-"
_MOST_PAGES = 1000
_BROKEN = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError,
           AssertionError, RecursionError, ZeroDivisionError)  # fmt: skip
"""What pypdf raises on files that are not what they say."""


def read_pdf(content: bytes, name: str = "") -> Draft:
    """Read a PDF that has its text in it.

    Raises:
        DocumentRefusedError: it is damaged, encrypted, too long, or holds pictures only.
    """
    try:
        reader = PdfReader(BytesIO(content))
        _unlock(reader, name)
        blocks = _blocks(reader, name)
        draft = _describe(reader, name, blocks)
    except _BROKEN as error:
        raise DocumentRefusedError(name, f"a damaged PDF: {one_line(str(error))}") from error
    if not any(block.text.strip() for block in blocks if not block.level):
        why = "a PDF without text, perhaps a scan; run it through text recognition first"
        raise DocumentRefusedError(name, why)
    return make_draft(blocks, draft)


def _unlock(reader: PdfReader, name: str) -> None:
    """Open what is protected against changes only; such a file opens with an empty password."""
    if not reader.is_encrypted:
        return
    try:
        opened = bool(reader.decrypt(""))
    except (DependencyError, NotImplementedError):
        opened = False
    if not opened:
        raise DocumentRefusedError(name, "an encrypted PDF; save it without its password")


def _blocks(reader: PdfReader, name: str) -> list[Block]:
    pages = len(reader.pages)
    if pages > _MOST_PAGES:
        why = f"a PDF of {pages} pages, more than {_MOST_PAGES}; split it"
        raise DocumentRefusedError(name, why)
    blocks: list[Block] = []
    for number, page in enumerate(reader.pages, 1):
        text = page.extract_text() or ""
        blocks += [Block(f"p. {number}", 2), Block(text)] if text.strip() else []
    return blocks


def _describe(reader: PdfReader, name: str, blocks: list[Block]) -> Draft:
    told = reader.metadata
    moment = told and (told.modification_date or told.creation_date)
    text = blocks[1].text if len(blocks) > 1 else ""
    return Draft(
        name=name,
        format=FORMAT,
        title=str((told and told.title) or "") or text.strip().partition("\n")[0],
        stated=moment.date() if moment else find_date(text),
    )
