"""All that search reads, as one value: the handbook's passages, and what else is known."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from knowledge.catalog import Catalog
from knowledge.own.document import OWN
from knowledge.search.exact import DEAF
from knowledge.search.passages import Passage, passages_of

Kind = Literal["page", "postmortem", "document"]
"""page: a page of the handbook · postmortem: an incident that people wrote up · document: what an
organisation added as text."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a search can find; filters go by its fields."""

    id: str
    kind: Kind
    en: str
    zh: str
    family: str = ""
    layer: str = ""
    plane: str = ""
    codes: tuple[str, ...] = ()
    badge: str = ""
    """How far to trust it, where it is not shipped: whose it is and its date."""
    disputed: bool = False
    """Its sources disagree; the page shows both."""

    @property
    def own(self) -> bool:
        """Tell whether an organisation added it."""
        return self.kind == "document" or self.badge.startswith(OWN)

    @property
    def fields(self) -> Mapping[str, str]:
        """What a vector is filtered by."""
        return {"kind": self.kind, "family": self.family, "layer": self.layer, "plane": self.plane}


@dataclass(frozen=True)
class Corpus:
    """Entries and their passages; `passages` name their entry in `page`."""

    entries: tuple[Entry, ...]
    passages: tuple[Passage, ...]

    @cached_property
    def digest(self) -> str:
        """SHA-256 over everything that a search can show of it."""
        total = hashlib.sha256()
        for entry in self.entries:
            total.update(repr(entry).encode())
        for passage in self.passages:
            total.update(f"{passage.id}\0{passage.digest}\0".encode())
        return total.hexdigest()

    def split(self) -> "tuple[Corpus, Corpus]":
        """Part what travels with the product from what an organisation added."""
        own = frozenset(entry.id for entry in self.entries if entry.own)
        return self._part(own, within=False), self._part(own, within=True)

    def _part(self, names: Collection[str], *, within: bool) -> "Corpus":
        return Corpus(
            tuple(each for each in self.entries if (each.id in names) is within),
            tuple(each for each in self.passages if (each.page in names) is within),
        )

    @cached_property
    def place(self) -> Mapping[str, int]:
        """Where an entry stands, by id."""
        return {entry.id: number for number, entry in enumerate(self.entries)}


def corpus_of(catalog: Catalog, more: Iterable[tuple[Entry, Sequence[Passage]]] = ()) -> Corpus:
    """Put the handbook and what was added beside it into one corpus."""
    parts = [*_pages(catalog), *more]
    return Corpus(
        tuple(entry for entry, _ in parts),
        tuple(passage for _, passages in parts for passage in passages),
    )


def _pages(catalog: Catalog) -> Iterator[tuple[Entry, Sequence[Passage]]]:
    for page in catalog.pages.values():
        if page.role not in DEAF:
            entry = Entry(
                page.id,
                "page",
                page.title.en,
                page.title.zh,
                page.family,
                page.layer,
                page.plane,
                page.codes,
                page.badge,
                disputed=bool(page.disputes),
            )
            yield entry, tuple(passages_of(page))
