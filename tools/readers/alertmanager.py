"""Alerts: Alertmanager's webhook and API, Prometheus' /api/v1/alerts, recorded HTTP bodies."""

from collections.abc import Iterator, Mapping
from typing import cast

from tools.documents import json_data, json_values, lines_before, text_start
from tools.evidence import Gap, Item, Record
from tools.json_places import Finder
from tools.kubernetes_objects import at, text_at
from tools.masks import masked
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating

Content = Mapping[str, object]
_NEVER = "0001-01-01"


class AlertReader:
    """Yields a record for each alert."""

    name = "alertmanager"
    source = "alert"

    def score(self, head: bytes, hint: str) -> float:
        """Look for what every alert has."""
        start = text_start(head)
        if not start.startswith((b"{", b"[")) or b'"alertname"' not in start:
            return 0.0
        marks = (b'"startsAt"', b'"activeAt"', b'"fingerprint"', b'"groupKey"')
        return 0.96 if any(mark in start for mark in marks) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all alerts of all payloads."""
        dating = Dating(request, source.reference(request.now))
        data = json_data(source)
        finder = Finder(data, lines_before(source.head))
        for value in json_values(source, data):
            if isinstance(value, Gap):
                yield value
                continue
            for alert in _alerts(value):
                yield alert_record(alert, source, dating, finder)


def _alerts(content: Content) -> Iterator[Content]:
    for key in ("alerts", "items"):
        inner = content.get(key)
        if isinstance(inner, list):
            for part in (each for each in inner if isinstance(each, Mapping)):
                yield from _alerts(cast("Content", part))
            return
    for key in ("body", "data"):
        if isinstance(content.get(key), Mapping):
            yield from _alerts(at(content, key))
            return
    if "labels" in content:
        yield content


def alert_record(alert: Content, source: Source, dating: Dating, finder: Finder) -> Record:
    """Read one alert; its line is that of its words, or of its name."""
    labels = {str(key): str(value) for key, value in at(alert, "labels").items()}
    notes = at(alert, "annotations")
    words = [text_at(notes, key) for key in ("summary", "description", "message")]
    text = f"{labels.get('alertname', '')}: {'; '.join(word for word in words if word)}"
    starts = text_at(alert, "startsAt") or text_at(alert, "activeAt")
    ends = text_at(alert, "endsAt")
    status = text_at(alert, "status") or text_at(at(alert, "status"), "state")
    fields = {
        **labels,
        "status": status or text_at(alert, "state"),
        "ends": "" if ends.startswith(_NEVER) else ends,
        "fingerprint": text_at(alert, "fingerprint"),
    }
    return Record(
        source.evidence,
        "alert",
        masked(text.rstrip(": ")),
        finder.line_of(next((word for word in words if word), labels.get("alertname", ""))),
        dating.iso(starts),
        "scrape:prometheus",
        _host_of(labels),
        labels.get("alertname", ""),
        {key: value for key, value in fields.items() if value},
    )


def _host_of(labels: Mapping[str, str]) -> str:
    for key in ("node", "Hostname", "hostname", "host", "nodename", "instance"):
        if value := labels.get(key):
            return value.partition(":")[0] if key == "instance" else value
    return ""


READER = AlertReader()
