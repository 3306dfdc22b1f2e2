"""Prometheus that scrapes, rules and asks; Alertmanager that is told; node-exporter."""

import json
import time
from datetime import UTC, datetime, timedelta

import httpx

from evals.benign.component import Component
from evals.benign.room import Room
from evals.replay.ports import find_port

_ASKED = 2500
_TOLD = 600
_SCRAPES = 120
_PROMETHEUS = """\
global:
  scrape_interval: 1s
  evaluation_interval: 1s
  query_log_file: {folder}/logs/query.log
rule_files: ["{folder}/rules.yml"]
scrape_configs:
- job_name: prometheus
  static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""
_RULES = """\
groups:
- name: rig
  rules:
  - {record: "job:up:sum", expr: "sum by (job) (up)"}
  - {alert: TargetDown, expr: "up == 0", for: 5m}
"""
_ALERTS = """\
route: {receiver: nobody, group_by: [alertname], group_wait: 1s, group_interval: 1s}
receivers: [{name: nobody}]
"""


def _prometheus(room: Room) -> None:
    port = find_port()
    config = room.write("prometheus.yml", _PROMETHEUS.format(folder=room.folder, port=port))
    room.write("rules.yml", _RULES)
    room.start(
        "prometheus.log", "prometheus", f"--config.file={config}", "--log.level=debug",
        f"--storage.tsdb.path={room.folder}/data", f"--web.listen-address=127.0.0.1:{port}",
        "--log.format=logfmt", "--web.enable-lifecycle",
    )  # fmt: skip
    room.await_port(port)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as talk:
        for number in range(_ASKED):
            talk.get("/api/v1/query", params={"query": f"rate(up[{1 + number % 300}s])"})
            if not number % 500:
                talk.post("/-/reload")


def _alertmanager(room: Room) -> None:
    port = find_port()
    config = room.write("alertmanager.yml", _ALERTS)
    room.start(
        "alertmanager.log", "prometheus-alertmanager", f"--config.file={config}",
        f"--storage.path={room.folder}/data", f"--web.listen-address=127.0.0.1:{port}",
        "--cluster.listen-address=", "--log.level=debug",
    )  # fmt: skip
    room.await_port(port)
    now = datetime.now(UTC)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as talk:
        for number in range(_TOLD):
            labels = {"alertname": "BackupDone", "instance": f"n{number % 50}"}
            until = now + timedelta(seconds=number % 3)
            alert = {"labels": labels, "startsAt": now.isoformat(), "endsAt": until.isoformat()}
            talk.post("/api/v2/alerts", content=json.dumps([alert]), headers=_JSON)
    time.sleep(3)


_JSON = {"Content-Type": "application/json"}


def _exporter(room: Room) -> None:
    port = find_port()
    address = f"--web.listen-address=127.0.0.1:{port}"
    room.start("node-exporter.log", "prometheus-node-exporter", address, "--log.level=debug")
    room.await_port(port)
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as talk:
        for _ in range(_SCRAPES):
            talk.get("/metrics")


COMPONENTS = (
    Component("prometheus", ("prometheus",), "prometheus", _prometheus),
    Component(
        "alertmanager", ("prometheus-alertmanager",), "prometheus-alertmanager", _alertmanager
    ),
    Component(
        "node-exporter", ("prometheus-node-exporter",), "prometheus-node-exporter", _exporter
    ),
)
