"""The handbook as people browse it: rows, a coverage table, a simple search, guidance."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from knowledge.catalog import Catalog
from knowledge.page import Layer, Page, Plane, Role
from knowledge.rules.guidance import ROLE as GUIDANCE

LAYERS: tuple[str, ...] = get_args(Layer)
PLANES: tuple[str, ...] = get_args(Plane)

_TOKEN = re.compile(r"[a-z0-9]+|[\u3400-\u9fff]")
_CODE_WEIGHT = 100.0
_FIELD_WEIGHTS = (8.0, 4.0, 1.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One page in a list."""

    id: str
    family: str
    codes: tuple[str, ...]
    en: str
    zh: str
    layer: Layer
    plane: Plane
    role: Role
    severity: str
    priority: str
    signatures: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that a search found; scores only order the hits of one search."""

    page: Page
    score: float


@dataclass(frozen=True, slots=True)
class FamilyCoverage:
    """How much of the field one family covers: conditions by layer, by plane and by role.

    `guidance` counts the pages that are no conditions; they stand in no other figure but `roles`.
    """

    family: str
    pages: int
    guidance: int
    signatures: int
    layers: dict[str, int]
    planes: dict[str, int]
    roles: dict[str, int]


def rows(
    catalog: Catalog, *, family: str = "", layer: str = "", plane: str = "", role: str = ""
) -> list[Row]:
    """List the pages by family and id; an empty filter lets all through."""
    wanted = {"family": family, "layer": layer, "plane": plane, "role": role}
    pages = (
        page
        for page in catalog.pages.values()
        if all(not value or getattr(page, name) == value for name, value in wanted.items())
    )
    return sorted(map(_row, pages), key=lambda row: (row.family, row.id))


def coverage(catalog: Catalog) -> list[FamilyCoverage]:
    """Count the conditions of each family, and its guidance apart."""
    families: dict[str, list[Page]] = {}
    for page in catalog.pages.values():
        families.setdefault(page.family, []).append(page)
    return [_family(name, families[name]) for name in sorted(families)]


def matrix(catalog: Catalog) -> dict[tuple[str, str], int]:
    """Count the conditions of every layer and plane, zeros included, so that holes show."""
    counts: Counter[tuple[str, str]] = Counter(
        (page.layer, page.plane) for page in catalog.pages.values() if page.role != GUIDANCE
    )
    return {(layer, plane): counts[layer, plane] for layer in LAYERS for plane in PLANES}


def guidance_for(pages: Iterable[Page], page_id: str) -> list[Page]:
    """Find the guidance that speaks to this condition, by id."""
    return sorted((page for page in pages if page_id in page.guides), key=lambda page: page.id)


def search(catalog: Catalog, query: str, *, limit: int = 10) -> list[Hit]:
    """Find pages by code first, then by words shared with title, id, summary and samples."""
    coded = {page.id for page in catalog.by_code(query)}
    words = _tokens(query)
    hits = (
        Hit(page, _CODE_WEIGHT * (page.id in coded) + _overlap(words, page))
        for page in catalog.pages.values()
    )
    found = sorted((h for h in hits if h.score > 0), key=lambda hit: (-hit.score, hit.page.id))
    return found[:limit]


def _row(page: Page) -> Row:
    return Row(
        id=page.id,
        family=page.family,
        codes=page.codes,
        en=page.title.en,
        zh=page.title.zh,
        layer=page.layer,
        plane=page.plane,
        role=page.role,
        severity=page.severity,
        priority=page.priority,
        signatures=len(page.signatures),
    )


def _family(name: str, pages: Sequence[Page]) -> FamilyCoverage:
    conditions = [page for page in pages if page.role != GUIDANCE]
    return FamilyCoverage(
        family=name,
        pages=len(conditions),
        guidance=len(pages) - len(conditions),
        signatures=sum(len(page.signatures) for page in conditions),
        layers=dict(Counter(page.layer for page in conditions)),
        planes=dict(Counter(page.plane for page in conditions)),
        roles=dict(Counter(page.role for page in pages)),
    )


def _overlap(words: frozenset[str], page: Page) -> float:
    """Weigh each shared word by the best field it stands in; long pages gain nothing."""
    if not words:
        return 0.0
    fields = _fields(page)
    best = (
        max((weight for weight, field in fields if word in field), default=0.0) for word in words
    )
    return sum(best) / len(words)


def _fields(page: Page) -> tuple[tuple[float, frozenset[str]], ...]:
    texts = (
        " ".join((page.title.en, page.title.zh, page.id, *page.codes)),
        f"{page.summary.en} {page.summary.zh}",
        " ".join((*_samples(page), *_habits(page))),
    )
    return tuple(
        (weight, _tokens(text)) for weight, text in zip(_FIELD_WEIGHTS, texts, strict=True)
    )


def _samples(page: Page) -> Iterator[str]:
    for signature in page.signatures:
        yield from map(str, signature.examples)
    for trap in page.traps:
        yield trap.en
        yield trap.zh


def _habits(page: Page) -> Iterator[str]:
    for advice in page.practice:
        yield f"{advice.text.en} {advice.text.zh}"


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_TOKEN.findall(text.casefold()))
