"""What a query names outright: codes in any spelling, and lines that a signature knows."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

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
_SHORTEST = 4
_LONGEST = 4
_MOST_PAGES = 3
"""What names more pages than this points to none of them."""
_NEXT = 0.02
_EFFECT = 0.4
_ALONE = 6
"""A query of so few tokens that holds a code asks for the code; a longer one mentions it."""
DEAF = ("context", "unread")
"""Roles of pages that no question asks for: they only help to read evidence."""
_CAUSES = ("root", "change")


@dataclass(frozen=True)
class ExactFinder:
    """Looks up codes and runs the signatures over text of unknown origin."""

    catalog: Catalog

    def find_codes(self, query: str) -> Mapping[str, float]:
        """Return pages by the codes in the query: 1 where it asks for nothing else, else less.

        A code's first page comes before the others that share it.
        """
        share = min(1.0, _ALONE / max(1, _count(query)))
        coded = (page.id for page in self.catalog.by_code(_plain(query)))
        named = (page for key in _keys(_plain(query)) for page in self._names.get(key, ()))
        pages = dict.fromkeys((*coded, *named))
        return {page: share * (1 - _NEXT * place) for place, page in enumerate(pages)}

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
        found: dict[str, dict[str, None]] = {}
        for page in self.catalog.pages.values():
            for name in _names_of(page):
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


def _keys(query: str) -> Iterator[str]:
    """Yield what may be a name in a text: its words alone, or joined with a number."""
    pieces = _PIECE.findall(query)
    for start in range(len(pieces)):
        yield _key(pieces[start])
        for length in range(2, _LONGEST + 1):
            key = _key("".join(pieces[start : start + length]))
            if _DIGIT.search(key):
                yield key


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
