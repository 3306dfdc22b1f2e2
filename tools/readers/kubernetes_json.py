"""Kubernetes objects as JSON: `kubectl … -o json`, raw API lists, watch lines."""

from collections.abc import Iterator, Mapping

from tools.documents import json_data, json_values, lines_before, text_start
from tools.evidence import Item
from tools.json_places import Places
from tools.kubernetes_objects import object_items
from tools.readers.cluster_dump import dump_items, is_dump
from tools.request import Request
from tools.source import Source


class KubernetesJsonReader:
    """Yields the state of each object, and a record for each Event."""

    name = "kubernetes-json"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:
        """Look for what every object must have."""
        start = text_start(head)
        if not start.startswith((b"{", b"[")) or b'"apiVersion"' not in start:
            return 0.0
        if b'"_source"' in start or b'"apiVersion":"audit.k8s.io/' in start[:200]:
            return 0.0  # an export of a log store; the API server's audit log
        return 0.95 if b'"metadata"' in start or b'"kind"' in start else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read objects; of a truncated list, those that are whole."""
        whole = source.whole()
        if is_dump(whole):
            yield from dump_items(whole, source, request)
            return
        data = json_data(source, whole)
        places = Places(data, lines_before(source.head))
        for number, value in enumerate(json_values(source, data)):
            if isinstance(value, Mapping):
                # Of several documents in one file only the first has places of its own.
                yield from object_items(value, source, request, None if number else places)
            else:
                yield value


READER = KubernetesJsonReader()
