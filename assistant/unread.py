"""What programs themselves call errors and no page knows: shown, and no health beside it.

It is kept apart from the events: nobody judged what it means, so it takes no part in a diagnosis.
"""

from collections.abc import Iterable, Mapping, Sequence

from assistant.baseline import hums
from assistant.burst import Burst
from assistant.event import Event
from knowledge.page import Page

UNREAD = "unread"


def part(bursts: Iterable[Burst], pages: Mapping[str, Page]) -> tuple[list[Burst], list[Burst]]:
    """Part what is known from what only its writer calls an error."""
    known: list[Burst] = []
    strange: list[Burst] = []
    for burst in bursts:
        (strange if pages[burst.page].role == UNREAD else known).append(burst)
    return known, strange


def judge(events: Sequence[Event]) -> tuple[Event, ...]:
    """Name those events, and mark as chronic what a writer has printed steadily for hours."""
    rows = sorted(events, key=lambda event: (event.latest, event.entity.key))
    return tuple(
        event.model_copy(
            update={
                "id": f"un{number}",
                "chronic": event.chronic or hums(event.pace, event.damage),
                "pace": {},
            }
        )
        for number, event in enumerate(rows, start=1)
    )
