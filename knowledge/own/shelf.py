"""Puts an organisation's pages over the shipped ones: what was approved works, the rest is shown.

A page that waits for approval can be found by its titles and its prose; its signatures, links,
remedies and advice take part in nothing.
"""

import hashlib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from knowledge.bilingual import Bilingual, Phrases
from knowledge.catalog import Catalog
from knowledge.own.floor import find_lowered
from knowledge.own.page_file import Extension, OwnPage, extend
from knowledge.page import Advice, Page, Remedy

NOT_APPROVED = "not approved"
_MARK = {"en": " [own]", "zh": " [自有]"}
_NAMED = 5


def put_over(catalog: Catalog, own: Sequence[OwnPage], approved: Collection[str]) -> Catalog:
    """Return the catalog with the approved of these pages in it, and the others as pending.

    One that would lower a risk is left out with a warning: the shipped page may have changed since
    it was approved.
    """
    active = [each for each in own if each.digest in approved]
    pending = [each for each in own if each.digest not in approved]
    waiting = [each for each in pending if each.standing in {"", NOT_APPROVED}]
    pages, warnings = dict(catalog.pages), list(catalog.warnings)
    used: list[OwnPage] = []
    for each in sorted(active, key=lambda one: isinstance(one.content, Extension)):
        fault = next(_faults(each, catalog, used), "")
        if fault:
            warnings.append(f"page skipped: {each.id}: {fault}")
            continue
        pages[each.target] = _applied(each, pages)
        used.append(each)
    warnings += [_tell_pending(waiting, {each.id for each in used})] if waiting else []
    return replace(
        catalog,
        pages=dict(sorted(pages.items())),
        digest=_digest(catalog, used),
        warnings=tuple(warnings),
        pending={_search_id(each): _shown(each, catalog) for each in pending},
    )


def _faults(own: OwnPage, catalog: Catalog, used: Sequence[OwnPage]) -> Iterator[str]:
    shipped = catalog.pages.get(own.target)
    known = {*catalog.pages, *(each.id for each in used)}
    if isinstance(own.content, Extension) and own.target not in known:
        yield f"extends {own.target}, which no page is"
    if any(each.id == own.id for each in used):
        yield "another of this id is approved too; remove one"
    if shipped is not None:
        yield from find_lowered(own.content, shipped)


def _applied(own: OwnPage, pages: dict[str, Page]) -> Page:
    """Return the page as it is shown: marked where it is the organisation's."""
    match own.content:
        case Extension():
            base = pages[own.target]
            badge = " + ".join(filter(None, (base.badge, own.badge)))
            return extend(base, _marked_extension(own.content)).model_copy(update={"badge": badge})
        case _:
            shipped = pages.get(own.target)
            family = shipped.family if shipped else own.content.family
            return _marked_page(own.content, badge=own.badge, family=family)


def _marked_page(page: Page, *, badge: str, family: str) -> Page:
    return page.model_copy(
        update={
            "title": _marked(page.title),
            "badge": badge,
            "family": family,
            **_marked_steps(page),
        }
    )


def _marked_extension(extension: Extension) -> Extension:
    return extension.model_copy(update=_marked_steps(extension))


def _marked_steps(content: Page | Extension) -> dict[str, tuple[Remedy | Advice, ...]]:
    """Mark what is shown apart from its page."""
    return {
        "remedies": tuple(
            each.model_copy(update={"title": _marked(each.title)}) for each in content.remedies
        ),
        **{
            name: tuple(each.model_copy(update={"text": _marked(each.text)}) for each in advice)
            for name, advice in (("contain", content.contain), ("do_not", content.do_not))
        },
    }


def _marked(said: Bilingual) -> Bilingual:
    return Bilingual(en=f"{said.en}{_MARK['en']}", zh=f"{said.zh}{_MARK['zh']}")


def bare_title(page: Page) -> Bilingual:
    """Return a page's title without the mark, for where its badge stands beside it."""
    return Bilingual(
        en=page.title.en.removesuffix(_MARK["en"]), zh=page.title.zh.removesuffix(_MARK["zh"])
    )


def _shown(own: OwnPage, catalog: Catalog) -> Page:
    """Return what may be shown of a page that nobody approved: titles and prose, no more."""
    base = own.content if isinstance(own.content, Page) else catalog.pages.get(own.target)
    known = base or next(iter(catalog.pages.values()))
    said = own.content.phrases
    kept = {name: getattr(known, name) for name in _KEPT}
    shown = {name: getattr(own.content, name) for name in _SHOWN}
    named = {
        "id": own.id,
        "title": known.title if base else Bilingual(en=own.id, zh=own.id),
        "badge": " · ".join(filter(None, (own.badge, own.standing or NOT_APPROVED))),
        "phrases": Phrases(en=said.en, zh=said.zh),
    }
    return Page.model_validate({**kept, **shown, **named})


_KEPT = ("summary", "family", "layer", "plane", "role", "entity", "severity", "priority")
_SHOWN = ("traps", "practice", "sources", "body")


def _search_id(own: OwnPage) -> str:
    """Name a version that waits; the page of its id may be shown beside it."""
    return f"{own.id}@{own.digest[:12]}"


def _tell_pending(pending: Sequence[OwnPage], works: Collection[str]) -> str:
    told = {f"{each.id} (newer version)" if each.id in works else each.id for each in pending}
    names = ", ".join(sorted(told)[:_NAMED])
    more = f" and {len(pending) - _NAMED} more" if len(pending) > _NAMED else ""
    return (
        f"own pages without approval have no effect: {names}{more}; "
        "`firstfault kb list --own` shows their digests"
    )


def _digest(catalog: Catalog, used: Sequence[OwnPage]) -> str:
    if not used:
        return catalog.digest
    told = "\0".join((catalog.digest, *sorted(each.digest for each in used)))
    return hashlib.sha256(told.encode()).hexdigest()
