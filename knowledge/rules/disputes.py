"""Where sources disagree, each side must be told apart: its own words, its own source."""

from collections import Counter
from collections.abc import Iterator

from knowledge.page import Dispute, Page
from knowledge.problem import Problem


def check(page: Page) -> Iterator[Problem]:
    """Check what a page says of those who disagree."""
    for dispute in page.disputes:
        for text in _faults(dispute):
            yield Problem(page.id, "dispute", f"{dispute.about.en!r}: {text}")


def _faults(dispute: Dispute) -> Iterator[str]:
    sources = Counter(_plain(claim.source.text) for claim in dispute.claims)
    for source, count in sorted(sources.items()):
        if not source:
            yield "a claim names no source; say who holds it"
        elif count > 1:
            yield f"{count} claims have one source, {source!r}; put them into one claim"
    if len({_plain(claim.text.en) for claim in dispute.claims}) < len(dispute.claims):
        yield "two claims say the same; name their sources together"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
