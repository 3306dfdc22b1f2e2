"""Opens what an organisation added: its collection, the decisions on its pages, and who decides."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.errors import SettingError, StoreError
from assistant.own_steps import find_dangerous
from assistant.people import Person
from assistant.settings import Settings
from integrations.bootstrap import OWN_FOLDER, Surroundings, cache_dir, current_user, data_dir
from knowledge.catalog import Catalog
from knowledge.errors import CollectionDamagedError, PageInvalidError
from knowledge.own.collection import Collection
from knowledge.own.document import Kept
from knowledge.own.gathering import Gathered, gather, read_version
from knowledge.own.page_file import OwnPage
from knowledge.own.shelf import bare_title, put_over
from tools.context import host_name
from tools.workspace import NETWORK, filesystem_of

if TYPE_CHECKING:
    from assistant.approval import Approval
    from assistant.decisions import Decisions
    from assistant.standing import Standing
    from knowledge.search.documents import Told


@dataclass(frozen=True, slots=True)
class Own:
    """An organisation's pages; `approved` tells by digest who approved it."""

    pages: tuple[OwnPage, ...]
    approved: Mapping[str, str]
    warnings: tuple[str, ...] = ()


def open_collection(settings: Settings, around: Surroundings) -> Collection:
    """Open the collection below the data directory; nothing is made before something is added.

    Raises:
        SettingError: the data directory lies on a network file system.
    """
    root = data_dir(settings, around) / OWN_FOLDER
    point, kind = filesystem_of(root.resolve())
    if kind in NETWORK:
        why = f"{point} is a network file system ({kind}) that can hang; name a local folder"
        raise SettingError("data_dir", str(root), why)
    return Collection(root)


def open_decisions(settings: Settings, around: Surroundings) -> "Decisions":
    """Open the decisions, which lie in the database of the incidents.

    Raises:
        StoreError: they cannot be kept there.
    """
    from assistant.database import open_address, open_folder  # noqa: PLC0415 -- SQLAlchemy is slow
    from assistant.decisions import Decisions  # noqa: PLC0415 -- as above

    url = settings.database_url.get_secret_value()
    return Decisions(open_address(url) if url else open_folder(data_dir(settings, around)))


def whole_handbook(catalog: Catalog, settings: Settings, around: Surroundings) -> Catalog:
    """Return the catalog as it would be were all own pages approved, for lint."""
    gathered = gather_own(settings, around)
    catalog = replace(catalog, warnings=(*catalog.warnings, *gathered.warnings))
    return put_over(catalog, gathered.pages, {page.digest for page in gathered.pages})


def tell_own(catalog: Catalog, settings: Settings, around: Surroundings) -> "Iterator[Told]":
    """Yield what search finds beside the handbook: documents, and pages that wait.

    What cannot be read is left out; the catalog warns of it.
    """
    from knowledge.search.documents import tell_documents, tell_pending  # noqa: PLC0415 -- numpy

    yield from tell_pending(catalog)
    with suppress(CollectionDamagedError):
        yield from tell_documents(open_collection(settings, around))


def bare(catalog: Catalog) -> Catalog:
    """Return the catalog with titles as they were written, for where badges stand beside them."""
    pages = {
        key: page.model_copy(update={"title": bare_title(page)}) if page.badge else page
        for key, page in catalog.pages.items()
    }
    return replace(catalog, pages=pages)


def gather_own(settings: Settings, around: Surroundings) -> Gathered:
    """Read all pages of the organisation, whatever was decided on them."""
    folders = [Path(folder) for folder in settings.handbook_dirs]
    return gather(open_collection(settings, around), folders, cache_dir(around))


def open_own(settings: Settings, around: Surroundings) -> Own:
    """Read the pages and which of them are approved.

    Where the decisions cannot be read, nothing counts as approved, and that is said.
    """
    try:
        gathered = gather_own(settings, around)
        added = [kept for kept in open_collection(settings, around).kept() if kept.kind == "page"]
    except CollectionDamagedError as error:
        return Own((), {}, (str(error),))
    if not gathered.pages and not added:
        return Own((), {}, gathered.warnings)
    try:
        standings = judge_own(gathered.pages, settings, around)
    except StoreError as error:
        return Own(gathered.pages, {}, (*gathered.warnings, f"no own page has effect: {error}"))
    pages = [replace(page, standing=standings[page.digest].badge) for page in gathered.pages]
    pages += _earlier(added, standings, open_collection(settings, around))
    approved = {digest: each.who for digest, each in standings.items() if each.in_effect}
    return Own(tuple(pages), approved, gathered.warnings)


def judge_own(
    pages: Sequence[OwnPage], settings: Settings, around: Surroundings
) -> "Mapping[str, Standing]":
    """Tell by digest how all that was added stands, and the pages of folders among `pages`.

    Raises:
        StoreError: the decisions cannot be read.
        CollectionDamagedError: the list of what was added cannot be read.
    """
    from assistant.standing import find_standings  # noqa: PLC0415 -- few have own pages

    collection, now = open_collection(settings, around), datetime.now(UTC)
    decided, every = read_decisions(settings, around), collection.kept()
    lying = (page.kept for page in pages if page.kept and page.kept not in every)
    alone = {kept.digest: find_standings([kept], decided, now)[kept.digest] for kept in lying}
    return {**alone, **find_standings(every, decided, now, is_whole=collection.holds)}


def _earlier(
    added: Sequence[Kept], standings: "Mapping[str, Standing]", collection: Collection
) -> "Iterator[OwnPage]":
    """Yield the versions that stay in effect while a newer one waits."""
    for kept in added:
        if kept.superseded_by and standings[kept.digest].in_effect:
            with suppress(CollectionDamagedError, PageInvalidError):
                yield read_version(collection, kept)


def read_decisions(
    settings: Settings, around: Surroundings
) -> "Mapping[str, tuple[Approval, ...]]":
    """Return all decisions by digest; a database that is not there is not made.

    Raises:
        StoreError: they cannot be read.
    """
    from assistant.database import FILE  # noqa: PLC0415 -- SQLAlchemy is slow to load

    url = settings.database_url.get_secret_value()
    if not url and not (data_dir(settings, around) / FILE).exists():
        return {}
    every = open_decisions(settings, around).every()
    return {digest: tuple(told) for digest, told in every.items()}


def put_own_over(catalog: Catalog, own: Own) -> Catalog:
    """Return the catalog with the approved pages in it and the others pending.

    A page with a word that stands for nothing here is left out, with a warning for each.
    """
    pages = [_named(page, own.approved.get(page.digest, "")) for page in own.pages]
    catalog = replace(catalog, warnings=(*catalog.warnings, *own.warnings))
    found = put_over(catalog, pages, own.approved)
    faulty = _faulty(found) if own.approved else {}
    for page in pages if own.approved else ():
        for why in find_dangerous(page.content, catalog.pages.get(page.target)):
            faulty.setdefault(page.target, []).append(why)
    bad = [page for page in pages if page.digest in own.approved and page.target in faulty]
    if not bad:
        return found
    said = [f"page skipped: {page.id}: {why}" for page in bad for why in faulty[page.target]]
    kept = [page for page in pages if page not in bad]
    catalog = replace(catalog, warnings=(*catalog.warnings, *said))
    return put_over(catalog, kept, own.approved)


def current_person() -> Person:
    """Return who acts: the OS user of this process, which no flag and no variable can change."""
    return Person(name=current_user(), known_by="os-user", place=host_name())


def _named(page: OwnPage, who: str) -> OwnPage:
    return replace(page, badge=f"{page.badge} · approved by {who}") if who else page


def _faulty(catalog: Catalog) -> dict[str, list[str]]:
    from assistant.vocabulary import find_faulty  # noqa: PLC0415 -- loads every probe

    found: dict[str, list[str]] = {}
    for page, fault in find_faulty(catalog):
        found.setdefault(page, []).append(fault)
    return found
