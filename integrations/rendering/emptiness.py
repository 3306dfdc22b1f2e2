"""Tells why nothing was concluded: damage without cause, unknown errors, nothing bad or to read."""

from assistant.event import Event
from assistant.investigation import Investigation


def name_emptiness(found: Investigation, worst: Event | None) -> str:
    """Return the key of the sentence on an inconclusive verdict without hypotheses."""
    strange = found.diagnosis is not None and bool(found.diagnosis.unread)
    blank = "unread" if _was_given_nothing(found) else "strange" if strange else "empty"
    what = "open" if worst else blank
    return f"verdict_text.inconclusive_{what}"


def _was_given_nothing(found: Investigation) -> bool:
    """Tell whether files were given and each was empty, or bytes throughout that nobody reads."""
    unread: dict[str, int] = {}
    for gap in found.gaps:
        unread[gap.evidence] = unread.get(gap.evidence, 0) + (gap.length or 0)
    return bool(found.evidence) and all(
        item.source == "file"
        and (item.outcome == "empty" or unread.get(item.id, 0) >= (item.size or 0))
        for item in found.evidence
    )
