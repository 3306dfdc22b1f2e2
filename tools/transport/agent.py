"""Node agents: a DaemonSet or a unit that writes bundles, read from a folder or over HTTP."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

from tools.archive import unpack
from tools.capture import Capture
from tools.context import ProbeContext
from tools.request import Request
from tools.transport.port import Look

if TYPE_CHECKING:
    from tools.evidence import Outcome

_MOST_BYTES = 512 << 20


class Agent:
    """Fetches each host's newest bundle from where its agent offers it."""

    name = "agent"

    def __init__(self, places: Mapping[str, str], *, limit_s: float = 20.0) -> None:
        """Take a URL (``http://…/bundle``) or the path of a packed bundle per host."""
        self._places, self._limit_s = dict(places), limit_s

    def looks(self, request: Request, context: ProbeContext) -> Iterator[Look]:
        """Give one look per host."""
        for host in self._places:
            yield Look("agent", "host", host, 0, partial(self._look, host, request, context))

    def _look(self, host: str, request: Request, context: ProbeContext) -> Iterator[Capture]:
        place = self._places[host]
        started = context.clock()
        outcome: Outcome = "ok"
        content, detail = b"", ""
        try:
            content = self._fetch(place, request)
        except httpx.TimeoutException:
            outcome, detail = "hung", f"given up after {self._limit_s:.0f} s"
        except (httpx.HTTPError, FileNotFoundError) as error:
            outcome, detail = "absent", f"no agent answers at {place}: {error}"
        merged = list(unpack(content, context.workspace, host)) if content else []
        yield from merged
        if outcome == "ok" and not merged:
            outcome, detail = "failed", f"{place} holds no bundle"
        yield context.store(
            b"",
            source="host",
            path="",
            command=f"agent {place}",
            target=host,
            outcome=outcome,
            detail=detail,
            started=started,
        )

    def _fetch(self, place: str, request: Request) -> bytes:
        if not place.startswith(("http://", "https://")):
            return Path(place).read_bytes()
        window = request.window
        asked = {"since": window.since, "until": window.until}
        parameters = {name: moment.isoformat() for name, moment in asked.items() if moment}
        pieces, left = [], _MOST_BYTES
        with httpx.stream("GET", place, params=parameters, timeout=self._limit_s) as response:
            response.raise_for_status()
            for piece in response.iter_bytes():
                pieces.append(piece[:left])
                left -= len(piece)
        return b"".join(pieces)
