"""Every entity kind that a page names is one of the contract's."""

from collections.abc import Iterator

from knowledge.page import Page, Signature, TextSignature
from knowledge.problem import Problem


def check(page: Page, known: frozenset[str]) -> Iterator[Problem]:
    """Check the kinds in a page; an event without the page's own kind of entity is a warning."""
    for where, kind in _kinds(page):
        if kind not in known:
            yield Problem(page.id, "kinds", f"{where}: no entity kind is called {kind!r}")
    for signature in page.signatures:
        if _makes_events(signature) and page.entity.kind not in signature.entity:
            text = f"signature {signature.id} names no {page.entity.kind}, the page's own kind"
            yield Problem(page.id, "entity", text, "warning")


def _makes_events(signature: Signature) -> bool:
    return not isinstance(signature, TextSignature) or signature.yields == "event"


def _kinds(page: Page) -> Iterator[tuple[str, str]]:
    for kind in (page.entity.kind, *page.entity.anchors):
        yield "entity", kind
    for link in page.causes:
        if link.expected_if:
            yield f"link to {link.effect}, expected_if", link.expected_if
    for signature in page.signatures:
        for kind in signature.entity:
            yield f"signature {signature.id}", kind
        if isinstance(signature, TextSignature):
            for kind in (*signature.peer, *(named.kind for named in signature.relation)):
                yield f"signature {signature.id}", kind
