"""What a way to reach nodes must offer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from tools.capture import Capture
from tools.context import ProbeContext
from tools.request import Request


@dataclass(frozen=True)
class Look:
    """One piece of work: a probe on a host, or all of a remote host."""

    name: str
    source: str
    host: str
    volatility: int
    run: Callable[[], Iterator[Capture]]


class Transport(Protocol):
    """A way to reach nodes."""

    name: str

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give the looks that this way allows."""
