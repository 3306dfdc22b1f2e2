"""Past incidents that spread as this one does, and what would tell them apart.

The chain comes first: which conditions an incident shares with an earlier one, rare ones weighing
more than common ones, the root most, and whether they brought each other about in the same order.
Words only add what no chain finds. Nothing here touches a diagnosis.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from knowledge.bilingual import Bilingual
from knowledge.page import Check, Page
from knowledge.postmortem import Postmortem

By = Literal["chain", "words"]
Kind = Literal["root", "decided", "missing", "extra", "none"]

LEAST = 0.22
"""Below this two incidents have too little in common to be called similar."""
MOST = 3
_ROOT, _PAGES, _ORDER = 0.4, 0.2, 0.4
_NEAR_ROOT = 0.5
_LITTLE = 0.8
"""Common weight that tells half of what much of it would."""
_TELLING = ("root", "change", "mechanism")
"""Roles that tell ways apart; whether a symptom showed too tells little."""


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
    now · missing: a step that only the past took · extra: one that only this takes · none: they
    went one way, and `text` is what decided then.
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
    difference: Difference


def find_similar(
    course: Course,
    past: Iterable[Postmortem],
    pages: Mapping[str, Page],
    *,
    told: Sequence[str] = (),
    looked: Mapping[str, bool] | None = None,
) -> tuple[Similar, ...]:
    """Return the past incidents that this one is like, best first; too little in common is none.

    `told` are ids that a search by words found, best first; `looked` tells of pages whether a
    source that shows them was read.
    """
    rarity = _Rarity(pages)
    rank = {name: place for place, name in enumerate(told)}
    rows = [(each, _score(course, each, rarity)) for each in past]
    kept = [(each, score) for each, score in rows if score >= LEAST or each.id in rank]
    kept.sort(key=lambda row: (row[1] < LEAST, -row[1], rank.get(row[0].id, len(rank))))
    first = kept[:MOST]
    return tuple(_compare(course, each, score, rarity, looked or {}) for each, score in first)


class _Rarity:
    """How much a condition tells: the fewer conditions bring it about, the more (0..1)."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = pages
        self._whole = math.log(len(pages) + 2)
        self._causes = Counter(
            effect for page in pages.values() for effect in {link.effect for link in page.causes}
        )

    def of(self, page: str) -> float:
        return 1 - math.log(self._causes[page] + 1) / self._whole

    def sum(self, pages: Iterable[str]) -> float:
        return sum(map(self.of, pages))

    def sort(self, pages: Iterable[str]) -> list[str]:
        return sorted(pages, key=lambda page: -self.of(page))


def _score(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    common = _rate_common(course, past, rarity)
    order = _rate_order(course, past, rarity)
    return _ROOT * _rate_root(course, past, rarity) + common * (_PAGES + _ORDER * order)


def _rate_root(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    """Return 1 for one root; less where that of one is a mere step of the other, as it is rare."""
    if past.root in course.roots:
        return 1.0
    steps = {past.root} & set(course.pages) | set(course.roots) & set(past.pages)
    return _NEAR_ROOT * max(map(rarity.of, steps), default=0.0)


def _rate_common(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    """Return how far the one that shows less is part of the other, and how much that tells (0..1).

    An incident that just began, or a short account of the past, is not held against it.
    """
    here, then = set(course.pages), set(past.pages)
    both = rarity.sum(here & then)
    alone = min(rarity.sum(here - then), rarity.sum(then - here))
    return both / (both + alone) * both / (both + _LITTLE) if both else 0.0


def _rate_order(course: Course, past: Postmortem, rarity: _Rarity) -> float:
    """Return of the steps between shared conditions those that go the same way, less reversed."""
    steps = [edge for edge in past.edges if set(edge) <= set(course.pages)]
    weights = {edge: rarity.of(edge[0]) * rarity.of(edge[1]) for edge in steps}
    signs = {(c, e): course.orders(c, e) - course.orders(e, c) for c, e in steps}
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
        _tell_apart(course, past, rarity),
    )


def _tell_apart(course: Course, past: Postmortem, rarity: _Rarity) -> Difference:
    """Choose what tells most: the root, what decided then, a step that only one of them took."""
    pages = rarity.pages
    return (
        _roots_apart(course, past, pages)
        or _undecided(course, past, pages)
        or _departure("missing", past.edges, course.pages, rarity)
        or _departure("extra", course.edges, past.pages, rarity)
        or _alike(past, pages)
    )


def _roots_apart(course: Course, past: Postmortem, pages: Mapping[str, Page]) -> Difference | None:
    """Return how the handbook tells the past's root from one of these, on whichever page."""
    if past.root in course.roots:
        return None
    for one, other in ((a, b) for root in course.roots for a, b in _both(past.root, root)):
        page = pages.get(one)
        for each in page.distinguish if page else ():
            if page and each.other == other:
                check = next((c for c in page.checks if c.id == each.check), None)
                return Difference("root", past.root, each.means, check)
    return None


def _both(one: str, other: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (one, other), (other, one)


def _undecided(course: Course, past: Postmortem, pages: Mapping[str, Page]) -> Difference | None:
    """Return what ended the guessing then, where its condition is not seen here."""
    if past.decided.page in course.pages:
        return None
    return Difference("decided", past.decided.page, past.decided.text, _deciding(past, pages))


def _alike(past: Postmortem, pages: Mapping[str, Page]) -> Difference:
    """Say that they went one way, by what decided then."""
    return Difference("none", past.decided.page, past.decided.text, _deciding(past, pages))


def _deciding(past: Postmortem, pages: Mapping[str, Page]) -> Check | None:
    page = pages.get(past.decided.page)
    checks = page.checks if page else ()
    return next((check for check in checks if check.id == past.decided.check), None)


def _departure(
    kind: Kind, edges: Sequence[tuple[str, str]], others: Sequence[str], rarity: _Rarity
) -> Difference | None:
    """Return the step by which one left the other's way: a mechanism that what both had led to."""
    steps = dict.fromkeys(e for c, e in edges if e not in others and c in others)
    triggers = dict.fromkeys(c for c, e in edges if c not in others and e in others)
    for name in (*triggers, *rarity.sort(steps)):
        page = rarity.pages.get(name)
        if page and page.role in _TELLING and page.checks:
            return Difference(kind, name, page.title, page.checks[0])
    return None


def _reached(start: str, steps: Mapping[str, set[str]]) -> frozenset[str]:
    seen: set[str] = set()
    waiting = list(steps.get(start, ()))
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            waiting += steps.get(page, ())
    return frozenset(seen)
