"""This host, by its own probes."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from tools.context import ProbeContext
from tools.registry import Probe, load_probes
from tools.request import Request
from tools.transport.port import Look

if TYPE_CHECKING:
    from tools.capture import Capture


class Local:
    """Runs the host probes here."""

    name = "local"

    def __init__(self, probes: tuple[Probe, ...] | None = None) -> None:
        self._probes = probes

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give one look per host probe."""
        for probe in self._probes or load_probes():
            if probe.reach == "host":
                yield _look(probe, request, context, context.host)


class Cluster:
    """Runs the probes of the API server and of the metrics server: one look serves all hosts."""

    name = "cluster"

    def __init__(self, probes: tuple[Probe, ...] | None = None) -> None:
        self._probes = probes

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give one look per cluster or metrics probe."""
        for probe in self._probes or load_probes():
            if probe.reach != "host":
                yield _look(probe, request, context, "")


def _look(probe: Probe, request: Request, context: ProbeContext, host: str) -> Look:
    run: Callable[[], Iterator[Capture]] = partial(probe.look, request, context)
    return Look(probe.name, probe.source, host, probe.volatility, run)
