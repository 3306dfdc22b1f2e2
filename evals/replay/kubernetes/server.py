"""A read-only API server over a recorded cluster, enough of the API for the real kubectl."""

import base64
import binascii
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from evals.replay.kubernetes import discovery, reviews, selectors, tables
from evals.replay.kubernetes.store import Json, Resource, Store, find, read_meta, read_parts

PATH = re.compile(
    r"/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/(?P<version>[^/]+))"
    r"(?:/namespaces/(?P<namespace>[^/]+)(?=/))?"
    r"(?:/(?P<plural>[^/]+))?(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+))?/?"
)
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
METHODS = ["GET", *VERBS]
TABLE = "as=Table"


def write_status(code: int, reason: str, message: str) -> JSONResponse:
    """Write a failure as the API server does."""
    return JSONResponse(
        {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            "details": {},
            "code": code,
        },
        code,
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """A request's place in the API."""

    group: str
    version: str
    namespace: str
    plural: str
    name: str
    sub: str

    @property
    def group_version(self) -> str:
        """Write group and version as `apiVersion` does."""
        return f"{self.group}/{self.version}" if self.group else self.version


def locate(path: str) -> Asked | None:
    """Take an API path apart."""
    match = PATH.fullmatch(path)
    if not match:
        return None
    got = {name: text or "" for name, text in match.groupdict().items()}
    version = got["core"] or got["version"]
    return Asked(got["group"], version, got["namespace"], got["plural"], got["name"], got["sub"])


@dataclass(frozen=True)
class Api:
    """The handlers over one store."""

    store: Store
    now: datetime

    async def groups(self, request: Request) -> Response:
        """Answer /api and /apis."""
        accept = request.headers.get("accept", "")
        return discovery.list_groups(request.url.path, accept)

    async def resource(self, request: Request) -> Response:
        """Answer everything below a group and version."""
        asked = locate(request.url.path)
        if asked is None:
            return _nowhere()
        if not asked.plural:
            return discovery.list_resources(asked.group, asked.version) or _nowhere()
        kind = reviews.REVIEWS.get((asked.group, asked.plural))
        if kind and request.method == "POST":
            body = await request.body()
            return JSONResponse(reviews.answer(kind, asked.group_version, body), 201)
        resource = find(asked.group, asked.version, asked.plural)
        if request.method != "GET" or asked.plural in reviews.SECRET:
            return self._forbidden(request, asked)
        if resource is None:
            return _nowhere()
        return self._read(request, asked, resource)

    def _forbidden(self, request: Request, asked: Asked) -> Response:
        verb = VERBS.get(request.method, "list" if not asked.name else "get")
        message = (
            f'{asked.plural} is forbidden: User "{reviews.USER}" cannot {verb} resource '
            f'"{asked.plural}" in API group "{asked.group}" at the cluster scope'
        )
        return write_status(403, "Forbidden", message)

    def _read(self, request: Request, asked: Asked, resource: Resource) -> Response:
        if not asked.name:
            return self._list(request, asked, resource)
        item = self.store.one(resource, asked.namespace, asked.name)
        if item is None:
            where = f"{resource.plural}.{resource.group}" if resource.group else resource.plural
            return write_status(404, "NotFound", f'{where} "{asked.name}" not found')
        if asked.sub == "log":
            return self._log(request, item)
        if asked.sub:
            return _nowhere()
        if TABLE in request.headers.get("accept", ""):
            return _json(tables.write_table(resource, [item], self.now, whole=_whole(request)))
        return _json({"apiVersion": resource.group_version, **item})

    def _list(self, request: Request, asked: Asked, resource: Resource) -> Response:
        query = request.query_params
        rows = self.store.of(resource, asked.namespace)
        try:
            if query.get("fieldSelector"):
                rows = list(
                    filter(selectors.select_by_fields(query["fieldSelector"], asked.plural), rows)
                )
        except selectors.UnsupportedFieldError as error:
            return write_status(400, "BadRequest", f"field label not supported: {error}")
        if query.get("labelSelector"):
            rows = list(filter(selectors.select_by_labels(query["labelSelector"]), rows))
        if query.get("watch") in {"1", "true"}:
            return StreamingResponse(_watch(rows), media_type="application/json")
        try:
            page, more = _page(rows, query.get("continue", ""), int(query.get("limit") or 0))
        except ValueError:
            message = "The provided continue parameter is too old to display a consistent list."
            return write_status(410, "Expired", message)
        if TABLE in request.headers.get("accept", ""):
            return _json(tables.write_table(resource, page, self.now, whole=_whole(request)))
        kind = f"{resource.kind}List"
        head: Json = {"kind": kind, "apiVersion": resource.group_version, "metadata": more}
        return _json({**head, "items": page})

    def _log(self, request: Request, pod: Json) -> Response:
        query, about = request.query_params, read_meta(pod)
        spec = pod.get("spec")
        names = [
            str(c["name"]) for c in read_parts(spec if isinstance(spec, dict) else {}, "containers")
        ]
        name = query.get("container") or names[0]
        if name not in names:
            message = f"container {name} is not valid for pod {about['name']}"
            return write_status(400, "BadRequest", message)
        previous = ".previous" if query.get("previous") == "true" else ""
        text = self.store.logs.get(f"{about['namespace']}/{about['name']}/{name}{previous}")
        if text is None and previous:
            message = f'previous terminated container "{name}" in pod "{about["name"]}" not found'
            return write_status(400, "BadRequest", message)
        return Response(self._cut(text or "", request), media_type="text/plain")

    def _cut(self, text: str, request: Request) -> bytes:
        """Apply the limits of a log request."""
        query, lines = request.query_params, text.splitlines(keepends=True)
        since = None
        if query.get("sinceTime"):
            since = datetime.fromisoformat(query["sinceTime"])
        elif query.get("sinceSeconds"):
            since = self.now - timedelta(seconds=int(query["sinceSeconds"]))
        if since:
            lines = [line for line in lines if datetime.fromisoformat(line[:26] + "Z") >= since]
        if query.get("tailLines"):
            count = int(query["tailLines"])
            lines = lines[-count:] if count else []
        if query.get("timestamps") != "true":
            lines = [line.partition(" ")[2] for line in lines]
        body = "".join(lines).encode()
        return body[: int(query["limitBytes"])] if query.get("limitBytes") else body


def _json(body: Json) -> Response:
    return Response(msgspec.json.encode(body), media_type="application/json")


def _whole(request: Request) -> bool:
    return request.query_params.get("includeObject") == "Object"


def _nowhere() -> Response:
    return write_status(404, "NotFound", "the server could not find the requested resource")


def _page(rows: list[Json], token: str, limit: int) -> tuple[list[Json], Json]:
    """Cut one page out of a list.

    Raises:
        ValueError: the token is none of ours.
    """
    try:
        start = int(json.loads(base64.urlsafe_b64decode(token))["start"]) if token else 0
    except (binascii.Error, KeyError, UnicodeDecodeError) as error:
        raise ValueError(token) from error
    more: Json = {"resourceVersion": "1"}
    if limit and start + limit < len(rows):
        text = json.dumps({"start": start + limit})
        more["continue"] = base64.urlsafe_b64encode(text.encode()).decode()
        more["remainingItemCount"] = len(rows) - start - limit
    return rows[start : start + limit] if limit else rows[start:], more


async def _watch(rows: list[Json]) -> AsyncIterator[bytes]:
    """Send what is there; nothing ever changes, so the watch then ends."""
    for row in rows:
        yield msgspec.json.encode({"type": "ADDED", "object": row}) + b"\n"


async def plain(request: Request) -> Response:
    """Answer what stands outside the resource paths."""
    if request.url.path == "/version":
        return JSONResponse(discovery.VERSION)
    if request.url.path in {"/healthz", "/livez", "/readyz"}:
        return Response("ok", media_type="text/plain")
    return _nowhere()


def build_application(store: Store, now: datetime) -> Starlette:
    """Build the server's application."""
    api = Api(store, now)
    return Starlette(
        routes=[
            Route("/api", api.groups),
            Route("/apis", api.groups),
            Route("/api/{path:path}", api.resource, methods=METHODS),
            Route("/apis/{path:path}", api.resource, methods=METHODS),
            Route("/{path:path}", plain, methods=METHODS),
        ]
    )
