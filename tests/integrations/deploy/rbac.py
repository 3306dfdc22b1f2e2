"""Kubernetes' own rule evaluation, as far as a ClusterRole of ours needs it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, cast

import yaml

FILE = Path("integrations/deploy/clusterrole.yaml")
_PATH = re.compile(
    r"/(?:api/v1|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/(?P<ns>[^/]+)(?=/))?"
    r"/(?P<resource>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>.+))?"
)
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


class Rule(TypedDict, total=False):
    """One rule of a ClusterRole."""

    apiGroups: list[str]
    resources: list[str]
    verbs: list[str]
    nonResourceURLs: list[str]


def rules() -> list[Rule]:
    """Read the rules of the shipped ClusterRole."""
    documents = cast("list[Mapping[str, object]]", list(yaml.safe_load_all(FILE.read_text())))
    (role,) = [each for each in documents if each["kind"] == "ClusterRole"]
    return cast("list[Rule]", role["rules"])


def permits(role: Sequence[Rule], method: str, path: str) -> bool:
    """Tell whether a request is permitted, as RBAC's authorizer would."""
    found = _PATH.fullmatch(path)
    if found is None or path.startswith(("/apis/authorization", "/apis/authentication")):
        always = path in {"/api", "/apis"} or re.fullmatch(
            r"/api/v1|/apis/[^/]+/[^/]+|/openapi/.*", path
        )
        reviews = (
            path.startswith(("/apis/authorization", "/apis/authentication")) and method == "POST"
        )
        return bool(always or reviews) or any(
            path in rule.get("nonResourceURLs", []) and method == "GET" for rule in role
        )
    group, name = found["group"] or "", found["name"]
    resource = found["resource"] + (f"/{found['sub'].split('/')[0]}" if found["sub"] else "")
    verb = _VERBS.get(method) or ("get" if name else "list")
    return any(
        group in rule.get("apiGroups", [])
        and resource in rule.get("resources", [])
        and verb in rule["verbs"]
        for rule in role
    )
