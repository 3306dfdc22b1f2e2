"""Label and field selectors, as the API server understands them."""

import re
from collections.abc import Callable

from evals.replay.kubernetes.store import Json, read_meta

Test = Callable[[Json], bool]
FIELDS = {
    "pods": {
        "spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName",
    },
    "nodes": {"spec.unschedulable"},
    "jobs": {"status.successful"},
    "namespaces": {"status.phase"},
    "events": {
        "involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
        "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type",
    },
}  # fmt: skip
ALWAYS = {"metadata.name", "metadata.namespace"}
_TERM = re.compile(r"([^!=]+)(!=|==?)(.*)")
_SET = re.compile(r"(\S+)\s+(in|notin)\s*\(([^)]*)\)")
_FALSE_UNLESS_SET = {"spec.unschedulable", "spec.hostNetwork"}


class UnsupportedFieldError(ValueError):
    """A resource cannot be selected by that field."""


def dig(item: Json, path: str) -> str:
    """Return the value at a dotted path as text; a flag that is not set reads `false`."""
    found: object = item
    for name in path.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    if found is None:
        return "false" if path in _FALSE_UNLESS_SET else ""
    return str(found).lower() if isinstance(found, bool) else str(found)


def select_by_fields(selector: str, plural: str) -> Test:
    """Compile a field selector.

    Raises:
        UnsupportedFieldError: the resource has no such selectable field.
    """
    terms = [match.groups() for t in selector.split(",") if (match := _TERM.fullmatch(t))]
    for path, _, _ in terms:
        if path not in FIELDS.get(plural, set()) | ALWAYS:
            raise UnsupportedFieldError(path)
    return lambda item: all((dig(item, path) == value) == (op != "!=") for path, op, value in terms)


def select_by_labels(selector: str) -> Test:
    """Compile a label selector: equality, sets and existence."""
    tests = [_label(term.strip()) for term in re.findall(r"[^,(]+(?:\([^)]*\))?", selector)]

    def test(item: Json) -> bool:
        labels = read_meta(item).get("labels")
        return all(one(labels if isinstance(labels, dict) else {}) for one in tests)

    return test


def _label(term: str) -> Test:
    if match := _SET.fullmatch(term):
        name, op, values = match.groups()
        wanted = {value.strip() for value in values.split(",")}
        return lambda labels: (labels.get(name) in wanted) == (op == "in")
    if match := _TERM.fullmatch(term):
        name, op, value = (part.strip() for part in match.groups())
        return lambda labels: (labels.get(name) == value) == (op != "!=")
    if term.startswith("!"):
        return lambda labels: term[1:] not in labels
    return lambda labels: term in labels
