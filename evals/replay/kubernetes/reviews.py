"""Permission questions, answered for a read-only user. kubectl ≥ 1.32 asks them in protobuf."""

import json

from evals.replay.kubernetes.store import READ, RESOURCES, Json, read_part

REVIEWS = {
    ("authorization.k8s.io", "selfsubjectaccessreviews"): "SelfSubjectAccessReview",
    ("authorization.k8s.io", "selfsubjectrulesreviews"): "SelfSubjectRulesReview",
    ("authentication.k8s.io", "selfsubjectreviews"): "SelfSubjectReview",
}
USER = "firstfault"
MAGIC = b"k8s\0"
SECRET = frozenset({"secrets"})
_ATTRIBUTES = ("namespace", "verb", "group", "version", "resource", "subresource", "name")


def read_fields(message: bytes) -> dict[int, bytes]:
    """Return the length-delimited fields of a protobuf message; the last of a number counts."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(message):
        tag = message[at]
        size, at = _varint(message, at + 1)
        if tag & 7 == 2:  # noqa: PLR2004  # the wire type "length-delimited"
            found[tag >> 3] = message[at : at + size]
            at += size
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:  # noqa: PLR2004  # no continuation bit
            return value, at


def read_attributes(body: bytes) -> Json:
    """Return what an access review asks about."""
    if not body.startswith(MAGIC):
        document = json.loads(body or b"{}")
        return read_part(read_part(document, "spec"), "resourceAttributes")
    unknown = read_fields(body[len(MAGIC) :])
    spec = read_fields(read_fields(unknown.get(2, b"")).get(2, b""))
    asked = read_fields(spec.get(1, b""))
    return {name: asked[n].decode() for n, name in enumerate(_ATTRIBUTES, 1) if n in asked}


def answer(kind: str, group_version: str, body: bytes) -> Json:
    """Answer a review: reading is allowed, secrets and changing are not."""
    document: Json = {"kind": kind, "apiVersion": group_version, "metadata": {}, "spec": {}}
    if kind == "SelfSubjectReview":
        groups = ["system:authenticated"]
        return {**document, "status": {"userInfo": {"username": USER, "groups": groups}}}
    if kind == "SelfSubjectRulesReview":
        rule = {
            "verbs": list(READ),
            "apiGroups": sorted({resource.group for resource in RESOURCES}),
            "resources": sorted({resource.plural for resource in RESOURCES} | {"pods/log"}),
        }
        rules = {"incomplete": False, "resourceRules": [rule], "nonResourceRules": []}
        return {**document, "status": rules}
    asked = read_attributes(body)
    allowed = asked.get("verb") in READ and asked.get("resource") not in SECRET
    allowed = allowed and asked.get("subresource", "") in {"", "log", "status"}
    status: Json = {"allowed": allowed}
    if not allowed:
        status["reason"] = "read-only replay"
    return {**document, "spec": {"resourceAttributes": asked}, "status": status}
