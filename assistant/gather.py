"""From a catalog and an incident to what is looked for, and where it is looked for."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.clock_facts import CLOCK_LITERALS, SKEW_EXPR, SKEW_QUERY
from assistant.errors import NothingToReadError
from assistant.incident import Incident
from knowledge.catalog import Catalog
from tools.bundle import Bundle
from tools.evidence import Evidence, Item, Window
from tools.manifest import BundleMeta
from tools.request import Query, Request

if TYPE_CHECKING:
    from tools.collecting import OnProgress
    from tools.context import ProbeContext
    from tools.transport.port import Transport

BASELINE = timedelta(hours=24)
"""How far before the window is read, to know what was there before."""
AFTER = timedelta(hours=1)
"""How far after it, to see a recovery."""
LIVE_LOOKBACK = timedelta(hours=6)
"""The window of a live look that names none."""
FIRST_ANSWER_S = 10.0
"""How long a live look collects before its first partial answer."""

Stream = Generator[Evidence | Item]


def build_request(catalog: Catalog, incident: Incident, *, now: datetime | None = None) -> Request:
    """Ask for every line, query and state that the handbook can judge, in the incident's scope."""
    literals = sorted({*catalog.literals(), *CLOCK_LITERALS})
    queries = dict(catalog.queries())
    queries.setdefault(SKEW_QUERY, SKEW_EXPR)
    return Request(
        literals=tuple(literals),
        kernel_literals=catalog.kernel_literals(),
        hum={k: s for k, s in catalog.hum_literals().items() if k not in CLOCK_LITERALS},
        errors=True,
        queries=tuple(Query(name=name, expr=expr) for name, expr in sorted(queries.items())),
        window=widen(incident.window),
        nodes=incident.scope.nodes,
        pods=incident.scope.pods,
        job=incident.scope.job,
        zone=incident.zone,
        host_zones=incident.host_zones,
        now=now,
    )


def widen(window: Window) -> Window:
    """Add the day before and the hour after; open ends stay open."""
    return Window(
        since=window.since - BASELINE if window.since else None,
        until=window.until + AFTER if window.until else None,
    )


@dataclass(frozen=True)
class Opened:
    """Evidence that may be read by a second process already, so it must be read or closed."""

    bundle: Bundle
    asked: Incident
    """As it was reported."""
    incident: Incident
    """With what the bundle says of it."""
    items: Stream

    def close(self) -> None:
        """End the reading, and remove what was unpacked."""
        self.items.close()
        self.bundle.close()


def open_evidence(
    paths: Sequence[Path], incident: Incident, catalog: Catalog, *, now: datetime | None = None
) -> Opened:
    """Open what the user gave and begin to read it.

    Raises:
        NothingToReadError: no path was given.
        MissingPathError: none of the paths exists.
    """
    return read_bundle(open_bundle(paths), incident, catalog, now=now)


def read_bundle(
    bundle: Bundle, incident: Incident, catalog: Catalog, *, now: datetime | None = None
) -> Opened:
    """Begin to read a bundle for an incident."""
    adopted = adopt(incident, bundle.meta)
    items = bundle.read(build_request(catalog, adopted, now=now))
    return Opened(bundle, incident, adopted, items)


def gather_paths(paths: Sequence[Path], request: Request) -> Stream:
    """Read files, folders and bundles.

    Raises:
        PathMissingError: a path does not exist.
        NothingToReadError: no path was given.
    """
    yield from open_bundle(paths).read(request)


def open_bundle(paths: Sequence[Path]) -> Bundle:
    """Open what the user gave.

    Raises:
        NothingToReadError: that was nothing.
    """
    if not paths:
        raise NothingToReadError("no path was given")
    return Bundle.open(paths)


@dataclass
class Live:
    """The running system: collected to a bundle first, then read like any other."""

    context: "ProbeContext"
    deadline_s: float = 90.0
    first_answer_s: float = FIRST_ANSWER_S
    on_progress: "OnProgress | None" = None
    transports: "Sequence[Transport] | None" = None
    """The ways to reach nodes; this host and the cluster by default."""
    size_cap: int | None = None

    def parts(self, request: Request) -> Iterator[Bundle]:
        """Collect in a thread; open what is there after a first while, and again at the end.

        The workspace is a valid bundle from its first line on, so a partial answer needs nothing
        but to read it.
        """
        if request.window.since is None:
            request = _recent(request)
        from multiprocessing.pool import ThreadPool  # noqa: PLC0415  # costly, for a live look alone

        with ThreadPool(1) as room:  # of a daemon thread: what hangs holds no exit
            collecting = room.apply_async(self._collect, (request,))
            collecting.wait(self.first_answer_s)
            if not collecting.ready():
                yield Bundle.open([self.context.workspace.root])
                collecting.wait(self.deadline_s)
            if collecting.ready():
                collecting.get()
        yield Bundle.open([self.context.workspace.root])

    def _collect(self, request: Request) -> None:
        from tools.collecting import collect  # noqa: PLC0415  # every probe, for a live look alone

        collect(
            request,
            self.context,
            transports=self.transports,
            deadline_s=self.deadline_s,
            size_cap=self.size_cap,
            on_progress=self.on_progress,
        )


def gather_live(request: Request, live: Live) -> Stream:
    """Collect from the running system, then read the workspace: one path with a bundle's."""
    for last in live.parts(request):
        bundle = last
    yield from bundle.read(request)


def adopt(incident: Incident, meta: BundleMeta) -> Incident:
    """Let a bundle say what the reporter did not; what was asked for wins."""
    default = meta.zones.get("default", "")
    zones = {host: zone for host, zone in meta.zones.items() if host != "default"}
    return incident.model_copy(
        update={
            "title": incident.title or meta.title,
            "text": incident.text or meta.text,
            "window": incident.window if is_bounded(incident.window) else meta.window,
            "zone": incident.zone or default,
            "host_zones": {**zones, **incident.host_zones},
            "opened_at": incident.opened_at or meta.reported_at,
        }
    )


def is_bounded(window: Window) -> bool:
    """Tell whether a window has a start or an end."""
    return window.since is not None or window.until is not None


def _recent(request: Request) -> Request:
    now = request.now or datetime.now(UTC)
    window = Window(since=now - LIVE_LOOKBACK, until=request.window.until)
    return request.model_copy(update={"window": window})
