"""Proves the handbook: every pattern, sample, link and sentence that the engine relies on."""

from collections.abc import Collection, Iterator

from knowledge.catalog import Catalog
from knowledge.problem import Problem
from knowledge.rules import (
    contents,
    disputes,
    guidance,
    kinds,
    links,
    overlaps,
    patterns,
    samples,
    templates,
)

PAGE_RULES = (contents.check, disputes.check, patterns.check, samples.check, templates.check)
CATALOG_RULES = (links.check, guidance.check)


def lint(
    catalog: Catalog, entity_kinds: Collection[str] = (), *, only: Collection[str] = ()
) -> list[Problem]:
    """Return every problem, in order of page; empty for a sound handbook.

    `entity_kinds` are the kinds that entities may have; without them kinds are not checked. `only`
    names the pages to judge beside the others; empty: all.
    """
    found = set(_problems(catalog, frozenset(entity_kinds), frozenset(only)))
    return sorted(each for each in found if not only or each.page in only)


def _problems(
    catalog: Catalog, entity_kinds: frozenset[str], only: frozenset[str]
) -> Iterator[Problem]:
    for page in (page for page in catalog.pages.values() if not only or page.id in only):
        for page_rule in PAGE_RULES:
            yield from page_rule(page)
        if entity_kinds:
            yield from kinds.check(page, entity_kinds)
    yield from overlaps.check(catalog, only)
    for catalog_rule in CATALOG_RULES:
        yield from catalog_rule(catalog)
