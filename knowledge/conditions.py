"""Typed tests over nested values: paths, operators, Kubernetes quantities. No `eval`.

A field that is absent satisfies `absent` and nothing else: what was not seen is not unequal.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from knowledge.errors import PatternInvalidError
from knowledge.page import Condition
from knowledge.pattern import compile_pattern, encode
from knowledge.quantity import parse_quantity, parse_time

_STEP = re.compile(r'(?:\A|\.)(?:"([^"]+)"|([^".\[\]]+))|\[(\d+)\]')
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
ROOT = "$."
_NUMERIC = frozenset("+-.0123456789")
_EQUALITY = frozenset({"==", "!="})


@lru_cache(maxsize=4096)
def parse_path(path: str) -> tuple[str, ...]:
    """Split a dotted path into its keys; keys with dots are quoted, ``[0]`` indexes a list.

    Raises:
        PatternInvalidError: it is empty or malformed.
    """
    keys: list[str] = []
    position = 0
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            break
        keys.append(step.group(1) or step.group(2) or step.group(3))
        position = step.end()
    if not keys or position < len(path):
        raise PatternInvalidError("path", path, f"stops making sense at character {position}")
    return tuple(keys)


def lookup(thing: object, path: str, *, top: object = None) -> object | None:
    """Follow the path; ``$.`` starts at `top`. None where it leads nowhere or to null."""
    if path.startswith(ROOT):
        thing, path = thing if top is None else top, path[len(ROOT) :]
    for key in parse_path(path):
        # Decoded JSON is plain dicts, and there are many: they are not worth a call each.
        thing = thing.get(key) if thing.__class__ is dict else _step(thing, key)
        if thing is None:
            return None
    return thing


def holds(condition: Condition, thing: object, *, top: object = None) -> bool:
    """Tell whether the condition is true of the thing."""
    actual = lookup(thing, condition.field, top=top)
    if condition.op in {"exists", "absent"}:
        return (actual is None) == (condition.op == "absent")
    if actual is None:
        return False
    wanted: object = condition.value
    if condition.value_of is not None:
        wanted = lookup(thing, condition.value_of, top=top)
    return wanted is not None and _compare(actual, condition.op, wanted)


def as_text(value: object) -> str:
    """Write a value as the sources would: lower-case booleans, no needless ``.0``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def compare_numbers(left: float, op: str, right: float) -> bool:
    """Apply one of the six comparisons; no number satisfies none."""
    return left == left and COMPARISONS[op](left, right)  # noqa: PLR0124 - only NaN differs from itself


def _step(thing: object, key: str) -> object | None:
    if isinstance(thing, Mapping):
        return thing.get(key)
    if isinstance(thing, Sequence) and not isinstance(thing, str) and key.isdecimal():
        return thing[int(key)] if int(key) < len(thing) else None
    return None


def _compare(actual: object, op: str, wanted: object) -> bool:
    if op == "in":
        return _is_in(actual, wanted)
    if op in {"matches", "lacks"}:
        return _reads(encode(as_text(actual)), op, as_text(wanted))
    if (
        op in _EQUALITY
        and actual.__class__ is wanted.__class__ is str
        and _are_words(actual, wanted)
    ):
        return (actual == wanted) == (op == "==")
    pair = _numbers(actual, wanted)
    if pair is not None:
        return compare_numbers(pair[0], op, pair[1])
    if op in _EQUALITY:
        return _same(actual, wanted) == (op == "==")
    return False


def _reads(text: bytes, op: str, expression: str) -> bool:
    if op == "lacks":
        return compile_pattern(expression).search(text) is None
    return compile_pattern(f"(?s){expression}").covers(text)


def _are_words(one: str, other: str) -> bool:
    """Tell quickly that two texts are not both numbers or times."""
    return one[:1] not in _NUMERIC or other[:1] not in _NUMERIC


def _is_in(actual: object, wanted: object) -> bool:
    choices = wanted if isinstance(wanted, list | tuple) else (wanted,)
    items = actual if isinstance(actual, list | tuple) else (actual,)
    return any(_compare(item, "==", choice) for item in items for choice in choices)


def _same(left: object, right: object) -> bool:
    if left.__class__ is right.__class__ is str:
        return left == right
    if isinstance(left, bool) or isinstance(right, bool):
        # Kubernetes writes condition statuses as "True", readers as booleans.
        return as_text(left).casefold() == as_text(right).casefold()
    return as_text(left) == as_text(right)


def _numbers(left: object, right: object) -> tuple[float, float] | None:
    for parse in (_number, _moment):
        first = parse(left)
        second = None if first is None else parse(right)
        if first is not None and second is not None:
            return first, second
    return None


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return parse_quantity(value) if value[:1] in _NUMERIC else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)


def _moment(value: object) -> float | None:
    return parse_time(value) if isinstance(value, str) and value[:1].isdecimal() else None
