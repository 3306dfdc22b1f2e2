"""The forms in which an argument grammar is written: typed slots, flags, positionals."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Slot = re.Pattern[str]


def slot(pattern: str) -> Slot:
    """Make a typed place for a value; it must match whole."""
    return re.compile(pattern)


NAME = slot(r"[A-Za-z0-9][A-Za-z0-9._:@\-]{0,252}")
PATH = slot(r"/(?!.*(?:^|/)\.\.(?:/|$))[^\x00\n]*")
NUMBER = slot(r"\d{1,12}")
EPOCH = slot(r"@\d{1,11}(?:\.\d{1,9})?")
SECONDS = slot(r"\d{1,4}s")
STAMP = slot(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
TEXT = slot(r"[^\x00\n]+")


@dataclass(frozen=True)
class Shape:
    """One allowed form: leading words, then flags in any order, then positionals."""

    words: tuple[str, ...] = ()
    flags: Mapping[str, Slot | None] = field(default_factory=dict)
    """A flag's value type; None for a flag that stands alone."""
    positionals: tuple[Slot, ...] = ()
    rest: Slot | None = None
    """Any number more of these after the positionals."""
    optional: bool = False
    """True where positionals may be left out."""
    required: frozenset[str] = frozenset()
    """Flags that must be there."""

    def holds(self, arguments: Sequence[str]) -> bool:
        """Tell whether these arguments have this form."""
        if tuple(arguments[: len(self.words)]) != self.words:
            return False
        left = list(arguments[len(self.words) :])
        given, values = _without_flags(left, self.flags)
        return given is not None and self.required <= given and self._fits(values)

    def _fits(self, values: list[str]) -> bool:
        if len(values) < len(self.positionals) and not (self.optional and not values):
            return False
        slots = [*self.positionals, *[self.rest] * max(0, len(values) - len(self.positionals))]
        return all(
            place is not None and not value.startswith("-") and place.fullmatch(value) is not None
            for place, value in zip(slots, values, strict=False)
        )


def _without_flags(
    arguments: list[str], flags: Mapping[str, Slot | None]
) -> tuple[frozenset[str] | None, list[str]]:
    """Split into the flags given and the values that are none; None where a flag is not allowed."""
    given: set[str] = set()
    values: list[str] = []
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        if not argument.startswith("-"):
            values.append(argument)
            continue
        name, joined, value = argument.partition("=")
        if name not in flags:
            return None, values
        place = flags[name]
        if place is not None and not joined:
            value = arguments[position] if position < len(arguments) else ""
            position += 1
        if (place is None and joined) or (place is not None and not place.fullmatch(value)):
            return None, values
        given.add(name)
    return frozenset(given), values
