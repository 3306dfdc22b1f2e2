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
from tools.late_patterns import compile_late

MOST_COLUMNS = 160
_NUMBERS = compile_late(r"0x[0-9a-fA-F]+|\d+")


def list_unread(view: View) -> Sequence[Event]:
    """Return what is new, its writer calls an error and no page knows; of most lines first."""
    ids = frozenset(view.diagnosis.unread if view.diagnosis else ())
    found = (one for one in view.investigation.timeline.unread if one.id in ids)
    return sorted(found, key=lambda one: (-one.count, one.earliest, one.id))


def build_unread(view: View, limits: Limits) -> Section | None:
    """List one line for each writer of the same words; None where there is none."""
    found = fold_unread(view)
    if not found:
        return None
    words = view.words
    lines = tuple(unread_line(view, group) for group in found[: limits.rows])
    more = len(found) - len(lines)
    rest = (soft(words("report.and_more", count=more)),) if more else ()
    healthy = view.diagnosis is not None and view.diagnosis.verdict == "healthy"
    note = Paragraph(soft(words("report.complaint_note" if healthy else "report.unread_note")))
    return Section("unread", words("report.unread"), (Items((*lines, *rest)), note))


Group = Sequence[Event]


def fold_unread(view: View) -> Sequence[Group]:
    """Group what writers of one name print in the same words, on whichever hosts."""
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in list_unread(view):
        name = event.entity.id.rpartition("/")[2]
        groups.setdefault((name, _NUMBERS.sub("#", event.text)), []).append(event)
    return sorted(groups.values(), key=lambda group: -len(group))


def unread_line(view: View, group: Group) -> Line:
    """Say who printed it, when first, how often, and the first line itself."""
    first = min(group, key=lambda event: event.earliest)
    count = sum(event.count for event in group)
    others = view.words("report.others", count=len(group) - 1) if len(group) > 1 else ""
    times = view.words("event.times", count=count) if count > 1 else ""
    said = shorten(first.text.partition("\n")[0], MOST_COLUMNS)
    cited = [quoted for event in group for quoted in view.cited_by(event)]
    parts = (
        text(view.onset(first)),
        strong(view.name(first.entity)),
        soft(others),
        soft(times),
        code(said),
        refs(cited, most=2),
    )
    return join(*filter(None, parts), by=" · ")
