"""Finds the probes: each is a function marked `@probe` in a module of `tools.probes`."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tools.capture import Capture
from tools.context import ProbeContext
from tools.errors import ProbeTwiceError
from tools.request import Request

Look = Callable[[Request, ProbeContext], Iterator[Capture]]
Reach = Literal["host", "cluster", "metrics", "logs", "scheduler"]
"""Where a probe looks from: on each host, or once for all at the API server, the metrics or log
server, the scheduler."""


@dataclass(frozen=True)
class Probe:
    """One source and how soon what it shows is gone."""

    name: str
    source: str
    reach: Reach
    volatility: int
    """0: gone within seconds; 9: static. Probes run in this order."""
    look: Look

    @property
    def description(self) -> str:
        """What it reads, its cost, what it cannot see."""
        return (self.look.__doc__ or "").strip()


def probe(*, source: str, reach: Reach, volatility: int) -> Callable[[Look], Look]:
    """Mark a generator of captures as a probe; its name is the function's."""

    def mark(look: Look) -> Look:
        name: str = getattr(look, "__name__", "")
        setattr(look, _MARK, Probe(name.replace("_", "-"), source, reach, volatility, look))
        return look

    return mark


_MARK = "__firstfault_probe__"


@cache
def load_probes(package: str = "tools.probes") -> tuple[Probe, ...]:
    """Give all probes, the most volatile first.

    Raises:
        ProbeTwiceError: If two probes have one name.
    """
    found: dict[str, Probe] = {}
    for item in _modules(package):
        for value in vars(importlib.import_module(item)).values():
            mark = getattr(value, _MARK, None)
            if not isinstance(mark, Probe) or value.__module__ != item:
                continue
            if mark.name in found:
                message = f"two probes are called {mark.name!r} (one is in {item}); rename one"
                raise ProbeTwiceError(message)
            found[mark.name] = mark
    return tuple(sorted(found.values(), key=lambda each: (each.volatility, each.name)))


def _modules(package: str) -> list[str]:
    root = importlib.import_module(package)
    return [f"{package}.{info.name}" for info in pkgutil.iter_modules(root.__path__)]
