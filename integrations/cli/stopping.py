"""Ctrl-C and the time limit: both stop the work and leave what is known so far."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TimeLimitReached(KeyboardInterrupt):
    """The limit on the whole command is over. No handler for failures may catch it."""


@contextmanager
def limit_time(seconds: float) -> Iterator[None]:
    """Raise TimeLimitReached in the main thread after so many seconds; 0 sets no limit."""
    if seconds <= 0:
        yield
        return

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeLimitReached

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
