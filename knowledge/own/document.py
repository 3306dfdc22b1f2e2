"""What an organisation added, as it is kept: documents by chapter, pages as they were written."""

import hashlib
import re
from datetime import date
from typing import Literal

from pydantic import AwareDatetime

from knowledge.bilingual import Part
from knowledge.own.draft import Chapter

Dated = Literal["given", "document", "file"]
"""given: said when it was added · document: stated by itself · file: the file's own time."""
Kind = Literal["document", "page"]
OWN = "own"
PART_MARK = "#"
"""Stands before the number of a part of a long document, from the second on."""
_ID_DIGITS = 12
_ADDRESS = re.compile(r"^[a-z][a-z0-9+.-]*:", re.IGNORECASE)


class Document(Part):
    """The text of one version of a document, secrets masked."""

    title: str
    chapters: tuple[Chapter, ...]


class Kept(Part):
    """One version of one thing that was added; `digest` names its content.

    `key` is what tells versions of one thing from other things: what was said to be its source, or
    the place that it was read from, never what it claims itself. `superseded_by` is the digest of
    the version that took its place.
    """

    id: str
    key: str
    kind: Kind
    digest: str
    title: str
    source: str
    date: date
    dated: Dated
    format: str
    added_at: AwareDatetime
    superseded_by: str = ""

    @property
    def badge(self) -> str:
        """Whose it is, from where and of when."""
        return badge_of(self.source, self.date)


def badge_of(source: str, day: date) -> str:
    """Say whose something is, from where and of when; of a file its name is enough."""
    shown = source if _ADDRESS.match(source) else source.rpartition("/")[2]
    return f"{OWN} · {shown} · {day.isoformat()}"


def digest_of(document: Document, key: str) -> str:
    """Name a version of a document by what it is a version of, and its text."""
    return _digest("document", key, document.model_dump_json().encode())


def page_digest(page_id: str, family: str, text: str) -> str:
    """Return the SHA-256 of exactly what a page says and where; an approval is of this."""
    return _digest("page", f"{page_id}\0{family}", text.encode())


def is_content(kept: Kept, content: bytes) -> bool:
    """Tell whether these bytes are what was kept."""
    place = kept.key if kept.kind == "document" else f"{kept.id}\0{OWN}"
    return _digest(kept.kind, place, content) == kept.digest


def _digest(kind: Kind, place: str, content: bytes) -> str:
    return hashlib.sha256(f"{kind}\0{place}\0".encode() + content).hexdigest()


def id_of(digest: str) -> str:
    """Return the id under which people name a version of a document."""
    return f"doc-{digest[:_ID_DIGITS]}"
