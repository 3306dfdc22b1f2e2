"""A recording as a bundle on disk: files and the manifest that says how each was captured."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from evals.errors import BrokenScenarioError
from evals.model import Body, Command, PodLog, Recording, TextFile, write_iso
from evals.writers import journal, openmetrics, prometheus

PLURALS = {
    "Node": "nodes",
    "Namespace": "namespaces",
    "Pod": "pods",
    "Event": "events",
    "Job": "jobs",
    "Lease": "leases",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "ReplicaSet": "replicasets",
    "ControllerRevision": "controllerrevisions",
}


@dataclass
class BundleWriter:
    """Writes files under `root` and remembers a manifest line for each."""

    root: Path
    cluster: str
    lines: list[Body] = field(default_factory=list)

    def write(
        self,
        path: str,
        body: bytes,
        *,
        source: str,
        command: str,
        target: str,
        started: float,
        ended: float | None = None,
        outcome: str = "ok",
        detail: str = "",
    ) -> None:
        """Write one capture and its manifest line."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
        self.lines.append(
            {
                "path": path,
                "source": source,
                "command": command,
                "target": target,
                "cluster": self.cluster,
                "started": write_iso(started, digits=3),
                "ended": write_iso(started + 0.3 if ended is None else ended, digits=3),
                "outcome": outcome,
                "detail": detail,
                "sha256": hashlib.sha256(body).hexdigest(),
                "size": len(body),
                "truncated": False,
                "live": False,
            }
        )

    def finish(self) -> None:
        """Write the manifest."""
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines)
        (self.root / "manifest.jsonl").write_text(text)


def write(
    recording: Recording,
    root: Path,
    *,
    queries: Sequence[prometheus.Query] | None = None,
    languages: Sequence[str] = ("en", "zh"),
) -> Path:
    """Write the whole bundle under `root` and return it.

    `queries` are answered by a real Prometheus at once; None or none installed leaves the samples
    as OpenMetrics instead.

    Raises:
        BrokenScenarioError: something lies there already.
    """
    if root.exists() and any(root.iterdir()):
        raise BrokenScenarioError(f"{root} is not empty; a bundle is written into a new folder")
    root.mkdir(parents=True, exist_ok=True)
    writer = BundleWriter(root, recording.cluster)
    _journals(writer, recording)
    _objects(writer, recording)
    for log in recording.pod_logs:
        _pod_log(writer, recording, log)
    _metrics(writer, recording, queries)
    _nvml(writer, recording)
    for command in recording.commands:
        _command(writer, command)
    for file in recording.files:
        _file(writer, file)
    _alerts(writer, recording)
    writer.finish()
    _incident(root, recording, languages)
    return root


def _json(body: object) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def _journals(writer: BundleWriter, recording: Recording) -> None:
    for host in recording.hosts.values():
        loss = recording.losses.get(host.name)
        refusal = loss.refusal if loss else ""
        kept = recording.kept(host.name)
        if not kept and not refusal:
            continue
        writer.write(
            f"journal/{host.name}.export",
            journal.export(host, kept),
            source="journal",
            command="journalctl --no-pager -o export",
            target=host.name,
            started=recording.taken,
            outcome="denied" if refusal else "ok",
            detail=refusal,
        )


def _objects(writer: BundleWriter, recording: Recording) -> None:
    for number, (at, objects) in enumerate(sorted(recording.snapshots.items()), start=1):
        kinds: dict[str, list[Body]] = defaultdict(list)
        for item in objects:
            kinds[str(item["kind"])].append(item)
        folder = "k8s" if number == 1 else f"k8s/{number}"
        for kind, items in kinds.items():
            plural = PLURALS.get(kind, f"{kind.lower()}s")
            listing: Body = {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}
            writer.write(
                f"{folder}/{plural}.json",
                _json(listing),
                source="kubernetes",
                command=f"kubectl get {plural} -A -o json",
                target=plural,
                started=at,
            )


def _pod_log(writer: BundleWriter, recording: Recording, log: PodLog) -> None:
    previous = ".previous" if log.previous else ""
    lines = [
        f"{write_iso(recording.stamped(log.host, at), digits=9)} {text}\n" for at, text in log.lines
    ]
    writer.write(
        f"k8s/logs/{log.namespace}/{log.pod}/{log.container}{previous}.log",
        "".join(lines).encode(),
        source="kubernetes",
        command=f"kubectl logs -n {log.namespace} {log.pod} -c {log.container} --timestamps"
        + (" --previous" if log.previous else ""),
        target=f"{log.namespace}/{log.pod}",
        started=recording.taken,
        outcome="failed" if log.refusal else "ok",
        detail=log.refusal,
    )


def _metrics(
    writer: BundleWriter, recording: Recording, queries: Sequence[prometheus.Query] | None
) -> None:
    if not recording.metrics:
        return
    if queries is None:
        writer.write(
            "prometheus/metrics.om",
            openmetrics.render(recording.metrics).encode(),
            source="prometheus",
            command="promtool tsdb dump",
            target="prometheus",
            started=recording.taken,
        )
        return
    for answer in prometheus.answer_queries(recording, queries):
        writer.write(
            f"prometheus/{answer.name}.json",
            answer.body,
            source="prometheus",
            command=f"query_range {answer.name}: {answer.expr}",
            target="prometheus",
            started=recording.taken,
        )


def _nvml(writer: BundleWriter, recording: Recording) -> None:
    for name, (at, body) in recording.nvml.items():
        writer.write(
            f"nvml/{name}.json",
            _json(body),
            source="nvml",
            command="nvml health",
            target=name,
            started=at,
        )


def _command(writer: BundleWriter, command: Command) -> None:
    hung = command.outcome == "hung"
    writer.write(
        f"host/{command.host}/{command.name}.txt",
        command.output.encode(),
        source=command.source,
        command=" ".join(command.argv),
        target=command.host,
        started=command.started,
        ended=command.started + (10.0 if hung else command.took_s),
        outcome=command.outcome,
        detail="10" if hung else "",
    )


def _file(writer: BundleWriter, file: TextFile) -> None:
    writer.write(
        file.path,
        file.text.encode(),
        source=file.source,
        command=file.command,
        target=file.target,
        started=file.taken,
    )


def _alerts(writer: BundleWriter, recording: Recording) -> None:
    if not recording.alerts:
        return
    writer.write(
        "alerts/alerts.json",
        _json(_alertmanager(recording.alerts)),
        source="alert",
        command="amtool alert query -o json",
        target="alertmanager",
        started=recording.alerts_taken or recording.taken,
    )


def _alertmanager(alerts: list[Body]) -> Body:
    return {
        "version": "4",
        "receiver": "oncall",
        "status": "firing",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.monitoring:9093",
        "alerts": alerts,
    }


def _incident(root: Path, recording: Recording, languages: Sequence[str]) -> None:
    text = "\n\n".join(t.text for t in recording.tickets if t.language in languages)
    body = {
        "title": recording.title,
        "text": text,
        "window": {
            "since": write_iso(recording.reported[0]),
            "until": write_iso(recording.reported[1]),
        },
        "cluster": recording.cluster,
    }
    (root / "incident.yaml").write_text(yaml.safe_dump(body, allow_unicode=True, sort_keys=False))
