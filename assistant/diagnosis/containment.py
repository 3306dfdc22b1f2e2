"""What contains the damage now: of what is shared where it is, of what is over nothing more."""

from collections.abc import Sequence

from assistant.diagnosis.case import Case, hosts_of
from assistant.diagnosis.guidance import contain
from assistant.diagnosis.impact import read_state, stands
from assistant.diagnosis.placing import Part, place_advice
from assistant.diagnosis.result import Instruction
from assistant.sentences import say
from knowledge.page import Page

_SHARED = frozenset({"cluster", "control_plane", "pdu", "rack", "storage_server", "switch"})
"""Kinds of root that take many with them."""


def contain_now(
    pages: Sequence[Page], parts: Sequence[Part], case: Case
) -> tuple[Instruction, ...]:
    """Return what is to be done at once, and to what is over only what is to be verified.

    A fault is over where none of it stands and work was seen to go on after all of it: stopping
    that would be the damage.
    """
    going = [part for part in parts if not _is_over(part, case)]
    over = len(going) < len(parts) or (not parts and read_state(case).work_seen is not None)
    if over:
        left = {event.page for part in going for event in part.own.values()}
        pages = [page for page in pages if page.id in left]
    rows = contain(_fitting(page, going, case) for page in pages)
    verify = [Instruction(text=say("verify-over"), why=say("verify-over-why"))] if over else []
    return (*place_advice(rows, going, case.pages), *verify)


def _is_over(part: Part, case: Case) -> bool:
    if any(stands(event, case) for event in part.own.values()):
        return False
    return read_state(case, frozenset(part.own)).work_seen is not None


def _fitting(page: Page, parts: Sequence[Part], case: Case) -> Page:
    """Leave out of a page's advice what is meant for a thing that several share, if none is."""
    if not any(row.shared for row in page.contain) or _is_shared(page, parts, case):
        return page
    return page.model_copy(update={"contain": tuple(r for r in page.contain if not r.shared)})


def _is_shared(page: Page, parts: Sequence[Part], case: Case) -> bool:
    """Tell whether the condition was seen on several hosts by one cause, or comes of a hub."""
    if not parts:
        seen = [event for event in case.timeline.events if event.page == page.id]
        return len(hosts_of(seen)) > 1
    for part in parts:
        calling = [event for event in part.own.values() if event.page == page.id]
        kinds = {part.root.entity.kind, *(anchor.kind for anchor in part.root.peers)}
        if calling and (len(hosts_of(calling)) > 1 or kinds & _SHARED):
            return True
    return False
