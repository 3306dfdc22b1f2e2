"""Which files of a work that nobody names go on from each other, and which run side by side."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.event import Event

Writer = tuple[str, str]
"""The thing that work is seen on, and who writes of it there."""


def name_file(evidence: str) -> str:
    """Name a file as a writer, where no line of it names a process."""
    return f"[{evidence}]"


def is_file(writer: str) -> bool:
    """Tell whether a writer is but a file."""
    return writer.startswith("[")


@dataclass(slots=True)
class _Stretch:
    """From when to when a file tells of steps, by five minutes since the epoch, and of which."""

    first: int
    last: int
    begun: int
    came: int

    def take(self, at: int, step: int) -> None:
        """Take one more number, in whatever order they come."""
        if at <= self.first:
            self.begun = min(step, self.begun) if at == self.first else step
        if at >= self.last:
            self.came = max(step, self.came) if at == self.last else step
        self.first, self.last = min(at, self.first), max(at, self.last)


def join_files(work: Iterable[Event]) -> Mapping[Writer, str]:
    """Return for each file that is a writer the first one of its row.

    A log that is rotated goes on in a file that begins when it has ended, with the number nearest
    to its last. Files that tell of one time are works of their own.
    """
    rows: dict[str, dict[str, _Stretch]] = defaultdict(dict)
    joined: dict[Writer, str] = {}
    ordered = sorted(_stretches(work).items(), key=lambda row: (row[1].first, row[1].last, row[0]))
    for (thing, writer), file in ordered:
        lanes = rows[thing]
        ended = {
            abs(lane.came - file.begun): n for n, lane in lanes.items() if _follows(file, lane)
        }
        lane = joined[thing, writer] = ended[min(ended)] if ended else writer
        lanes[lane] = file
    return joined


def _follows(file: _Stretch, lane: _Stretch) -> bool:
    return file.first >= lane.last and file.last > lane.last


def _stretches(work: Iterable[Event]) -> Mapping[Writer, _Stretch]:
    found: dict[Writer, _Stretch] = {}
    for event in work:
        for (writer, at), step in event.steps.items():
            if is_file(writer):
                file = found.setdefault((event.worker, writer), _Stretch(at, at, step, step))
                file.take(at, step)
    return found
