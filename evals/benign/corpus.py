"""Runs what is installed, gathers what it wrote, and fills up with drawn lines."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.benign import drawn
from evals.benign.component import Component
from evals.benign.room import Room, missing
from evals.errors import ReplayError

LINES = 200_000
LIMIT = 30_000
"""Lines kept of one component, so that none makes up the corpus."""
_DRAWN_PER_REAL = 1 / 4
"""At most one line in five is drawn."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a component left, or why it left nothing."""

    component: str
    lines: int
    distinct: int = 0
    """Of them without word for word repetitions: what counts."""
    why: str = ""


def build(components: Sequence[Component], out: Path, *, lines: int = LINES) -> Iterator[Written]:
    """Run components one after another, each into a folder of its own.

    Then fill up to `lines` distinct ones; what is drawn comes last, as `drawn`.
    """
    total = 0
    for component in components:
        written = capture(component, out / component.name)
        total += written.distinct
        yield written
    count = drawn.draw(min(max(lines - total, 0), int(total * _DRAWN_PER_REAL)), out / "drawn")
    yield Written("drawn", count, count)


def capture(component: Component, out: Path) -> Written:
    """Run one component. What one leaves that failed is no healthy system's log: it is dropped."""
    why = _why_not(component)
    if why:
        return Written(component.name, 0, why=why)
    with tempfile.TemporaryDirectory(prefix="firstfault-benign-") as scratch:
        room = _open(component, Path(scratch))
        try:
            with room.ends:
                component.work(room)
        except (ReplayError, OSError) as error:
            return Written(component.name, 0, why=str(error))
        return _keep(component.name, list(room.logs.iterdir()), out)


def _why_not(component: Component) -> str:
    absent = missing(component.programs)
    if absent:
        return f"needs {', '.join(absent)}: apt-get install {component.packages}"
    return "only root can run it" if component.root and os.geteuid() else ""


def _open(component: Component, folder: Path) -> Room:
    """Give the room to who runs the component."""
    user = component.user if not os.geteuid() else None
    room = Room(folder, user)
    if user:
        shutil.chown(folder, user)
        shutil.chown(room.logs, user)
    return room


def _keep(name: str, logs: Sequence[Path], out: Path) -> Written:
    """Take the first lines of each log as they are, shared evenly where they are too many."""
    out.mkdir(parents=True, exist_ok=True)
    total = 0
    seen: set[bytes] = set()
    for place, log in enumerate(sorted(logs, key=lambda path: path.stat().st_size)):
        share = (LIMIT - total) // (len(logs) - place)
        lines = log.read_bytes().splitlines(keepends=True)[:share]
        if lines:
            (out / log.name).write_bytes(b"".join(lines))
            seen.update(lines)
            total += len(lines)
    return Written(name, total, len(seen))
