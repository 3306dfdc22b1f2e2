"""What an organisation's steps may be: none that is never offered, none that is called a look."""

import re
from collections.abc import Iterator

from knowledge.own.page_file import Extension
from knowledge.page import Page, Remedy
from tools.commands import allowed, quoted

_LOOKS = frozenset({"R0", "R1"})
_NEVER = "R4"
_HOLE = re.compile(r"\{(\w+)\}")
_FILLED = {"gpu": "0", "server": "10.0.0.1", "mount": "/mnt/a", "bdf": "0000:3b:00.0"}


def find_dangerous(own: Page | Extension, shipped: Page | None) -> Iterator[str]:
    """Yield a sentence for each remedy that no approval may bring in.

    One that the shipped page has in the same words and with the same risk passes.
    """
    known = shipped.remedies if shipped else ()
    for remedy in own.remedies:
        if remedy.risk == _NEVER:
            yield f"remedy {remedy.id} has risk {_NEVER}, which is never offered"
        elif remedy.risk in _LOOKS and remedy.command and not _is_look(remedy, known):
            line = quoted(remedy.command)
            yield f"remedy {remedy.id} has risk {remedy.risk}, but {line!r} is no read-only command"


def find_unknown_looks(own: Page | Extension, shipped: Page | None) -> Iterator[str]:
    """Yield a sentence for each check whose command is not known to change nothing."""
    known = {check.command for check in shipped.checks} if shipped else set()
    for check in own.checks:
        if check.command not in known and not allowed(_filled(check.command)):
            line = quoted(check.command)
            yield f"check {check.id}: {line!r} is not known to be read-only"


def _is_look(remedy: Remedy, known: tuple[Remedy, ...]) -> bool:
    same = any((each.command, each.risk) == (remedy.command, remedy.risk) for each in known)
    return same or allowed(_filled(remedy.command))


def _filled(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Put likely values where a page leaves holes: the grammar judges whole commands."""
    return tuple(_HOLE.sub(lambda hole: _FILLED.get(hole[1], "x-1"), part) for part in argv)
