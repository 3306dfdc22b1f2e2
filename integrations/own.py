"""Opens what an organisation added: its collection, the decisions on its pages, and who decides."""

from collections.abc import Iterator, Mapping
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
from knowledge.errors import CollectionDamagedError
from knowledge.own.collection import Collection
from knowledge.own.gathering import Gathered, gather
from knowledge.own.page_file import OwnPage
from knowledge.own.shelf import bare_title, put_over
from tools.context import host_name
from tools.workspace import NETWORK, filesystem_of

if TYPE_CHECKING:
    from assistant.approval import Approval
    from assistant.decisions import Decisions
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
    except CollectionDamagedError as error:
        return Own((), {}, (str(error),))
    if not gathered.pages:
        return Own((), {}, gathered.warnings)
    try:
        approved = read_approved(settings, around)
    except StoreError as error:
        return Own(gathered.pages, {}, (*gathered.warnings, f"no own page has effect: {error}"))
    return Own(gathered.pages, approved, gathered.warnings)


def read_approved(settings: Settings, around: Surroundings) -> Mapping[str, str]:
    """Return who approved what, by digest; a database that is not there is not made.

    Raises:
        StoreError: the decisions cannot be read.
    """
    from assistant.approval import state_of  # noqa: PLC0415 -- few have own pages

    now = datetime.now(UTC)
    every = read_decisions(settings, around)
    return {
        digest: told[-1].who for digest, told in every.items() if state_of(told, now) == "approved"
    }


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
