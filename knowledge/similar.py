"""Past incidents that spread as this one does, and what would tell them apart.

The chain comes first: which conditions an incident shares with an earlier one, rare ones weighing
more than common ones, the root most, and whether they brought each other about in the same order.
Words only add what no chain finds. Nothing here touches a diagnosis.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from knowledge.bilingual import Bilingual
from knowledge.catalog import Catalog
from knowledge.page import Check
from knowledge.postmortem import Postmortem

By = Literal["chain", "words"]
Kind = Literal["root", "decided", "missing", "extra", "none"]

LEAST = 0.3
"""Below this two incidents have too little in common to be called similar."""
MOST = 3
_ROOT, _PAGES, _ORDER = 0.4, 0.35, 0.25
_NEAR_ROOT = 0.5
"""What counts where the root of one is a mere step of the other."""
_PAST_ONLY, _HERE_ONLY = 0.7, 0.3
"""Tversky's weights: what the past had and this has not speaks more against than the reverse."""


@dataclass(frozen=True)
class Course:
    """How an incident spread: its roots, and which condition brought about which."""

    roots: tuple[str, ...]
    edges: tuple[tuple[str, str], ...] = ()

    @cached_property
    def pages(self) -> tuple[str, ...]:
        """Every condition, roots first, then in the order of the edges."""
        ends = (end for edge in self.edges for end in edge)
        return tuple(dict.fromkeys((*self.roots, *ends)))

    @cached_property
    def after(self) -> Mapping[str, frozenset[str]]:
        """What each condition led to, over however many steps."""
        steps: dict[str, set[str]] = {}
        for cause, effect in self.edges:
            steps.setdefault(cause, set()).add(effect)
        return {page: _reached(page, steps) for page in steps}

    def orders(self, cause: str, effect: str) -> bool:
        """Tell whether the one led to the other."""
        return effect in self.after.get(cause, frozenset())


@dataclass(frozen=True, slots=True)
class Difference:
    """What tells a past incident from this one, and the look that would.

    root: the handbook tells the two roots apart · decided: what ended the guessing then is not seen
    now · missing: what the past had and this has not · extra: the reverse · none: no difference.
    """

    kind: Kind
    page: str = ""
    text: Bilingual | None = None
    check: Check | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """A past incident that this one is like; `score` (0..1) orders and means nothing beyond.

    `missing` maps what only the past had to whether a source that shows it was looked at; None: the
    caller does not know.
    """

    past: Postmortem
    by: By
    score: float
    shared: tuple[str, ...]
    missing: Mapping[str, bool | None]
    extra: tuple[str, ...]
    difference: Difference = field(default_factory=lambda: Difference("none"))


def find_similar(
    course: Course,
    past: Iterable[Postmortem],
    catalog: Catalog,
    *,
    told: Sequence[str] = (),
    looked: Mapping[str, bool] | None = None,
) -> tuple[Similar, ...]:
    """Return the past incidents that this one is like, best first; too little in common is none.

    `told` are ids that a search by words found, best first; `looked` tells of pages whether a
    source that shows them was read.
    """
    rarity = _Rarity(catalog)
    rank = {name: place for place, name in enumerate(told)}
    rows = [(each, _score(course, each, rarity)) for each in past]
    kept = [(each, score) for each, score in rows if score >= LEAST or each.id in rank]
    kept.sort(key=lambda row: (row[1] < LEAST, -row[1], rank.get(row[0].id, len(rank))))
    first = kept[:MOST]
    return tuple(_compare(course, each, score, rarity, looked or {}) for each, score in first)


class _Rarity:
    """How much a condition tells: the fewer conditions bring it about, the more (0..1)."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._whole = math.log(len(catalog.pages) + 2)

    def of(self, page: str) -> float:
        causes = {cause.id for cause, _ in self.catalog.links_to(page)}
        return 1 - math.log(len(causes) + 1) / self._whole

    def sum(self, pages: Iterable[str]) -> float:
        return sum(map(self.of, pages))

    def sort(self, pages: Iterable[str]) -> list[str]:
        return sorted(pages, key=lambda page: -self.of(page))


def _score(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    root = _rate_root(course, past)
    pages = _rate_pages(course, past, rarity)
    return _ROOT * root + _PAGES * pages + _ORDER * _rate_order(course, past, rarity)


def _rate_root(course: Course, past: Postmortem) -> float:
    if past.root in course.roots:
        return 1.0
    return _NEAR_ROOT if past.root in course.pages or set(course.roots) & set(past.pages) else 0.0


def _rate_pages(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    here, then = set(course.pages), set(past.pages)
    both = rarity.sum(here & then)
    alone = _PAST_ONLY * rarity.sum(then - here) + _HERE_ONLY * rarity.sum(here - then)
    return both / (both + alone) if both else 0.0


def _rate_order(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    """Return the share of the past's steps that went the same way here, less those reversed."""
    weights = {edge: rarity.of(edge[0]) * rarity.of(edge[1]) for edge in past.edges}
    signs = {(c, e): course.orders(c, e) - course.orders(e, c) for c, e in past.edges}
    whole = sum(weights.values())
    return sum(weight * signs[edge] for edge, weight in weights.items()) / whole if whole else 0.0


def _compare(
    course: Course, past: Postmortem, score: float, rarity: _Rarity, looked: Mapping[str, bool]
) -> Similar:
    here, then = course.pages, past.pages
    missing = rarity.sort(page for page in then if page not in here)
    extra = tuple(rarity.sort(page for page in here if page not in then))
    return Similar(
        past,
        "chain" if score >= LEAST else "words",
        round(score, 3),
        tuple(page for page in then if page in here),
        {page: looked.get(page) for page in missing},
        extra,
        _tell_apart(course, past, (missing, extra), rarity.catalog),
    )


def _tell_apart(
    course: Course,
    past: Postmortem,
    only: tuple[Sequence[str], Sequence[str]],
    catalog: Catalog,
) -> Difference:
    missing, extra = only
    return (
        _roots_apart(course, past, catalog)
        or _undecided(course, past, catalog)
        or _first(missing, "missing", catalog)
        or _first(extra, "extra", catalog)
        or Difference("none")
    )


def _roots_apart(course: Course, past: Postmortem, catalog: Catalog) -> Difference | None:
    """Return how the handbook tells the past's root from one of these, on whichever page."""
    if past.root in course.roots:
        return None
    for one, other in ((a, b) for root in course.roots for a, b in _both(past.root, root)):
        page = catalog.pages.get(one)
        for each in page.distinguish if page else ():
            if page and each.other == other:
                check = next((c for c in page.checks if c.id == each.check), None)
                return Difference("root", past.root, each.means, check)
    return None


def _both(one: str, other: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, other), (other, one)


def _undecided(course: Course, past: Postmortem, catalog: Catalog) -> Difference | None:
    """Return what ended the guessing then, where its condition is not seen here."""
    page = catalog.pages.get(past.decided.page)
    if page is None or page.id in course.pages:
        return None
    check = next((c for c in page.checks if c.id == past.decided.check), None)
    return Difference("decided", page.id, past.decided.text, check)


def _first(pages: Sequence[str], kind: Kind, catalog: Catalog) -> Difference | None:
    known = [catalog.pages[name] for name in pages if name in catalog.pages]
    page = next((each for each in known if each.checks), None)
    return Difference(kind, page.id, page.title, page.checks[0]) if page else None


def _reached(start: str, steps: Mapping[str, set[str]]) -> frozenset[str]:
    seen: set[str] = set()
    waiting = list(steps.get(start, ()))
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            waiting += steps.get(page, ())
    return frozenset(seen)
