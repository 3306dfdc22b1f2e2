"""What a query names outright: codes in any spelling, and lines that a signature knows."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from knowledge.catalog import Catalog
from knowledge.page import MetricSignature, Page, TextSignature
from knowledge.pattern import compile_pattern, encode
from knowledge.reckoning import fields_of
from knowledge.search.tokens import tokens_of

_NAMES = {"退出码": " exit ", "返回码": " exit ", "状态码": " status ", "错误码": " error "}
_NAMED = re.compile("|".join(_NAMES))
_CODE = re.compile(
    r"\b(?:gst|s?xid|exit|cuda[ _-]*error)(?:[ _:#=-]|code|status|error)*\d+|\bcuda +\d+ +error",
    re.IGNORECASE,
)
_METRIC = re.compile(r"[A-Za-z]+(?:_[A-Za-z0-9]+)+")
_PIECE = re.compile(r"[A-Za-z0-9_.:=/-]+")
_BETWEEN = re.compile(r"[^a-z0-9]+")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[A-Z]?[a-z]+")
_MARKS = ".:=/-"
_COMMON = 20
"""A plain word among others that so many entries use is a word, even where it is some state's name
as well: down, pending, enabled, timeout. In capitals (TIMEOUT) it is spelt as a name."""
_SHORTEST = 4
_LONGEST = 4
_LONGEST_SAYING = 10
_SAYING = 2
"""A name of several words, such as a message is made of, weighs so much more for each of them."""
_WHOLE_SAYING = 3
"""Fewer words than this tell less, whatever else is in the line."""
_MOST_PAGES = 3
"""What names more pages than this points to none of them."""
_NEXT = 0.02
_EFFECT = 0.4
_ALONE = 6
"""A query of so few tokens that holds a code asks for the code; a longer one mentions it."""
DEAF = ("context", "unread")
"""Roles of pages that no question asks for: they only help to read evidence."""
_CAUSES = ("root", "change")


class _Run(NamedTuple):
    """Words of a query that follow each other, as one key; a saying has several and no number.

    `text` is there where it is one word.
    """

    key: str
    text: str
    words: int
    saying: bool


def _nowhere(_word: str) -> int:
    return 0


@dataclass(frozen=True)
class ExactFinder:
    """Looks up codes and runs the signatures over text of unknown origin.

    `spread` tells how many entries use a word; unknown, every word may be a name.
    """

    catalog: Catalog
    spread: Callable[[str], int] = field(default=_nowhere)

    def find_codes(self, query: str) -> Mapping[str, float]:
        """Return pages by the codes in the query: 1 where it asks for nothing else, else less.

        A code's first page comes before the others that share it.
        """
        plain, share = _plain(query), min(1.0, _ALONE / max(1, _count(query)))
        found = {page.id: share for page in self.catalog.by_code(plain)}
        runs = list(_runs(plain))
        for run in runs:
            if len(runs) > 1 and self._is_common(run, asked=share == 1):
                continue
            for page, score in self._named(run, share, max(1, _count(query))):
                found[page] = max(score, found.get(page, 0.0))
        order = sorted(found, key=lambda page: -found[page])
        return {page: found[page] * (1 - _NEXT * place) for place, page in enumerate(order)}

    def _named(self, run: _Run, share: float, count: int) -> Iterator[tuple[str, float]]:
        if run.saying:
            whole = min(1.0, run.words / _WHOLE_SAYING) * min(
                1.0, _SAYING * _ALONE * run.words / count
            )
            for page in self._sayings.get(run.key, ()):
                yield page, whole * self._weight(page)
        else:
            for page in (*self._names.get(run.key, ()), *self._sayings.get(run.key, ())):
                yield page, share

    def _weight(self, page: str) -> float:
        return 1.0 if self.catalog.page(page).role in _CAUSES else _EFFECT

    def _is_common(self, run: _Run, *, asked: bool) -> bool:
        """Tell a plain word from a name; in a short question a capital tells them apart."""
        word = run.text.strip(_MARKS)
        if not _WORD.fullmatch(word) or (asked and word in self._capitals):
            return False
        return self.spread(word) > _COMMON

    def asks_for_code(self, query: str) -> bool:
        """Tell whether so short a query asks for the codes in it and not for its other words."""
        return _count(query) <= _ALONE and not self.find_codes(query)

    def find_unknown_code(self, query: str) -> str:
        """Return a code that the query asks for and no page has; empty if there is none."""
        plain = _plain(query)
        for found in _CODE.finditer(plain):
            if not self.catalog.by_code(found.group()):
                return found.group().strip()
        return ""

    def find_lines(self, query: str) -> Mapping[str, float]:
        """Return the pages of which a signature knows the text, whoever may have printed it.

        A root's page counts 1, that of an effect a little less: a line often shows both.
        """
        text = encode(query)
        return {
            page.id: 1.0 if page.role in _CAUSES else _EFFECT
            for page, signature in self._signatures
            if _could_hold(signature, query) and _holds(signature, text)
        }

    @cached_property
    def _names(self) -> Mapping[str, tuple[str, ...]]:
        """Pages by names: their own, the metrics that they judge, the reasons of their events."""
        return self._keyed(saying=False)

    @cached_property
    def _sayings(self) -> Mapping[str, tuple[str, ...]]:
        """Pages by names of several words."""
        return self._keyed(saying=True)

    @cached_property
    def _capitals(self) -> frozenset[str]:
        """Names of one word as they are spelt, if that is with a capital: Evicted, Unhealthy."""
        names = (name for page in self.catalog.pages.values() for name in _names_of(page))
        return frozenset(name.strip(_MARKS) for name in names if not name.islower())

    def _keyed(self, *, saying: bool) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, dict[str, None]] = {}
        for page in self.catalog.pages.values():
            for name in _names_of(page):
                if _is_saying(name) == saying:
                    found.setdefault(_key(name), {})[page.id] = None
        return {
            key: tuple(pages)
            for key, pages in found.items()
            if len(key) >= _SHORTEST and len(pages) <= _MOST_PAGES
        }

    @cached_property
    def _signatures(self) -> tuple[tuple[Page, TextSignature], ...]:
        return tuple(
            (page, signature)
            for page, signature in self.catalog.signatures()
            if isinstance(signature, TextSignature)
            and signature.yields == "event"
            and not signature.fallback
            and signature.source != "alert"
            and page.role not in DEAF
        )


def _count(query: str) -> int:
    return len(set(tokens_of(query)))


def _names_of(page: Page) -> Iterator[str]:
    yield from page.phrases.names
    for signature in page.signatures:
        match signature:
            case MetricSignature():
                yield from _METRIC.findall(signature.expr)
            case TextSignature(reason=reason) if reason:
                yield reason
            case _:
                pass


def _runs(query: str) -> Iterator[_Run]:
    """Yield what may be a name in a text: its words alone, joined with a number, or a saying."""
    pieces = _PIECE.findall(query)
    keys = list(map(_key, pieces))
    for start, key in enumerate(keys):
        yield _Run(key, pieces[start], 1, saying=False)
        for length, word in enumerate(keys[start + 1 : start + _LONGEST_SAYING], 2):
            key += word  # noqa: PLW2901 -- it grows
            saying = not _DIGIT.search(key)
            if not saying and length > _LONGEST:
                break
            yield _Run(key, "", length, saying=saying)


def _is_saying(name: str) -> bool:
    return not _DIGIT.search(name) and len(_PIECE.findall(name)) > 1


def _key(name: str) -> str:
    return _BETWEEN.sub("", name.casefold())


def _could_hold(signature: TextSignature, text: str) -> bool:
    if signature.reason and signature.reason not in text:
        return False
    return signature.literal in text if signature.literal else bool(signature.reason)


def _holds(signature: TextSignature, text: bytes) -> bool:
    values = compile_pattern(signature.regex).search(text)
    return values is not None and fields_of(signature, values) is not None


def _plain(query: str) -> str:
    return _NAMED.sub(lambda found: _NAMES[found.group()], query)
