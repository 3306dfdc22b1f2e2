"""The handbook as people browse it: rows, a coverage table, guidance."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from knowledge.catalog import Catalog
from knowledge.page import Layer, Page, Plane, Role
from knowledge.rules.guidance import ROLE as GUIDANCE

LAYERS: tuple[str, ...] = get_args(Layer)
PLANES: tuple[str, ...] = get_args(Plane)


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
