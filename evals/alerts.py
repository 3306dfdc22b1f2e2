"""Alerts as Alertmanager sends them."""

import hashlib

from evals.model import Body, write_iso


def write_alert(name: str, at: float, severity: str, words: tuple[str, str], **labels: str) -> Body:
    """Write one firing alert; `words` are its summary and description."""
    all_labels = {"alertname": name, "severity": severity, **labels}
    text = "".join(f"{key}={value};" for key, value in sorted(all_labels.items()))
    return {
        "status": "firing",
        "labels": all_labels,
        "annotations": {"summary": words[0], "description": words[1]},
        "startsAt": write_iso(at, digits=3),
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.monitoring:9090/graph",
        "fingerprint": hashlib.sha256(text.encode()).hexdigest()[:16],
    }
