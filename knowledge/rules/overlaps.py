"""Whose line is it? No signature takes another page's negative; shared samples are declared."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from knowledge.catalog import Catalog
from knowledge.errors import PatternInvalidError
from knowledge.page import Page, TextSignature
from knowledge.problem import Problem
from knowledge.rules.samples import shows

_VARIABLE = re.compile(r"\b(?:0x)?[0-9a-fA-F]*\d[0-9a-fA-F.:-]*")


@dataclass(frozen=True, slots=True)
class _Sample:
    page: Page
    signature: TextSignature
    line: str
    negative: bool


def check(catalog: Catalog, only: Collection[str] = ()) -> Iterator[Problem]:
    """Try every line signature on the samples and negatives of all other pages.

    A line of the same shape as one of a page's own examples is declared: both pages may claim it.
    `only` names the pages whose signatures are tried; empty: all.
    """
    samples = list(_samples(catalog))
    judged = [each for each in catalog.signatures() if not only or each[0].id in only]
    for page, signature in judged:
        if isinstance(signature, TextSignature) and not signature.fallback:
            own = [_shape(line) for line in _examples(page)]
            taken = [sample for sample in samples if _takes(page, signature, sample)]
            for sample in (each for each in taken if not _declared(each.line, own)):
                yield from _complain(page, signature, sample)


def _takes(page: Page, signature: TextSignature, sample: _Sample) -> bool:
    return (
        sample.page.id != page.id
        and _same_writer(signature, sample.signature)
        and _shows(signature, sample.line)
    )


def _declared(line: str, own: Sequence[str]) -> bool:
    shape = _shape(line)
    return any(shape.startswith(known) or known.startswith(shape) for known in own)


def _shape(line: str) -> str:
    """Reduce a line to its words: numbers, addresses and identities differ between samples."""
    return _VARIABLE.sub("#", line)


def _complain(page: Page, signature: TextSignature, sample: _Sample) -> Iterator[Problem]:
    whose = f"of {sample.page.id}: {sample.line!r}; if rightly so, list it as an example here too"
    if sample.negative:
        yield Problem(
            page.id, "not-example", f"signature {signature.id} matches a negative {whose}"
        )
    elif not _related(page, sample.page):
        text = f"signature {signature.id} matches an example {whose}, or link the pages"
        yield Problem(page.id, "overlap", text, "warning")


def _samples(catalog: Catalog) -> Iterator[_Sample]:
    for page, signature in catalog.signatures():
        if isinstance(signature, TextSignature):
            for line in signature.examples:
                yield _Sample(page, signature, line, negative=False)
            for line in signature.not_examples:
                yield _Sample(page, signature, line, negative=True)


def _examples(page: Page) -> Iterator[str]:
    for signature in page.signatures:
        if isinstance(signature, TextSignature):
            yield from signature.examples


def _same_writer(left: TextSignature, right: TextSignature) -> bool:
    return left.source == right.source and all(
        not one or not other or one == other
        for one, other in ((left.unit, right.unit), (left.reason, right.reason))
    )


def _shows(signature: TextSignature, line: str) -> bool:
    try:
        return shows(signature, line)
    except PatternInvalidError:
        return False  # reported where patterns are checked


def _related(left: Page, right: Page) -> bool:
    return left.id in _named(right) or right.id in _named(left)


def _named(page: Page) -> frozenset[str]:
    return frozenset(
        (
            *(link.effect for link in page.causes),
            *(distinction.other for distinction in page.distinguish),
            *(refutation.condition for refutation in page.refuted_by),
            *page.collateral_of,
            *page.stands_for,
        )
    )
