"""The argument grammar: what may be run at all.

Read-only is a grammar here, not a list of forbidden verbs. Each program has its allowed shapes:
leading words, flags with typed values, typed positionals. An argv that no shape holds cannot
become a `Command`, and the shell runs nothing but a `Command`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tools.errors import CommandRefusedError

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
WORD = slot(r"[A-Za-z][A-Za-z0-9\-]*")


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


@dataclass(frozen=True)
class Command:
    """An argv that the grammar holds."""

    argv: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.argv or not allowed(self.argv):
            shown = " ".join(self.argv)[:200]
            message = (
                f"refused: {shown!r} is no read-only form that the argument grammar holds; "
                "tools/grammar.py lists what is"
            )
            raise CommandRefusedError(message)

    @property
    def program(self) -> str:
        """The program's name without its folder."""
        return PurePosixPath(self.argv[0]).name

    def __str__(self) -> str:
        return quoted(self.argv)


def quoted(argv: Sequence[str]) -> str:
    """Write an argv as a line that a shell would read back to the same."""
    plain = re.compile(r"[\w@%+=:,./\-]+")
    return " ".join(
        part if plain.fullmatch(part) else "'" + part.replace("'", "'\"'\"'") + "'" for part in argv
    )


def allowed(argv: Sequence[str]) -> bool:
    """Tell whether some shape of the program holds this argv."""
    from tools.grammar import PROGRAMS  # noqa: PLC0415 (the grammar is written in these types)

    shapes = PROGRAMS.get(argv[0], ())
    return any(shape.holds(argv[1:]) for shape in shapes)
