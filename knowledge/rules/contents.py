"""What every page must hold: both languages, a source, a check, a trap, sound numbers."""

import re
from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel

from knowledge.bilingual import Bilingual
from knowledge.page import Page, TextSignature
from knowledge.problem import Problem

_CJK = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")


def check(page: Page) -> Iterator[Problem]:
    """Check what a page holds by itself."""
    for rule, text in (*_missing(page), *check_languages(page), *_numbers(page), *_roles(page)):
        yield Problem(page.id, rule, text)


def _missing(page: Page) -> Iterator[tuple[str, str]]:
    if not page.sources:
        yield "sourced", "names no source; say where its sample or claim comes from"
    if not page.checks:
        yield "check", "has no check that would tell more"
    if not page.traps:
        yield "trap", "names no trap"


def check_languages(part: BaseModel) -> Iterator[tuple[str, str]]:
    """Check that every sentence in `part` is in both languages, each in its own."""
    for sentence in _sentences(part):
        if not _CJK.search(sentence.zh):
            yield "languages", f"zh is not Chinese: {sentence.zh!r}"
        if _CJK.search(sentence.en):
            yield "languages", f"en holds Chinese: {sentence.en!r}"


def _sentences(part: BaseModel) -> Iterator[Bilingual]:
    for name in type(part).model_fields:
        value = getattr(part, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, Bilingual):
                yield item
            elif isinstance(item, BaseModel):
                yield from _sentences(item)


def _numbers(page: Page) -> Iterator[tuple[str, str]]:
    for link in page.causes:
        if link.delay.min_s > link.delay.max_s:
            yield "delay", f"link to {link.effect}: min_s is above max_s"
    before = page.begins_before
    if before is not None and before.min_s > before.max_s:
        yield "delay", "begins_before: min_s is above max_s"
    for name, parts in (
        ("signature", page.signatures),
        ("check", page.checks),
        ("remedy", page.remedies),
    ):
        counts = Counter(part.id for part in parts)
        for twice in sorted(part for part, count in counts.items() if count > 1):
            yield "unique", f"two of its {name} ids are {twice!r}"


def _roles(page: Page) -> Iterator[tuple[str, str]]:
    if page.role == "context" and any(
        not isinstance(signature, TextSignature) or signature.yields == "event"
        for signature in page.signatures
    ):
        yield "role", "is context, but a signature of it yields an event"
    if page.role == "context" and page.causes:
        yield "role", "is context, so it can cause nothing"
    if page.infer is not None and page.role != "root":
        yield "role", f"is {page.role}, but only a root can be inferred"
    if page.progress and page.role != "benign":
        yield "role", f"is {page.role}, but only a benign page can prove progress"
    if any(remedy.risk == "R4" for remedy in page.remedies):
        yield "risk", "offers a remedy of risk R4, which is never offered"
