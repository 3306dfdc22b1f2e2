"""A program that is really run so that it writes its own lines."""

from collections.abc import Callable
from dataclasses import dataclass

from evals.benign.room import Room


@dataclass(frozen=True)
class Component:
    """What is run, what that needs, and how it is kept busy."""

    name: str
    programs: tuple[str, ...]
    packages: str
    """Debian's, that bring the programs."""
    work: Callable[[Room], None]
    """Runs it for a bounded load; healthy from start to end."""
    user: str | None = None
    """Who must run it: some servers refuse root."""
    root: bool = False
    """Only root can."""
