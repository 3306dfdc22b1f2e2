"""What nobody may pass over: damage and errors that are not known to be harmless."""

from assistant.diagnosis.case import counts
from assistant.event import Event

_ALARMING = frozenset({"critical", "error"})


def is_alarming(event: Event) -> bool:
    """Tell whether an event did damage or reports an error of now."""
    return counts(event) and (event.damage > 0 or event.severity in _ALARMING)
