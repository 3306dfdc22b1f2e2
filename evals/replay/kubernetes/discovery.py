"""What the server serves, in the forms in which kubectl asks for it."""

from starlette.responses import JSONResponse, Response

from evals.replay.kubernetes.store import READ, RESOURCES, Json, Resource

AGGREGATED = "as=APIGroupDiscoveryList"
AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
VERSION: Json = {
    "major": "1", "minor": "32", "gitVersion": "v1.32.4", "gitCommit": "", "gitTreeState": "clean",
    "buildDate": "2025-04-22T16:03:58Z", "goVersion": "go1.23.6", "compiler": "gc",
    "platform": "linux/amd64",
}  # fmt: skip
REVIEW_GROUPS = (
    ("authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview"),
    ("authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview"),
    ("authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview"),
)


def _groups() -> list[tuple[str, str]]:
    served = {(r.group, r.version) for r in RESOURCES if r.group}
    return sorted(served | {(group, version) for group, version, _, _ in REVIEW_GROUPS})


def _entry(resource: Resource) -> Json:
    return {
        "name": resource.plural,
        "singularName": resource.kind.lower(),
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(READ),
        "shortNames": [resource.short] if resource.short else [],
    }


def _review(plural: str, kind: str) -> Json:
    return {
        "name": plural, "singularName": "", "namespaced": False, "kind": kind, "verbs": ["create"],
        "shortNames": [],
    }  # fmt: skip


def _listed(group: str, version: str) -> list[Json]:
    found = [_entry(r) for r in RESOURCES if (r.group, r.version) == (group, version)]
    return found + [
        _review(p, kind) for g, v, p, kind in REVIEW_GROUPS if (g, v) == (group, version)
    ]


def list_groups(path: str, accept: str) -> Response:
    """Answer /api and /apis: aggregated where the client takes version 2 of it, else plain."""
    core = path.rstrip("/") == "/api"
    if AGGREGATED in accept and "v=v2;" in accept:
        wanted = [("", "v1")] if core else _groups()
        return JSONResponse(_aggregated(wanted), headers={"Content-Type": AGGREGATED_TYPE})
    if core:
        return JSONResponse(
            {"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []}
        )
    listed = []
    for group, version in _groups():
        entry = {"groupVersion": f"{group}/{version}", "version": version}
        listed.append({"name": group, "versions": [entry], "preferredVersion": entry})
    return JSONResponse({"kind": "APIGroupList", "apiVersion": "v1", "groups": listed})


def list_resources(group: str, version: str) -> Response | None:
    """Answer /apis/GROUP/VERSION; None where nothing is served."""
    found = _listed(group, version)
    if not found:
        return None
    name = f"{group}/{version}" if group else version
    return JSONResponse(
        {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": name, "resources": found}
    )


def _aggregated(wanted: list[tuple[str, str]]) -> Json:
    items = []
    for group, version in wanted:
        rows = [
            {
                "resource": row["name"],
                "responseKind": {"group": group, "version": version, "kind": row["kind"]},
                "scope": "Namespaced" if row["namespaced"] else "Cluster",
                "singularResource": row["singularName"],
                "verbs": row["verbs"],
                "shortNames": row["shortNames"],
            }
            for row in _listed(group, version)
        ]
        served = {"version": version, "freshness": "Current", "resources": rows}
        items.append({"metadata": {"name": group} if group else {}, "versions": [served]})
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }
