"""Node agents: a DaemonSet or a unit that writes bundles, read from a folder or over HTTP."""

import time
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
_REFUSED = frozenset({401, 403})
_ON_THE_WAY_S = 4.0
"""What packing and sending take of the limit."""


class Agent:
    """Fetches each host's newest bundle from where its agent offers it."""

    name = "agent"

    def __init__(
        self, places: Mapping[str, str], *, token_file: str = "", limit_s: float = 20.0
    ) -> None:
        """Take a URL (``http://…/bundle``) or the path of a packed bundle per host."""
        self._places, self._token_file, self._limit_s = dict(places), token_file, limit_s

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
        except httpx.HTTPStatusError as error:
            refused = error.response.status_code in _REFUSED
            outcome = "denied" if refused else "failed"
            detail = f"the agent at {place} says {error.response.status_code}"
        except (httpx.HTTPError, OSError) as error:
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
        parameters["deadline"] = f"{max(1.0, self._limit_s - _ON_THE_WAY_S):g}"
        ends = time.monotonic() + self._limit_s
        pieces, left = [], _MOST_BYTES
        with httpx.stream(
            "GET", place, params=parameters, headers=self._headers(), timeout=self._limit_s
        ) as response:
            response.raise_for_status()
            for piece in response.iter_bytes():
                pieces.append(piece[:left])
                left -= len(piece)
                if time.monotonic() > ends:
                    break  # what came is kept: a cut bundle gives what was whole
        return b"".join(pieces)

    def _headers(self) -> dict[str, str]:
        if not self._token_file:
            return {}
        return {"Authorization": f"Bearer {Path(self._token_file).read_text().strip()}"}
