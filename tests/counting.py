"""When coverage is counted: while a test or a fixture runs, and where the test is to count.

A tracer slows all that runs under it, counted or not, by as much again: pytest's own work between
the tests, other people's libraries, what a test makes before it asks.
"""

import sys
import threading
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _typeshed import TraceFunction

ENOUGH = 3
"""With how many sets of parameters a test counts; the others nearly always go the same way."""

_paused: list[tuple["TraceFunction | None", "TraceFunction | None"]] = []
"""The tracers of this thread and of new ones, as they were before each pause."""


@contextmanager
def uncounted() -> Iterator[None]:
    """Count no coverage within; where nothing counts, this does nothing."""
    _paused.append((sys.gettrace(), threading.gettrace()))
    _trace(None, None)
    try:
        yield
    finally:
        before = _paused.pop()
        if sys.gettrace() is None:  # else coverage itself was begun anew within
            _trace(*before)


@contextmanager
def _counted() -> Iterator[None]:
    """Count again within a pause."""
    before = sys.gettrace(), threading.gettrace()
    _trace(*_paused[-1])
    try:
        yield
    finally:
        _trace(*before)


def _trace(here: "TraceFunction | None", in_threads: "TraceFunction | None") -> None:
    sys.settrace(here)
    threading.settrace(in_threads)


class Counting:
    """Hooks for pytest; `unwanted` are files and folders whose tests do not count."""

    def __init__(self, unwanted: frozenset[Path]) -> None:
        self._unwanted = unwanted
        self._repeats: frozenset[str] = frozenset()
        self._wanted = True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Find the tests that take the same way as others with more parameters."""
        turns: Counter[str] = Counter()
        repeats = []
        for item in items:
            name = item.nodeid.partition("[")[0]
            turns[name] += 1
            if turns[name] > ENOUGH and not item.get_closest_marker("each_counts"):
                repeats.append(item.nodeid)
        self._repeats = frozenset(repeats)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pycollect_makeitem(self) -> Generator[None, object, object]:
        """Rest while a test's parameters are worked out; its module's import has counted."""
        with uncounted():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Rest between the parts of a test."""
        self._wanted = (
            item.nodeid not in self._repeats
            and self._unwanted.isdisjoint((item.path, *item.path.parents))
            and not item.get_closest_marker("uncounted")
        )
        with uncounted():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self) -> Generator[None, object, object]:
        """Count what a fixture calls."""
        return (yield from self._part())

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self) -> Generator[None, object, object]:
        """Count what a test calls."""
        return (yield from self._part())

    def _part(self) -> Generator[None, object, object]:
        if not self._wanted:
            return (yield)
        with _counted():
            return (yield)
