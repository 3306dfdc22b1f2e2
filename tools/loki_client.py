"""Asks a Loki over HTTP: newest lines first, page by page, gently, and says how it ended."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import httpx
import msgspec

from tools.budget import Budget
from tools.evidence import Outcome
from tools.late_patterns import compile_late

PAGE = 5000
"""Lines a request; a server gives no more unless it was set up to."""
_TIMEOUT_S = 15.0
_MOST_REQUESTS = 120
_TRIES = 4
_LONGEST_WAIT_S = 8.0
_BUSY = frozenset({429, 503, 504})
_REFUSED = frozenset({401, 403})
_OK = 200
_LABELS, _LINES = "/loki/api/v1/labels", "/loki/api/v1/query_range"
_FEWER = compile_late(r"max entries limit.*?\(\d+ > (\d+)\)")
"""How a server says how many lines it gives at most."""
_HEAD, _TAIL = b'{"status":"success","data":{"resultType":"streams","result":[\n', b"\n]}}\n"


class Stream(msgspec.Struct):
    """Lines of one label set, each [nanoseconds, text] and maybe what was attached to it."""

    stream: dict[str, str]
    values: list[list[msgspec.Raw]] = []


class _Data(msgspec.Struct):
    result: list[Stream] = []


class _Lines(msgspec.Struct):
    status: str = ""
    data: _Data = msgspec.field(default_factory=_Data)


class _Names(msgspec.Struct):
    status: str = ""
    data: list[str] = []


@dataclass(frozen=True)
class Said:
    """One answer, or how there was none."""

    content: bytes = b""
    outcome: Outcome = "failed"
    detail: str = ""


@dataclass
class Found:
    """What all pages of one query gave, without what two of them share."""

    streams: dict[str, Stream] = field(default_factory=dict)
    outcome: Outcome = "ok"
    detail: str = ""
    cut: bool = False
    pages: int = 0
    size: int = 0
    _had: set[tuple[str, bytes]] = field(default_factory=set)

    def add(self, page: list[Stream]) -> int:
        """Take a page; give the oldest of its times in nanoseconds."""
        self.pages += 1
        oldest = 0
        for part in page:
            key = repr(sorted(part.stream.items()))
            kept = self.streams.setdefault(key, Stream(part.stream))
            for entry in part.values:
                at = _nanoseconds(entry)
                oldest = min(oldest or at, at)
                line = (key, b"\0".join(bytes(each) for each in entry))
                if line not in self._had:
                    self._had.add(line)
                    self.size += len(line[1])
                    kept.values.append(entry)
        return oldest

    def document(self) -> bytes:
        """Write all lines as one answer of the server, each stream from its oldest line on.

        A line of the document holds one line of the log, so that it can be cited by its number.
        """
        parts = [_written(each) for each in self.streams.values() if each.values]
        return _HEAD + b",\n".join(parts) + _TAIL if parts else b""


def _written(stream: Stream) -> bytes:
    lines = [msgspec.json.encode(entry) for entry in sorted(stream.values, key=_nanoseconds)]
    labels = msgspec.json.encode(stream.stream)
    return b'{"stream":' + labels + b',"values":[\n' + b",\n".join(lines) + b"\n]}"


def _nanoseconds(entry: list[msgspec.Raw]) -> int:
    return int(bytes(entry[0]).strip(b'" '))


@dataclass
class Loki:
    """One server, asked by one look."""

    client: httpx.Client
    secret: str = ""
    left_s: Callable[[], float] = lambda: _TIMEOUT_S
    budget: Budget = field(default_factory=lambda: Budget(requests=_MOST_REQUESTS))
    limit: int = PAGE

    def labels(self, start: int, end: int) -> tuple[Said, list[str]]:
        """Ask which labels any stream has between two moments in nanoseconds."""
        said = self.get(_LABELS, {"start": f"{start}", "end": f"{end}"})
        if said.outcome != "ok":
            return said, []
        try:
            return said, msgspec.json.decode(said.content, type=_Names).data
        except msgspec.DecodeError as error:
            return Said(detail=f"not an answer of Loki: {error}"), []

    def lines(self, query: str, start: int, end: int, *, pages: int, most_bytes: int) -> Found:
        """Ask for the lines from `start` to before `end`, the newest first; stop at the bounds."""
        found = Found()
        while True:
            said, page = self._page(query, start, end)
            if said.outcome != "ok":
                found.outcome, found.detail = said.outcome, said.detail
                found.cut = bool(found.pages)
                return found
            oldest = found.add(page)
            if sum(len(each.values) for each in page) < self.limit:
                return found
            if found.pages >= pages or found.size >= most_bytes:
                found.cut = True
                found.detail = f"the newest lines only: {found.pages} pages of {self.limit}"
                return found
            # The end is exclusive; what shares the oldest moment of this page may not all be in it.
            found.cut |= oldest + 1 >= end
            end = oldest if oldest + 1 >= end else oldest + 1

    def _page(self, query: str, start: int, end: int) -> tuple[Said, list[Stream]]:
        span = {"query": query, "start": f"{start}", "end": f"{end}", "direction": "backward"}
        said = self.get(_LINES, {**span, "limit": f"{self.limit}"})
        if fewer := _FEWER.search(said.detail):
            self.limit = int(fewer[1])
            said = self.get(_LINES, {**span, "limit": f"{self.limit}"})
        if said.outcome != "ok":
            return said, []
        try:
            return said, msgspec.json.decode(said.content, type=_Lines).data.result
        except msgspec.DecodeError as error:
            return Said(detail=f"not an answer of Loki: {error}"), []

    def get(self, path: str, parameters: Mapping[str, str]) -> Said:
        """Ask once, and again after a pause where the server says that it is busy."""
        said = Said(detail=f"the budget of {_MOST_REQUESTS} requests is spent")
        for _ in range(_TRIES):
            if self.left_s() <= 0:
                return Said(detail="not reached before the deadline")
            if not self.budget.before():
                return said
            said, again_s = self._once(path, parameters)
            if again_s is None:
                return said
            time.sleep(max(0.0, min(again_s, _LONGEST_WAIT_S, self.left_s())))
        return said

    def _once(self, path: str, parameters: Mapping[str, str]) -> tuple[Said, float | None]:
        """Give the answer, and after how many seconds to ask again; None: not at all."""
        begun = time.monotonic()
        limit_s = max(0.1, min(_TIMEOUT_S, self.left_s()))
        try:
            answer = self.client.get(path, params=dict(parameters), timeout=limit_s)
        except httpx.TimeoutException:
            waited = f"given up after {time.monotonic() - begun:.0f} s"
            return Said(outcome="hung", detail=waited), None
        except httpx.HTTPError as error:
            place = f"{self.client.base_url.scheme}://{self.client.base_url.host}"
            return Said(outcome="absent", detail=f"{place} does not answer: {error}"), None
        busy = answer.status_code in _BUSY
        self.budget.after(len(answer.content), time.monotonic() - begun, overloaded=busy)
        wait = answer.headers.get("Retry-After", "")
        return self._judged(answer), (float(wait) if wait.isdecimal() else 0.0) if busy else None

    def _judged(self, answer: httpx.Response) -> Said:
        content = answer.content
        if self.secret:
            content = content.replace(self.secret.encode(), b"<masked>")
        status, told = answer.status_code, content[:300].decode("utf-8", "replace").strip()
        if status in _REFUSED:
            why = f"HTTP {status}: set a token that may read logs, and the tenant: {told}"
            return Said(outcome="denied", detail=why)
        if status != _OK:
            return Said(detail=f"HTTP {status}: {told}")
        if not content.lstrip().startswith(b"{"):
            return Said(detail=f"not an answer of Loki: {told[:80]!r}")
        return Said(content, "ok")
