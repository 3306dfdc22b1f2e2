"""Loki's HTTP API over recorded lines, as its documentation tells it; for want of a real one."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

Logged = tuple[Mapping[str, str], int, str]
"""Labels, nanoseconds, line."""
Refusal = tuple[int, Mapping[str, str], str]
"""Status, headers, text."""
_MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"((?:[^"\\]|\\.)*)"')
_FILTER = re.compile(r'\|~ "((?:[^"\\]|\\.)*)"')


@dataclass
class Recorded:
    """What the server holds, how it behaves, and what it was asked."""

    lines: Sequence[Logged]
    most: int = 5000
    """Its max_entries_limit_per_query."""
    refusals: list[Refusal] = field(default_factory=list)
    """The next answers, before any other."""
    asked: list[dict[str, str]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)

    def labels(self) -> object:
        return {
            "status": "success",
            "data": sorted({name for line in self.lines for name in line[0]}),
        }

    def query(self, asked: Mapping[str, str]) -> object:
        start, end, limit = (int(asked[name]) for name in ("start", "end", "limit"))
        chosen = [
            each
            for each in self.lines
            if start <= each[1] < end and _selects(asked["query"], each[0], each[2])
        ]
        backward = asked["direction"] == "backward"
        chosen = sorted(chosen, key=lambda each: each[1], reverse=backward)[:limit]
        streams: dict[str, dict[str, object]] = {}
        for labels, at, line in chosen:
            values: list[list[str]] = []
            stream = streams.setdefault(json.dumps(labels), {"stream": labels, "values": values})
            told = stream["values"]
            assert isinstance(told, list)
            told.append([str(at), line])
        result = {"resultType": "streams", "result": list(streams.values()), "stats": {}}
        return {"status": "success", "data": result}


def _selects(query: str, labels: Mapping[str, str], line: str) -> bool:
    selector, _, rest = query.partition("}")
    for name, operator, quoted in _MATCHER.findall(selector):
        value, told = _unquoted(quoted), labels.get(name, "")
        same = re.fullmatch(value, told) is not None if "~" in operator else value == told
        if same == operator.startswith("!"):
            return False
    return all(re.search(_unquoted(pattern), line) for pattern in _FILTER.findall(rest))


def _unquoted(text: str) -> str:
    return str(json.loads(f'"{text}"'))


@contextmanager
def serve(recorded: Recorded) -> Iterator[str]:
    """Serve on loopback; give the base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            url = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            recorded.asked.append({"path": url.path, **asked})
            recorded.headers.append(dict(self.headers))
            if recorded.refusals:
                self._say(*recorded.refusals.pop(0))
            elif url.path == "/loki/api/v1/labels":
                self._say(200, {}, json.dumps(recorded.labels()))
            elif int(asked["limit"]) > recorded.most:
                limits = f"({asked['limit']} > {recorded.most})"
                text = f"max entries limit per query exceeded, limit > max_entries_limit {limits}\n"
                self._say(400, {}, text)
            else:
                self._say(200, {}, json.dumps(recorded.query(asked)))

        def _say(self, status: int, headers: Mapping[str, str], text: str) -> None:
            body = text.encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
