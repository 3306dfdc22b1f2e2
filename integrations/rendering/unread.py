"""The section on what programs call errors and no page of the handbook knows."""

from collections.abc import Sequence

from assistant.event import Event
from integrations.rendering.content import (
    Items,
    Limits,
    Line,
    Paragraph,
    Section,
    code,
    join,
    refs,
    soft,
    strong,
    text,
)
from integrations.rendering.drawing import shorten
from integrations.rendering.view import View

MOST_COLUMNS = 160


def list_unread(view: View) -> Sequence[Event]:
    """Return what is new, its writer calls an error and no page knows; of most lines first."""
    ids = frozenset(view.diagnosis.unread if view.diagnosis else ())
    found = (one for one in view.investigation.timeline.unread if one.id in ids)
    return sorted(found, key=lambda one: (-one.count, one.earliest, one.id))


def build_unread(view: View, limits: Limits) -> Section | None:
    """List one line for each writer and run; None where there is none."""
    found = list_unread(view)
    if not found:
        return None
    words = view.words
    lines = tuple(unread_line(view, event) for event in found[: limits.rows])
    more = len(found) - len(lines)
    rest = (soft(words("report.and_more", count=more)),) if more else ()
    note = Paragraph(soft(words("report.unread_note")))
    return Section("unread", words("report.unread"), (Items((*lines, *rest)), note))


def unread_line(view: View, event: Event) -> Line:
    """Say who printed it, when first, how often, and the first line itself."""
    times = view.words("event.times", count=event.count) if event.count > 1 else ""
    said = shorten(event.text.partition("\n")[0], MOST_COLUMNS)
    parts = (
        text(view.onset(event)),
        strong(view.name(event.entity)),
        soft(times),
        code(said),
        refs(view.cited_by(event), most=2),
    )
    return join(*filter(None, parts), by=" · ")
