"""Which entity a match speaks of, and what else it touches."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from assistant.identity import normalise
from assistant.topology import Key
from knowledge.conditions import as_text, lookup
from knowledge.page import Page
from knowledge.template import expand, placeholders
from tools.evidence import Record

UNNAMED = "unnamed-"
"""A host that no line names is called after the capture that shows it."""
_OF_A_HOST = frozenset({"kernel", "service", "command"})
"""Channels whose lines always speak of the host they come from."""


def values_of(record: Record) -> dict[str, str]:
    """Return what templates may use beside the named groups of a line."""
    fields = record.fields
    host = record.host
    if not host and record.channel in _OF_A_HOST:
        host = f"{UNNAMED}{record.evidence}"
    namespace, _, pod = fields.get("pod", "").rpartition("/")
    values = {**fields, "host": host, "unit": record.unit, "node": fields.get("node", host)}
    if pod:
        values["pod"] = pod
    if namespace:
        values["namespace"] = namespace
    return values


def anchors_of(templates: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    """Fill every template; what names something absent is left out."""
    found: dict[str, str] = {}
    for kind, template in templates.items():
        text = expand(template, values)
        name = normalise(kind, text) if text else ""
        if name:
            found[kind] = name
    return found


def subject_of(page: Page, anchors: Mapping[str, str], values: Mapping[str, str]) -> Key:
    """Choose the thing the condition is true of: the page's kind, else the nearest named one."""
    for kind in (page.entity.kind, *page.entity.anchors, *anchors):
        if kind in anchors:
            return kind, anchors[kind]
    pod, namespace = values.get("pod"), values.get("namespace")
    if pod and namespace:
        return "pod", f"{namespace}/{pod}"
    host = values.get("host") or values.get("node") or ""
    return ("node", normalise("node", host)) if host else ("cluster", "cluster")


def resolved(templates: Iterable[str], content: Mapping[str, object]) -> dict[str, str]:
    """Look the templates' paths up in an object or reading that no signature held for."""
    paths = {path for template in templates for path in placeholders(template)}
    values = {path: lookup(content, path) for path in paths}
    return {
        path: as_text(value)
        for path, value in values.items()
        if isinstance(value, str | int | float | bool)
    }


def parse_moment(text: str) -> datetime | None:
    """Read an RFC 3339 time that states its zone; None for anything else and for year 1."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is not None and moment.year > 1 else None
