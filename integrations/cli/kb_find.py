"""Finds what a user names: a page by id or code, a postmortem by id."""

from collections.abc import Iterable
from difflib import get_close_matches

from integrations.cli.fault import NotFoundFault
from knowledge.catalog import Catalog
from knowledge.page import Page
from knowledge.postmortem import Postmortem


def find_entry(catalog: Catalog, past: Iterable[Postmortem], name: str) -> Page | Postmortem:
    """Find a page by id or code, or a postmortem by id.

    Raises:
        NotFoundFault: nothing is named so; the message says what is near.
    """
    told = {each.id: each for each in past}
    return told[name] if name in told else find_page(catalog, name, tuple(told))


def find_page(catalog: Catalog, name: str, others: tuple[str, ...] = ()) -> Page:
    """Find a page by id or code; several pages may share a code, the first speaks for it.

    `others` are further names that may have been meant.

    Raises:
        NotFoundFault: no page is named so; the message says what is near.
    """
    if name in catalog.pages:
        return catalog.page(name)
    waiting = [key for key in catalog.pending if name in {key, key.partition("@")[0]}]
    if waiting:
        return catalog.pending[waiting[0]]
    coded = catalog.by_code(name)
    if coded:
        return coded[0]
    numbered = _numbered(catalog, name)
    if numbered:
        raise NotFoundFault(
            f"{name} is the number of several codes: {', '.join(numbered)}.",
            f'Name one of them, such as `firstfault kb show "{numbered[0]}"`.',
        )
    near = get_close_matches(name.lower(), [*catalog.pages, *others], n=3)
    hint = f"Did you mean {', '.join(near)}? " if near else ""
    raise NotFoundFault(
        f"There is no page {name!r} in the handbook.",
        f"{hint}`firstfault kb list` shows all, `firstfault kb search WORDS` finds some.",
    )


def _numbered(catalog: Catalog, name: str) -> list[str]:
    """Return the codes of which a bare number is the number."""
    if not (name.isascii() and name.isdigit()):
        return []
    codes = {code for page in catalog.pages.values() for code in page.codes}
    return sorted(code for code in codes if code.split()[-1] == name)
