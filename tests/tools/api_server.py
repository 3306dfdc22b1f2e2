# ruff: noqa: E501  (objects stand on one line)
"""A small API server for kubectl: lists in pages, logs, and the ways to say no."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

Body = Mapping[str, object]
Refusal = tuple[int, str, str]
"""HTTP status, reason, message."""


@dataclass
class ApiServer:
    """What it holds and what it was asked."""

    lists: dict[str, list[dict[str, object]]] = field(default_factory=dict)
    """Items by path."""
    logs: dict[str, str] = field(default_factory=dict)
    """Text by ``NAMESPACE/POD/CONTAINER[/previous]``."""
    refuse: Callable[[str, str], Refusal | None] = lambda _method, _path: None
    asked: list[str] = field(default_factory=list)
    url: str = ""

    def answer(self, method: str, target: str) -> tuple[int, bytes]:
        """Answer one request."""
        url = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        self.asked.append(f"{method} {target}")
        if refusal := self.refuse(method, url.path):
            return refusal[0], status(*refusal)
        if url.path in DISCOVERY:
            return 200, json.dumps(DISCOVERY[url.path]).encode()
        if url.path.endswith("/log"):
            return 200, self.logs.get(log_key(url.path, query), "").encode()
        if url.path in self.lists:
            return 200, json.dumps(page(self.lists[url.path], query)).encode()
        return self._object(url.path)

    def _object(self, path: str) -> tuple[int, bytes]:
        folder, _, name = path.rpartition("/")
        for where, items in self.lists.items():
            for item in items:
                meta = item["metadata"]
                assert isinstance(meta, dict)
                namespaced = where.replace(
                    "/api/v1/", f"/api/v1/namespaces/{meta.get('namespace')}/"
                )
                if meta["name"] == name and folder in {where, namespaced}:
                    kind = {"apiVersion": "v1", "kind": "Pod" if "pods" in folder else "Namespace"}
                    return 200, json.dumps({**kind, **item}).encode()
        return 404, status(404, "NotFound", "the server could not find the requested resource")


def log_key(path: str, query: Mapping[str, str]) -> str:
    """Name a log as `ApiServer.logs` does."""
    _, _, _, _, namespace, _, pod, _ = path.split("/")
    return "/".join(
        [namespace, pod, query["container"], *(["previous"] if query.get("previous") else [])]
    )


def page(items: list[dict[str, object]], query: Mapping[str, str]) -> Body:
    """Cut a page as the real server does: `limit` from `continue` on."""
    start, limit = int(query.get("continue", "0")), int(query.get("limit", "0")) or len(items)
    left = start + limit < len(items)
    meta: dict[str, object] = {
        "resourceVersion": "7",
        **({"continue": str(start + limit)} if left else {}),
    }
    return {
        "kind": "List",
        "apiVersion": "v1",
        "metadata": meta,
        "items": items[start : start + limit],
    }


def status(code: int, reason: str, message: str) -> bytes:
    """Write a failure as the real server does."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    return json.dumps(body).encode()


DISCOVERY: Mapping[str, Body] = {
    "/api": {"kind": "APIVersions", "versions": ["v1"]},
    "/apis": {"kind": "APIGroupList", "apiVersion": "v1", "groups": []},
    "/api/v1": {
        "kind": "APIResourceList", "groupVersion": "v1",
        "resources": [{"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"]}],
    },
    "/version": {"gitVersion": "v1.32.4"},
}  # fmt: skip


@contextmanager
def served(server: ApiServer, folder: Path) -> Iterator[str]:
    """Serve on loopback and give the path of a kubeconfig for it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            code, body = server.answer(self.command, self.path)
            self.send_response(code)
            self.send_header(
                "Content-Type",
                "text/plain"
                if self.path.partition("?")[0].endswith("/log")
                else "application/json",
            )
            self.send_header("Content-Length", str(len(body)))
            if code == 429:
                self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
        server.url = f"http://127.0.0.1:{http.server_port}"
        config = folder / "kubeconfig.json"
        config.write_text(json.dumps(kubeconfig(server.url)))
        yield str(config)
        http.shutdown()


def kubeconfig(url: str) -> Body:
    """Write a kubeconfig with one context, astra."""
    return {
        "apiVersion": "v1", "kind": "Config", "current-context": "astra",
        "clusters": [{"name": "c", "cluster": {"server": url}}],
        "contexts": [{"name": "astra", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {}}],
    }  # fmt: skip
