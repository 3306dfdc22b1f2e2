"""The argument grammar: what may be run at all.

Read-only is a grammar here, not a list of forbidden verbs. Each program has its allowed shapes:
leading words, flags with typed values, typed positionals. An argv that no shape holds cannot
become a `Command`, and the shell runs nothing but a `Command`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from tools.errors import CommandRefusedError
from tools.grammar import PROGRAMS


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
        """The program's name without its folder; behind `env`, the one that it starts."""
        names = (part for part in self.argv if part != "env" and "=" not in part)
        return PurePosixPath(next(names, self.argv[0])).name

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
    shapes = PROGRAMS.get(argv[0], ())
    return any(shape.holds(argv[1:]) for shape in shapes)
