"""Every signature holds on its own samples and on none of its own negatives."""

from collections.abc import Iterator, Mapping

from knowledge.conditions import compare_numbers
from knowledge.errors import PatternInvalidError
from knowledge.matching import judge_state
from knowledge.page import MetricSignature, Page, Signature, StateSignature, TextSignature
from knowledge.pattern import compile_pattern, encode
from knowledge.problem import Problem
from knowledge.reckoning import fields_of


def check(page: Page) -> Iterator[Problem]:
    """Try each signature on what the page itself says it matches."""
    for signature in page.signatures:
        try:
            for rule, text in _verdicts(signature):
                yield Problem(page.id, rule, f"signature {signature.id}: {text}")
        except PatternInvalidError:
            continue  # reported where patterns are checked


def shows(signature: TextSignature, line: str) -> bool:
    """Tell whether the line carries the signature's literal and satisfies all its tests."""
    if signature.literal not in line:
        return False
    values = compile_pattern(signature.regex).search(encode(line))
    return values is not None and fields_of(signature, values) is not None


def _verdicts(signature: Signature) -> Iterator[tuple[str, str]]:
    match signature:
        case TextSignature():
            yield from _text(signature)
        case MetricSignature():
            yield from _metric(signature)
        case StateSignature():
            yield from _state(signature)


def _text(signature: TextSignature) -> Iterator[tuple[str, str]]:
    for line in signature.examples:
        if signature.literal not in line:
            yield "literal", f"{signature.literal!r} is not in its example {line!r}"
        elif not shows(signature, line):
            yield "example", f"does not match its example {line!r}"
    for line in signature.not_examples:
        if shows(signature, line):
            yield "not-example", f"matches its own negative {line!r}"


def _metric(signature: MetricSignature) -> Iterator[tuple[str, str]]:
    for wanted, samples in ((True, signature.examples), (False, signature.not_examples)):
        for sample in samples:
            value = sample.get("value")
            if not isinstance(value, int | float):
                yield "example", f"sample without a number under `value`: {dict(sample)}"
            elif compare_numbers(value, signature.op, signature.value) != wanted:
                yield _rule(wanted=wanted), f"value {value} {signature.op} {signature.value}"


def _state(signature: StateSignature) -> Iterator[tuple[str, str]]:
    for wanted, contents in ((True, signature.examples), (False, signature.not_examples)):
        for content in contents:
            if _holds(signature, content) != wanted:
                yield _rule(wanted=wanted), f"on {dict(content)}"


def _holds(signature: StateSignature, content: Mapping[str, object]) -> bool:
    return any(True for _ in judge_state("", signature, content))


def _rule(*, wanted: bool) -> str:
    return "example" if wanted else "not-example"
