"""Breaks lines where a reader of either script would: at spaces, and between wide characters."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size
from rich.measure import Measurement
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, JustifyMethod, OverflowMethod
    from rich.containers import Lines

_NEVER_FIRST = frozenset("，。；：！？、）】》」』”’…·)]},.;:!?")
_NEVER_LAST = frozenset("（【《「『“([{")
_WIDE = 2


class Prose(Text):
    """Text that may break between wide characters: Chinese has no spaces to break at."""

    def wrap(
        self,
        console: "Console",  # noqa: ARG002 -- the base class's signature
        width: int,
        *,
        justify: "JustifyMethod | None" = None,  # noqa: ARG002 -- as above
        overflow: "OverflowMethod | None" = None,  # noqa: ARG002 -- as above
        tab_size: int = 8,  # noqa: ARG002 -- as above
        no_wrap: bool | None = None,  # noqa: ARG002 -- as above
    ) -> "Lines":
        """Divide the text into lines of at most `width` columns."""
        lines = self.divide(find_breaks(self.plain, max(1, width)))
        for line in lines:
            line.rstrip()
        return lines

    def __rich_measure__(self, console: "Console", options: "ConsoleOptions") -> Measurement:
        """Say how narrow it can be and how wide it would like to be."""
        widest = max((cell_len(part.rstrip()) for part in _parts(self.plain)), default=0)
        return Measurement(widest, cell_len(self.plain))


def find_breaks(words: str, width: int) -> list[int]:
    """Return where lines of at most `width` columns begin, but for the first."""
    breaks: list[int] = []
    place, used = 0, 0
    for part in _parts(words):
        bare = cell_len(part.rstrip())
        if used and used + bare > width:
            breaks.append(place)
            used = 0
        if bare > width:
            folds = list(_fold(part, width))
            breaks += [place + fold for fold in folds]
            used = cell_len(part[folds[-1] if folds else 0 :])
        else:
            used += cell_len(part)
        place += len(part)
    return breaks


def _parts(words: str) -> Iterator[str]:
    """Yield what must stay on one line, each with the spaces after it."""
    start = 0
    for n in range(1, len(words)):
        if _may_break(words[n - 1], words[n]):
            yield words[start:n]
            start = n
    if words:
        yield words[start:]


def _may_break(before: str, after: str) -> bool:
    if after.isspace() or after in _NEVER_FIRST or before in _NEVER_LAST:
        return False
    if before.isspace():
        return True
    return get_character_cell_size(before) == _WIDE or get_character_cell_size(after) == _WIDE


def _fold(part: str, width: int) -> Iterator[int]:
    """Yield where to cut what is longer than a line."""
    used = 0
    for n, letter in enumerate(part):
        size = get_character_cell_size(letter)
        if used + size > width and n:
            yield n
            used = 0
        used += size
