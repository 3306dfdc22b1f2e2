"""What nobody may pass over: damage and errors that are not known to be harmless."""

from assistant.diagnosis.case import counts, stops_for_good
from assistant.event import Event

_ALARMING = frozenset({"critical", "error"})


def is_alarming(event: Event) -> bool:
    """Tell whether an event did damage or reports an error of now, or stopped work all along."""
    return stops_for_good(event) or (
        counts(event) and (event.damage > 0 or event.severity in _ALARMING)
    )
