"""The order in which captures are read: what names things first, what others date last."""

import re
from enum import IntEnum

from tools.late_patterns import compile_late
from tools.readers.journal_export import READER as EXPORT
from tools.readers.journal_json import READER as JSON

_PODS = compile_late(rb"^(?:NAMESPACE +)?NAME +READY +STATUS .*\bNODE\b", re.MULTILINE)
"""A table that says where pods run, wherever in the beginning it stands."""
_DESCRIBED = compile_late(rb"Name: +\S+\r?\nNamespace: ")
_BOOT_CLOCK = compile_late(rb"(?:<\d+>)?\[ *\d+\.\d+\]")


class Turn(IntEnum):
    """When a capture is read."""

    OBJECTS = 0
    """Objects say where pods run, by which the logs of pods find their host."""
    OTHERS = 1
    JOURNALS = 2
    """Every entry tells all of itself: they need nothing of others."""
    BOOT_CLOCKS = 3
    """Other logs and the time of the boot anchor them."""


def turn_of(head: bytes) -> Turn:
    """Tell from its beginning when a content is read."""
    start = head.lstrip()[:2000]
    stored = start.startswith((b"{", b"[", b"apiVersion:")) and b"apiVersion" in start
    if stored or _DESCRIBED.match(start) or (b" READY " in head and _PODS.search(head)):
        return Turn.OBJECTS
    if _BOOT_CLOCK.match(start):
        return Turn.BOOT_CLOCKS
    return Turn.JOURNALS if is_journal(head) else Turn.OTHERS


def is_journal(head: bytes) -> bool:
    """Tell whether a content is a journal's text."""
    return bool(EXPORT.score(head, "") or JSON.score(head, ""))
