"""Tells why no cause is named: damage without one, unknown errors, nothing bad or to read."""

from assistant.diagnosis.result import Diagnosis
from assistant.event import Event
from assistant.investigation import Investigation


def explain(found: Investigation, diagnosis: Diagnosis, worst: Event | None) -> str:
    """Return the key of the sentence on a verdict."""
    if diagnosis.verdict == "healthy":
        return "verdict_text.healthy_complaint" if diagnosis.unread else "verdict_text.healthy"
    failed = any(one.event for one in diagnosis.first_failing)
    if diagnosis.verdict == "fault" or diagnosis.hypotheses or failed:
        return f"verdict_text.{diagnosis.verdict}"
    blank = "unread" if _was_given_nothing(found) else "strange" if diagnosis.unread else "empty"
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
