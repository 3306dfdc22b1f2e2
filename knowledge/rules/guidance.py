"""Guidance tells how to work: nothing of it can be seen in evidence, cause or be caused."""

from collections.abc import Iterator, Mapping

from knowledge.catalog import Catalog
from knowledge.page import Page
from knowledge.problem import Problem

ROLE = "guidance"

_OF_CONDITIONS = (
    "codes", "stands_for", "signatures", "causes", "infer", "refuted_by", "distinguish",
    "collateral_of", "begins_before", "benign_when", "damage", "amplifies", "detector",
    "contain", "remedies", "shows_limit", "why_unknown",
)  # fmt: skip
"""What only a condition can have; `do_not` stays, because a habit can be wrong too."""
_CALM = (("severity", "info"), ("priority", "P3"))


def check(catalog: Catalog) -> Iterator[Problem]:
    """Check that guidance stays apart from the conditions, and that it reaches them."""
    for page in catalog.pages.values():
        texts = _guidance(page, catalog.pages) if page.role == ROLE else _condition(page, catalog)
        for text in texts:
            yield Problem(page.id, ROLE, text)


def _guidance(page: Page, pages: Mapping[str, Page]) -> Iterator[str]:
    for name in _OF_CONDITIONS:
        if getattr(page, name):
            yield f"has {name}, which only a condition has"
    for name, value in _CALM:
        if getattr(page, name) != value:
            yield f"has {name} {getattr(page, name)}; nothing has happened, so it is {value}"
    if not page.practice:
        yield "names no practice, so it guides nobody"
    yield from _reach(page, pages)


def _reach(page: Page, pages: Mapping[str, Page]) -> Iterator[str]:
    if not page.guides:
        yield "guides no condition, so no page leads to it"
    for other in page.guides:
        if other not in pages:
            yield f"guides {other}, which no page is"
        elif pages[other].role == ROLE:
            yield f"guides {other}, which is guidance itself"


def _condition(page: Page, catalog: Catalog) -> Iterator[str]:
    for name in ("guides", "practice"):
        if getattr(page, name):
            yield f"is {page.role}, but has {name}, which only guidance has"
    for other in sorted(_named(page)):
        if other in catalog.pages and catalog.pages[other].role == ROLE:
            yield f"names {other} as a condition, but that is guidance"


def _named(page: Page) -> set[str]:
    return {
        *(link.effect for link in page.causes),
        *(refutation.condition for refutation in page.refuted_by),
        *(distinction.other for distinction in page.distinguish),
        *page.collateral_of,
        *page.stands_for,
        *(page.infer.effects if page.infer else ()),
    }
