"""Takes an organisation's files into its collection: read apart, secrets masked, pages proved."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from assistant.own_steps import find_dangerous, find_unknown_looks
from assistant.vocabulary import find_faulty
from knowledge.catalog import Catalog
from knowledge.errors import OwnPageRefusedError
from knowledge.lint import lint
from knowledge.own.collection import Collection, Outcome
from knowledge.own.document import Dated, Document, Kept, digest_of, id_of
from knowledge.own.draft import Chapter, Draft, one_line
from knowledge.own.floor import find_hidden, find_lowered, find_quieter
from knowledge.own.page_file import OwnPage, read_own_page
from knowledge.own.shelf import put_over
from knowledge.page import Page
from knowledge.problem import Problem
from tools.entity import ENTITY_KINDS
from tools.masking import mask_text

_BETWEEN = "\n\x1e\n"
"""Stands between chapters while they are masked as one text: a secret may span two."""
_LONGEST_SOURCE = 500
_USER = re.compile(r"(?<=://)[^/\s]*@")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a document was read, when its file was written, and what was said of it."""

    place: str
    file_date: date
    source: str = ""
    given: date | None = None


def take_document(draft: Draft, origin: Provenance, collection: Collection) -> Outcome:
    """Mask a document's secrets and keep it.

    Raises:
        CollectionDamagedError: the list of what was added cannot be read.
        OSError: nothing can be written there.
    """
    key = clean_source(origin.source or _export_id(draft) or origin.place)
    document = _masked(draft)
    digest = digest_of(document, key)
    day, dated = _date(draft, origin)
    kept = Kept(
        id=id_of(digest),
        key=key,
        kind="document",
        digest=digest,
        title=document.title,
        source=clean_source(origin.source or draft.source or origin.place),
        date=day,
        dated=dated,
        format=draft.format,
        added_at=datetime.now(UTC),
    )
    return collection.put(kept, document.model_dump_json().encode())


def take_page(page: OwnPage, draft: Draft, origin: Provenance, collection: Collection) -> Outcome:
    """Keep a page that was proved; it has no effect before an admin approves its digest.

    Raises:
        CollectionDamagedError: the list of what was added cannot be read.
        OSError: nothing can be written there.
    """
    day, dated = _date(draft, origin)
    whole = isinstance(page.content, Page)
    kept = Kept(
        id=page.id,
        key=page.id,
        kind="page",
        digest=page.digest,
        title=one_line(page.content.title.en if isinstance(page.content, Page) else page.id),
        source=clean_source(origin.source or origin.place),
        date=day,
        dated=dated,
        format="page" if whole else "extension",
        added_at=datetime.now(UTC),
    )
    return collection.put(kept, draft.page.encode())


def read_page_draft(draft: Draft, name: str, origin: Provenance) -> OwnPage:
    """Read a draft that is a page; `name` is its id where it names none.

    Raises:
        PageInvalidError: it cannot be read as a page.
        OwnPageRefusedError: it holds a secret: masked, it would be another page.
    """
    page = read_own_page(draft.page, name, where=origin.place)
    if mask_text(draft.page) != draft.page:
        raise OwnPageRefusedError(page.id, ("it holds what looks like a secret; take it out",))
    return page


@dataclass(frozen=True, slots=True)
class Handbook:
    """The shipped pages and an organisation's, against which its new ones are proved."""

    shipped: Catalog
    own: Sequence[OwnPage]

    def prove(self, pages: Sequence[OwnPage]) -> Mapping[str, Sequence[Problem]]:
        """Return what is wrong with each of these pages, by digest, were all of them approved.

        What names a page that is refused itself is found too.
        """
        sound, found = list(pages), {page.digest: list[Problem]() for page in pages}
        while sound:
            told = self._problems(sound)
            for digest, problems in told.items():
                found[digest] = [*problems]
            refused = [page for page in sound if is_refused(told[page.digest])]
            if not refused:
                break
            sound = [page for page in sound if page not in refused]
        return found

    def _problems(self, pages: Sequence[OwnPage]) -> Mapping[str, Sequence[Problem]]:
        ids = {page.id for page in pages}
        every = [*(each for each in self.own if each.id not in ids), *pages]
        whole = put_over(self.shipped, every, {each.digest for each in every})
        found = lint(whole, ENTITY_KINDS, only={page.target for page in pages})
        found += [Problem(page, "vocabulary", fault) for page, fault in find_faulty(whole)]
        return {page.digest: [*self._own_faults(page, whole), *_of(page, found)] for page in pages}

    def _own_faults(self, page: OwnPage, whole: Catalog) -> Iterator[Problem]:
        base = self.shipped.pages.get(page.target)
        for text in find_lowered(page.content, base) if base else ():
            yield Problem(page.target, "risk", text)
        for text in find_dangerous(page.content, base):
            yield Problem(page.target, "risk", text)
        for text in find_quieter(page.content, base) if base else ():
            yield Problem(page.target, "quieter", text, "warning")
        for text in find_unknown_looks(page.content, base):
            yield Problem(page.target, "check", text, "warning")
        for text in find_hidden(page.content, self.shipped.pages.values()):
            yield Problem(page.target, "risk", text)
        if page.target not in whole.pages:
            yield Problem(page.id, "extends", f"extends {page.target}, which no page is")


def is_refused(problems: Sequence[Problem]) -> bool:
    """Tell whether a page with these problems cannot be taken in."""
    return any(each.level == "error" for each in problems)


def _of(page: OwnPage, problems: Sequence[Problem]) -> Iterator[Problem]:
    return (each for each in problems if each.page == page.target)


def clean_source(source: str) -> str:
    """Make an address fit to be kept: on one line, without user, password or a masked token."""
    return one_line(mask_text(_USER.sub("", source)), _LONGEST_SOURCE)


def _export_id(draft: Draft) -> str:
    """Return the id that an export's own tool gave a page; it outlives the file's name."""
    return draft.source if draft.source.startswith("confluence:") else ""


def _date(draft: Draft, origin: Provenance) -> tuple[date, Dated]:
    if origin.given is not None:
        return origin.given, "given"
    if draft.stated is not None:
        return draft.stated, "document"
    return origin.file_date, "file"


def _masked(draft: Draft) -> Document:
    texts = [f"{each.title}\n{each.text}" for each in draft.chapters]
    masked = mask_text(_BETWEEN.join(texts)).split(_BETWEEN)
    if len(masked) != len(texts):
        masked = [mask_text("\n".join(texts))]
    chapters = (each.partition("\n") for each in masked)
    return Document(
        title=one_line(mask_text(draft.title)),
        chapters=tuple(Chapter(title=one_line(title), text=text) for title, _, text in chapters),
    )
