"""Every entity kind that a page names is one of the contract's."""

from collections.abc import Iterator

from knowledge.page import Page, Signature, TextSignature
from knowledge.problem import Problem


def check(page: Page, known: frozenset[str]) -> Iterator[Problem]:
    """Check the kinds in a page; an event of none of the page's kinds is a warning.

    Where a line does not name the page's own kind, the event is of the first of `entity.anchors`
    that it names: so those are the kinds it must choose from.
    """
    for where, kind in (*_kinds(page), *_spared(page)):
        if kind not in known:
            yield Problem(page.id, "kinds", f"{where}: no entity kind is called {kind!r}")
    subjects = (page.entity.kind, *page.entity.anchors)
    for signature in page.signatures:
        if _makes_events(signature) and signature.entity.keys().isdisjoint(subjects):
            text = f"signature {signature.id} names none of {', '.join(subjects)}, the page's kinds"
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


def _spared(page: Page) -> Iterator[tuple[str, str]]:
    for advice in page.do_not:
        for kind in advice.about:
            yield f"caution {advice.text.en!r}", kind
