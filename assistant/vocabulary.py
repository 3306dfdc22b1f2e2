"""Resolves the words of handbook pages against what the product can see and name.

Pages are plain data and know nothing of `tools`; this is the one place where both are held side
by side, at start and in tests.
"""

from collections.abc import Iterator
from typing import get_args

from assistant.errors import VocabularyError
from knowledge.catalog import Catalog
from knowledge.page import MetricSignature, Page, Scope, StateSignature, TextSignature
from tools.entity import ENTITY_KINDS
from tools.evidence import Channel
from tools.registry import load_probes

CHANNELS: frozenset[str] = frozenset(get_args(Channel))
SCOPES: frozenset[str] = frozenset(get_args(Scope))
SOURCES = frozenset(
    {"journal", "kubernetes", "prometheus", "nvml", "host", "containers", "alert", "file"}
)
"""Names of sources in evidence."""
_SCOPE_KINDS = {"server": "storage_server"}
"""Scopes that do not bear the name of an entity kind."""


def check_vocabulary(catalog: Catalog) -> None:
    """Make sure that every word a page uses stands for something.

    Raises:
        VocabularyError: with every word that does not, and its page.
    """
    faults = tuple(find_faults(catalog))
    if faults:
        raise VocabularyError(faults)


def find_faults(catalog: Catalog) -> Iterator[str]:
    """Yield one sentence for each unknown word."""
    return (f"{page}: {fault}" for page, fault in find_faulty(catalog))


def find_faulty(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """Yield a page's id and one sentence for each unknown word of its."""
    probes = load_probes()
    sources = CHANNELS | SOURCES | {p.name for p in probes} | {p.source for p in probes}
    for page in catalog.pages.values():
        for fault in _faults(page, sources):
            yield page.id, fault


def _faults(page: Page, sources: frozenset[str]) -> Iterator[str]:
    words = (
        ("entity kind", _kinds(page), ENTITY_KINDS),
        ("scope", _scopes(page), SCOPES),
        ("entity kind of a scope", _scope_kinds(page), ENTITY_KINDS),
        ("channel", _channels(page), CHANNELS),
        ("source or probe", _check_sources(page), sources),
    )
    for what, used, known in words:
        for word in sorted(set(used) - known):
            yield f"no {what} is called {word!r}"


def _kinds(page: Page) -> Iterator[str]:
    yield page.entity.kind
    yield from page.entity.anchors
    for signature in page.signatures:
        yield from signature.entity
        if isinstance(signature, TextSignature):
            yield from signature.peer
            yield from (named.kind for named in signature.relation)
    yield from (link.expected_if for link in page.causes if link.expected_if)
    yield from (kind for advice in (*page.contain, *page.do_not) for kind in advice.about)


def _scopes(page: Page) -> Iterator[str]:
    yield from (link.scope for link in page.causes)
    yield from (refutation.scope for refutation in page.refuted_by)
    if page.infer:
        yield page.infer.over


def _scope_kinds(page: Page) -> Iterator[str]:
    """Each scope but `peer` and `line` is read from the anchors of one kind."""
    kinds = (scope for scope in _scopes(page) if scope not in {"peer", "line"})
    return (_SCOPE_KINDS.get(scope, scope) for scope in kinds)


def _check_sources(page: Page) -> Iterator[str]:
    return (source for check in page.checks for source in check.sources)


def _channels(page: Page) -> Iterator[str]:
    yield from page.hides
    for signature in page.signatures:
        match signature:
            case TextSignature():
                yield signature.source
                if signature.ends and signature.ends.source:
                    yield signature.ends.source
            case MetricSignature() | StateSignature():
                yield signature.source
