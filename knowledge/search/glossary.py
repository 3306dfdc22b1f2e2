"""Terms of the field that mean the same, in English and Chinese."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml


@dataclass(frozen=True, slots=True)
class Glossary:
    """Groups of equal terms, and a pattern that finds any of them in a text."""

    groups: Sequence[tuple[str, ...]]
    places: Mapping[str, tuple[int, ...]]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, groups: Sequence[Sequence[str]]) -> "Glossary":
        """Make one of groups of terms; longer terms are found before those that they hold."""
        places: dict[str, tuple[int, ...]] = {}
        for number, group in enumerate(groups):
            for term in group:
                places[term] = (*places.get(term, ()), number)
        longest = sorted(places, key=lambda term: (-len(term), term))
        spelled = (
            rf"\b{re.escape(term)}s?\b" if term.isascii() else re.escape(term) for term in longest
        )
        return cls(tuple(map(tuple, groups)), places, re.compile("|".join(spelled)))

    def translate(self, text: str) -> tuple[str, ...]:
        """Return the other terms of each group of which the text holds one."""
        found = self.pattern.findall(text.casefold())
        groups = dict.fromkeys(at for term in found for at in self._groups_of(term))
        held = frozenset(found) | {term.removesuffix("s") for term in found}
        return tuple(dict.fromkeys(t for at in groups for t in self.groups[at] if t not in held))

    def _groups_of(self, term: str) -> tuple[int, ...]:
        return self.places.get(term) or self.places.get(term.removesuffix("s"), ())


@cache
def load_glossary() -> Glossary:
    """Read the shipped glossary."""
    text = files("knowledge.search").joinpath("glossary.yaml").read_text("utf-8")
    return Glossary.of(yaml.safe_load(text))
