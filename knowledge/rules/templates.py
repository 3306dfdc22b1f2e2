"""Every name that a template, a field or a setting uses exists where it is used."""

from collections.abc import Iterator, Mapping

from knowledge.conditions import as_text
from knowledge.errors import PatternInvalidError
from knowledge.matching import judge_state
from knowledge.page import MetricSignature, Page, StateSignature, TextSignature
from knowledge.pattern import compile_pattern
from knowledge.problem import Problem
from knowledge.reckoning import terms
from knowledge.template import placeholders

RECORD_NAMES = frozenset(
    {
        "host",
        "unit",
        "pod",
        "namespace",
        "container",
        "job",
        "rank",
        "name",
        "node",
        "kind",
        "place",
    }
)
"""What a record brings along beside its text."""

_TIED = {"relation": 2, "release": 1}
"""How many entities stand under `relation`, at the least."""


def check(page: Page) -> Iterator[Problem]:
    """Check the names in a page's signatures."""
    for signature in page.signatures:
        match signature:
            case TextSignature():
                texts = _text(signature)
            case MetricSignature():
                texts = _metric(signature)
            case StateSignature():
                texts = _state(signature)
        try:
            for text in texts:
                yield Problem(page.id, "names", f"signature {signature.id}: {text}")
        except PatternInvalidError:
            continue  # reported where patterns are checked


def _text(signature: TextSignature) -> Iterator[str]:
    groups = frozenset(compile_pattern(signature.regex).names)
    named = _named(signature)
    for name in sorted(named - groups - RECORD_NAMES):
        yield f"a template uses {{{name}}}, which is no named group"
    for name in sorted(signature.fields.keys() - groups):
        yield f"field {name} is no named group"
    yield from _reckoned(signature)
    for setting, group in signature.settings.items():
        if group not in signature.fields:
            yield f"setting {setting} reads {group}, which is not among its fields"
    if (signature.yields == "setting") != bool(signature.settings):
        yield "settings and yields: setting belong together"
    least = _TIED.get(signature.yields, 0)
    if bool(least) != bool(signature.relation) or len(signature.relation) < least:
        yield "yields: relation needs two or more entities under relation, release one, others none"
    yield from _ending(signature, named & groups)


def _reckoned(signature: TextSignature) -> Iterator[str]:
    known = signature.fields.keys() | signature.reckons.keys()
    for name, sum_of in signature.reckons.items():
        try:
            unknown = {term for _, term in terms(sum_of)} - signature.fields.keys()
        except ValueError as error:
            yield f"reckons {name}: {error}"
            continue
        for term in sorted(unknown):
            yield f"reckons {name} from {term}, which is none of its fields"
    for test in signature.where:
        for name in sorted({test.field, test.value_of or test.field} - known):
            yield f"tests {name}, which is none of its fields"


def _ending(signature: TextSignature, needed: frozenset[str]) -> Iterator[str]:
    if signature.ends is None:
        return
    groups = frozenset(compile_pattern(signature.ends.regex).names)
    own = {name for text in signature.entity.values() for name in placeholders(text)}
    for name in sorted((needed & own) - groups):
        yield f"the ending does not name {name}, so it cannot close the same entity"


def _named(signature: TextSignature) -> frozenset[str]:
    templates = (
        *signature.entity.values(),
        *signature.peer.values(),
        *(named.id for named in signature.relation),
    )
    return frozenset(name for text in templates for name in placeholders(text))


def _metric(signature: MetricSignature) -> Iterator[str]:
    for sample in signature.examples:
        for name in _absent(signature.entity, {key: as_text(v) for key, v in sample.items()}):
            yield f"its example has no label {name}"


def _state(signature: StateSignature) -> Iterator[str]:
    found = [
        match for content in signature.examples for match in judge_state("", signature, content)
    ]
    for match in found:
        for name in _absent(signature.entity, match.values):
            yield f"its example has nothing at {name} (`host` comes with every reading)"
    for name in signature.fields:
        if found and not any(name in match.fields for match in found):
            yield f"no example has a value for field {name}"


def _absent(entity: Mapping[str, str], values: Mapping[str, str]) -> list[str]:
    names = {name for text in entity.values() for name in placeholders(text)}
    return sorted(names - values.keys() - {"host"})
