"""Every reference between pages resolves and makes sense."""

from collections.abc import Iterator, Mapping

from knowledge.catalog import Catalog
from knowledge.matching import judge_state
from knowledge.page import Page, Signature, StateSignature, TextSignature
from knowledge.problem import Problem
from knowledge.rules.samples import shows

RECKONED: Mapping[str, frozenset[str]] = {
    "nfs_major_timeout_s": frozenset({"nfs_timeo_s", "nfs_retrans"}),
}
"""Settings that follow from others, and the ones they follow from: no line prints them."""


def check(catalog: Catalog) -> Iterator[Problem]:
    """Check what pages say of each other."""
    fields = {page.id: _fields(page) for page in catalog.pages.values()}
    settings = _settings(catalog)
    for page in catalog.pages.values():
        yield from _references(page, catalog)
        yield from _expectations(page, catalog)
        yield from _attributes(page, fields, settings)
        yield from _one_line(page, catalog)
    yield from _circles(catalog)
    yield from _queries(catalog)


def _one_line(page: Page, catalog: Catalog) -> Iterator[Problem]:
    """A link within one line joins two signatures that take one and the same sample."""
    for link in page.causes:
        effect = catalog.pages.get(link.effect)
        if link.scope == "line" and effect is not None and not _share_a_sample(page, effect):
            text = f"is linked to {link.effect} within one line, but no sample of that shows both"
            yield Problem(page.id, "line", text)


def _share_a_sample(page: Page, effect: Page) -> bool:
    return any(
        _takes(signature, sample)
        for one, other in ((page, effect), (effect, page))
        for signature in one.signatures
        for shown in other.signatures
        for sample in shown.examples
    )


def _takes(signature: Signature, sample: object) -> bool:
    match signature:
        case TextSignature():
            return isinstance(sample, str) and shows(signature, sample)
        case StateSignature():
            return isinstance(sample, Mapping) and any(judge_state("", signature, sample))
        case _:
            return False


def _settings(catalog: Catalog) -> frozenset[str]:
    read = frozenset(
        name
        for _, signature in catalog.signatures()
        if isinstance(signature, TextSignature)
        for name in signature.settings
    )
    return read | {name for name, sources in RECKONED.items() if sources <= read}


def _references(page: Page, catalog: Catalog) -> Iterator[Problem]:
    for rule, target in _targets(page):
        if target not in catalog.pages:
            yield Problem(page.id, "resolves", f"{rule} names {target}, which no page is")
        elif target == page.id:
            yield Problem(page.id, "resolves", f"{rule} names the page itself")
    own = {check.id for check in page.checks}
    for distinction in page.distinguish:
        if distinction.check not in own:
            text = (
                f"distinguish from {distinction.other} uses check {distinction.check}, not its own"
            )
            yield Problem(page.id, "resolves", text)


def _targets(page: Page) -> Iterator[tuple[str, str]]:
    yield from (("a link", link.effect) for link in page.causes)
    yield from (("refuted_by", refutation.condition) for refutation in page.refuted_by)
    yield from (("distinguish", distinction.other) for distinction in page.distinguish)
    yield from (("collateral_of", other) for other in page.collateral_of)
    yield from (("stands_for", other) for other in page.stands_for)
    yield from (("infer", effect) for effect in (page.infer.effects if page.infer else ()))


def _expectations(page: Page, catalog: Catalog) -> Iterator[Problem]:
    for link in page.causes:
        effect = catalog.pages.get(link.effect)
        if link.expected and effect is not None and not effect.signatures:
            text = f"expects {link.effect}, which has no signature to be seen by"
            yield Problem(page.id, "expected", text)
    harmless = page.role == "symptom" and not page.damage and not page.hides
    if harmless and not _is_fallback(page) and not catalog.links_to(page.id):
        text = "is a symptom without damage that nothing causes, so it can explain nothing"
        yield Problem(page.id, "symptom", text)
    if page.infer is not None:
        for name in sorted(set(page.infer.effects) - {link.effect for link in page.causes}):
            yield Problem(page.id, "infer", f"is inferred from {name} without causing it")


def _is_fallback(page: Page) -> bool:
    """Tell whether it stands for what no page knows, so that nothing can be known to cause it."""
    return any(isinstance(each, TextSignature) and each.fallback for each in page.signatures)


def _attributes(
    page: Page, fields: Mapping[str, frozenset[str]], settings: frozenset[str]
) -> Iterator[Problem]:
    """Warn of fields and settings that nothing provides: such a test can never be decided."""
    known = fields[page.id]
    provided = known | settings | {""}
    for text in (
        *_undecided_links(page, fields, provided),
        *(
            f"benign_when: {condition.field} is no field of it"
            for benign in page.benign_when
            for condition in benign.when
            if condition.field not in known
        ),
    ):
        yield Problem(page.id, "fields", text, "warning")
    if page.begins_before is not None and page.begins_before.setting not in provided:
        text = f"begins_before: nothing provides {page.begins_before.setting}"
        yield Problem(page.id, "fields", text, "warning")


def _undecided_links(
    page: Page, fields: Mapping[str, frozenset[str]], provided: frozenset[str]
) -> Iterator[str]:
    for link in page.causes:
        if link.effect in fields:
            for name in sorted(link.when.keys() - fields[link.effect]):
                yield f"link to {link.effect}: {name} is no field of the effect"
        if link.guard is None:
            continue
        if link.guard.field not in fields[page.id]:
            yield f"link to {link.effect}: {link.guard.field} is no field of this page"
        if link.guard.setting not in provided:
            yield f"link to {link.effect}: no page reads {link.guard.setting}"


def _fields(page: Page) -> frozenset[str]:
    names = {"count", "value", "duration_s"}
    for signature in page.signatures:
        if isinstance(signature, TextSignature | StateSignature):
            names |= signature.fields.keys()
        if isinstance(signature, TextSignature):
            names |= signature.reckons.keys()
    return frozenset(names)


def _circles(catalog: Catalog) -> Iterator[Problem]:
    quoting = {
        page.id: [link.effect for link in page.causes if link.definitional]
        for page in catalog.pages.values()
    }
    for start in sorted(quoting):
        if start in _reachable(start, quoting):
            yield Problem(start, "circle", "reaches itself over definitional links")


def _reachable(start: str, edges: Mapping[str, list[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = list(edges[start])
    while waiting:
        page = waiting.pop()
        if page not in seen:
            seen.add(page)
            waiting += edges.get(page, ())
    return seen


def _queries(catalog: Catalog) -> Iterator[Problem]:
    first: dict[str, tuple[str, str]] = {}
    for page, signature in catalog.signatures():
        if signature.source != "metric":
            continue
        owner, expr = first.setdefault(signature.query, (page.id, signature.expr))
        if expr != signature.expr:
            text = f"query {signature.query} is another expression on page {owner}"
            yield Problem(page.id, "query", text)
