"""All pages of an organisation: those that were added, and those in the folders that it names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from knowledge.catalog import OWN_FAMILY
from knowledge.errors import CollectionDamagedError, PageInvalidError
from knowledge.own.collection import Collection
from knowledge.own.document import Kept, page_digest
from knowledge.own.draft import one_line
from knowledge.own.page_file import OwnPage, read_own_page
from knowledge.page import Page
from knowledge.page_cache import PageCache


@dataclass(frozen=True, slots=True)
class Gathered:
    """Pages, and in one line each what could not be read."""

    pages: tuple[OwnPage, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a page and where it was found; `kept` is empty for a file of a folder."""

    text: str
    page_id: str
    where: str
    family: str = OWN_FAMILY
    written: datetime | None = None
    kept: Kept | None = None


def gather(collection: Collection, folders: Sequence[Path], cache: Path | None = None) -> Gathered:
    """Read every page; one that cannot be read is left out with a warning, as are lost documents.

    `cache` is a folder on a local disk where validated pages are kept for the next run.

    Raises:
        CollectionDamagedError: the list of what was added cannot be read.
    """
    validated = PageCache(cache / "own" if cache else None)
    pages: list[OwnPage] = []
    warnings: list[str] = []
    for found in (*_added(collection), *_lying(folders)):
        read = _read(found, validated) if isinstance(found, _Text) else found
        if isinstance(read, OwnPage):
            pages.append(read)
        else:
            warnings.append(f"page skipped: {read}")
    validated.save()
    warnings += [
        f"document skipped: {each.id}: its content was lost or changed; add it again"
        for each in collection.current()
        if each.kind == "document" and not collection.holds(each)
    ]
    return Gathered(tuple(pages), tuple(warnings))


def read_version(collection: Collection, kept: Kept) -> OwnPage:
    """Read one version of a page, also one in whose place another came.

    Raises:
        PageInvalidError: it cannot be read.
        CollectionDamagedError: it is not there, or not what was kept.
    """
    text = collection.content(kept).decode()
    found = read_own_page(text, kept.id, where=kept.source)
    return replace(found, kept=kept, badge=kept.badge)


def _read(found: _Text, cache: PageCache) -> OwnPage | PageInvalidError:
    key = cache.key(found.text.encode(), found.page_id, found.family)
    page = cache.get(key)
    if page is not None:
        own = OwnPage(page, page_digest(page.id, found.family, found.text))
        return _told(own, found)
    try:
        own = read_own_page(found.text, found.page_id, family=found.family, where=found.where)
    except PageInvalidError as error:
        return error
    if isinstance(own.content, Page):
        cache.put(key, own.content)
    return _told(own, found)


def _told(own: OwnPage, found: _Text) -> OwnPage:
    """Add what the list tells of a page; a digest is always that of the text as it is now."""
    moment = found.written or datetime.now(UTC)
    whole = isinstance(own.content, Page)
    kept = found.kept or Kept(
        id=own.id,
        key=own.id,
        kind="page",
        digest=own.digest,
        title=one_line(own.content.title.en if isinstance(own.content, Page) else own.id),
        source=one_line(found.where, 500),
        date=moment.date(),
        dated="file",
        format="page" if whole else "extension",
        added_at=moment,
    )
    return replace(own, kept=kept, badge=kept.badge)


def _added(collection: Collection) -> Iterator[_Text | PageInvalidError]:
    for kept in collection.current():
        if kept.kind == "page":
            try:
                text = collection.content(kept).decode()
            except (CollectionDamagedError, UnicodeDecodeError) as error:
                yield PageInvalidError(kept.id, str(error))
            else:
                yield _Text(text, kept.id, kept.source, kept=kept)


def _lying(folders: Sequence[Path]) -> Iterator[_Text | PageInvalidError]:
    for root in folders:
        for path in sorted(root.rglob("*.md")) if root.is_dir() else [root]:
            family = path.parent.name if root.is_dir() and path.parent != root else OWN_FAMILY
            try:
                text = path.read_bytes().decode()
                written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            except UnicodeDecodeError as error:
                yield PageInvalidError(str(path), f"not UTF-8 at byte {error.start}")
            except OSError as error:
                yield PageInvalidError(str(path), error.strerror or "cannot be read")
            else:
                yield _Text(text, path.stem, str(path), family, written)
