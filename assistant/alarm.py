"""What nobody may pass over: damage and errors that are not known to be harmless."""

from assistant.diagnosis.case import counts, stops_for_good
from assistant.event import Event

_ALARMING = frozenset({"critical", "error"})
_TROUBLE = frozenset({"root", "mechanism", "symptom"})
_FLOOD = 100
"""So many reports an hour on one thing, of what is harmless now and then, are no background."""
_HUM_S = 6 * 3600.0
"""What goes on for so long is no news of the hour."""


def is_alarming(event: Event) -> bool:
    """Tell whether an event did damage or reports an error of now, or stopped work all along."""
    return stops_for_good(event) or (
        counts(event) and (event.damage > 0 or event.severity in _ALARMING or floods(event))
    )


def floods(event: Event) -> bool:
    """Tell whether a small trouble was reported without end, and has not been all day long."""
    lasted_s = (event.last.utc - event.start.utc).total_seconds()
    if event.role not in _TROUBLE or lasted_s >= _HUM_S:
        return False
    return event.count >= _FLOOD * max(lasted_s / 3600, 1.0) * max(len(event.members), 1)
