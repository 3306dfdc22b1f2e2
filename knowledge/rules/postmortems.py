"""What every postmortem must hold: steps that the handbook knows, both languages, what to learn."""

from collections.abc import Iterator, Sequence

from knowledge.catalog import Catalog
from knowledge.page import Link
from knowledge.postmortem import Postmortem, Spread
from knowledge.problem import Problem
from knowledge.rules.contents import check_languages

ROOTS = ("root", "change", "mechanism")


def check_postmortems(past: Sequence[Postmortem], catalog: Catalog) -> list[Problem]:
    """Return every problem of the postmortems, in order."""
    return sorted({
        Problem(each.id, rule, text) for each in past for rule, text in _problems(each, catalog)
    })  # fmt: skip


def _problems(each: Postmortem, catalog: Catalog) -> Iterator[tuple[str, str]]:
    yield from check_languages(each)
    yield from _named(each, catalog)
    yield from _root(each, catalog)
    for step in each.chain:
        yield from _step(step, catalog)
    yield from _taught(each, catalog)
    if each.id in catalog.pages:
        yield "unique", "has the id of a page"
    if not (each.phrases.en and each.phrases.zh):
        yield "languages", "phrases lack one of both languages"


def _named(each: Postmortem, catalog: Catalog) -> Iterator[tuple[str, str]]:
    told = {each.root, each.decided.page, *(one.page for one in each.misled if one.page)}
    for name in sorted({*told, *each.pages} - catalog.pages.keys()):
        yield "resolves", f"names {name}, which no page is"
    decided = catalog.pages.get(each.decided.page)
    if decided and each.decided.check not in {check.id for check in decided.checks}:
        yield "resolves", f"decided by {each.decided.check}, which {decided.id} has no check of"


def _root(each: Postmortem, catalog: Catalog) -> Iterator[tuple[str, str]]:
    if each.root not in {cause for cause, _ in each.edges}:
        yield "root", f"{each.root} causes nothing in the chain"
    root = catalog.pages.get(each.root)
    if root and root.role not in ROOTS:
        yield "root", f"{each.root} is {root.role}, which is never a cause of its own"
    if len(set(each.edges)) < len(each.edges):
        yield "chain", "tells a step twice"
    for name in sorted(set(each.pages) - _connected(each)):
        yield "chain", f"{name} hangs together with the root by no step"


def _connected(each: Postmortem) -> set[str]:
    """Return what the root leads to, and what led to the root."""
    after, before = {each.root}, {each.root}
    for _ in each.chain:
        after |= {effect for cause, effect in each.edges if cause in after}
        before |= {cause for cause, effect in each.edges if effect in before}
    return after | before


def _step(step: Spread, catalog: Catalog) -> Iterator[tuple[str, str]]:
    name = f"{step.cause} to {step.effect}"
    if not {step.cause, step.effect} <= catalog.pages.keys():
        return
    links = [one for one in catalog.links_from(step.cause) if one.effect == step.effect]
    if not links and step.unlinked is None:
        yield "linked", f"{name} is no link of the handbook; link the pages or say why not"
    if links and step.unlinked is not None:
        yield "linked", f"{name} is said to be no link, but is one"
    if links and not any(_allows(link, step) for link in links):
        yield "delay", f"{name} took longer or shorter than any link allows"


def _allows(link: Link, step: Spread) -> bool:
    if step.delay is None:
        return True
    ordered = step.delay.min_s <= step.delay.max_s
    return ordered and link.delay.min_s <= step.delay.max_s and step.delay.min_s <= link.delay.max_s


def _taught(each: Postmortem, catalog: Catalog) -> Iterator[tuple[str, str]]:
    aims = {lesson.aim for lesson in each.lessons}
    spread = [n for n in each.pages if n in catalog.pages and catalog.pages[n].amplifies]
    if spread and "contain" not in aims:
        yield "lesson", f"{spread[0]} spread the damage, but no lesson contains it"
    if "prevent" not in aims:
        yield "lesson", "no lesson prevents it"
