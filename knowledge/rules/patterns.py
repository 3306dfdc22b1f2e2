"""Every expression and path compiles; every literal is worth scanning for."""

from collections.abc import Callable, Iterator

from knowledge.conditions import ROOT, parse_path
from knowledge.errors import PatternInvalidError
from knowledge.page import Condition, Page, StateSignature, TextSignature
from knowledge.pattern import compile_pattern
from knowledge.problem import Problem
from knowledge.template import placeholders

SHORTEST_LITERAL = 6
COMMON = frozenset(
    {
        "aborted", "cannot", "connection", "container", "context", "device", "driver", "error:",
        "exception", "exited", "failed", "failure", "from", "health", "healthy", "killed", "kernel",
        "memory", "message",
        "network", "nvidia", "process", "python", "refused", "server", "service", "signal",
        "started", "status", "stopped", "timed out", "timeout", "training", "unknown", "warning",
    }
)  # fmt: skip
"""Words that stand in every other log line: as literals they would let everything through."""


def check(page: Page) -> Iterator[Problem]:
    """Check all expressions, paths and literals of a page."""
    for where, expression in _expressions(page):
        yield from _try(page, where, expression, compile_pattern)
    for where, path in _paths(page):
        yield from _try(page, where, path.removeprefix(ROOT), parse_path)
    for signature in page.signatures:
        if isinstance(signature, TextSignature):
            for text in _literals(signature):
                yield Problem(page.id, "literal", f"signature {signature.id}: {text}")


def _try(page: Page, where: str, text: str, compiles: Callable[[str], object]) -> Iterator[Problem]:
    try:
        compiles(text)
    except PatternInvalidError as error:
        yield Problem(page.id, "compiles", f"{where}: {error}")


def _expressions(page: Page) -> Iterator[tuple[str, str]]:
    for signature in page.signatures:
        where = f"signature {signature.id}"
        if isinstance(signature, TextSignature):
            yield where, signature.regex
            yield f"{where} unit", signature.unit
            if signature.ends is not None:
                yield f"{where} ends", signature.ends.regex
    for link in page.causes:
        for name, expression in link.when.items():
            yield f"link to {link.effect}, when {name}", expression
    for condition in _conditions(page):
        if condition.op in {"matches", "lacks"}:
            yield f"condition on {condition.field}", str(condition.value)


def _paths(page: Page) -> Iterator[tuple[str, str]]:
    for condition in _conditions(page):
        for path in filter(None, (condition.field, condition.value_of)):
            yield f"condition on {condition.field}", path
    for signature in page.signatures:
        if isinstance(signature, StateSignature):
            named = [name for text in signature.entity.values() for name in placeholders(text)]
            paths = (
                *signature.each.split("[]."),
                signature.since,
                *signature.fields.values(),
                *named,
            )
            for path in filter(None, paths):
                yield f"signature {signature.id}", path


def _conditions(page: Page) -> Iterator[Condition]:
    for signature in page.signatures:
        if isinstance(signature, StateSignature | TextSignature):
            yield from signature.where
    for benign in page.benign_when:
        yield from benign.when


def _literals(signature: TextSignature) -> Iterator[str]:
    if not signature.literal and not signature.reason and not signature.fallback:
        yield "has neither a literal nor a reason, so it would be tried on every line"
    literals = [signature.literal] if signature.literal else []
    if signature.ends is not None:
        literals.append(signature.ends.literal)
    for literal in literals:
        if len(literal.encode()) < SHORTEST_LITERAL:
            yield f"literal {literal!r} is shorter than {SHORTEST_LITERAL} bytes"
        if literal.strip().casefold() in COMMON:
            yield f"literal {literal!r} is a word that stands everywhere"
