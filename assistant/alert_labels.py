"""What an alert's labels say it is about, where its words name nothing."""

from collections.abc import Mapping, Sequence

from assistant.identity import normalise
from knowledge.matching import Match
from knowledge.page import Page, Severity, TextSignature
from tools.evidence import Record

NAMESPACE = "namespace"
"""Not a kind of thing, but all that some alerts name: it stands for the jobs in it."""
_JOB_LABELS = ("job_name", "training_job", "jobset_name", "pytorchjob", "mpijob", "rayjob")
_SLURM_LABELS = ("slurm_job_id", "slurm_jobid", "jobid")
_SPEAKS_OF_OTHERS = "kube-state-metrics"
_WIDE = frozenset({"job", "queue", "cluster", "control_plane"})
"""Kinds of thing that are on no one host."""

_SEVERITIES: Mapping[str, Severity] = {
    **dict.fromkeys(("critical", "page", "emergency", "disaster", "fatal"), "critical"),
    **dict.fromkeys(("error", "major", "high", "urgent"), "error"),
    **dict.fromkeys(("warning", "warn", "minor", "medium", "average", "ticket"), "warning"),
    **dict.fromkeys(("info", "information", "informational", "none", "low", "debug"), "info"),
}
"""Words that rule sets put into the label `severity`."""
_NOT_FIRING = frozenset({"pending", "suppressed"})


_PAGE = "page"
_CONDITIONS = frozenset({"root", "mechanism", "symptom", "benign"})
_BY_LABELS = {
    "gpu": "{UUID}", "nic": "{host}/{device}", "mount": "{host}:{path}", "pod": "{namespace}/{pod}",
    "node": "{node}",
}  # fmt: skip
"""How labels of the exporters that rules are written for name a thing."""


def by_page(record: Record, found: Sequence[Match], pages: Mapping[str, Page]) -> Sequence[Match]:
    """Take an alert whose rule names a page for the condition of that page.

    The rules that this product ships do. What the words alone say is another page's then.
    """
    page = pages.get(record.fields.get(_PAGE, "")) if record.channel == "alert" else None
    if page is None or page.stands_for or page.role not in _CONDITIONS or not found:
        return found
    named = [match for match in found if match.page == page.id]
    if named or not isinstance(found[0].signature, TextSignature):
        return named or found
    kinds = dict.fromkeys((page.entity.kind, "node"))
    templates = {kind: _BY_LABELS[kind] for kind in kinds if kind in _BY_LABELS}
    told = {"id": _PAGE, "entity": templates, "peer": {}, "relation": (), "yields": "event"}
    signature = found[0].signature.model_copy(update=told)
    return [Match(page.id, signature, {})]


def stated_severity(labels: Mapping[str, str]) -> Severity | None:
    """Return how grave an alert calls itself; one that waits or is silenced only informs."""
    if labels.get("status", "") in _NOT_FIRING:
        return "info"
    return _SEVERITIES.get(labels.get("severity", "").lower())


def labelled(labels: Mapping[str, str]) -> dict[str, str]:
    """Return, by kind, the things that the labels name.

    Prometheus' own `job` label is left alone: it names the scraped exporter.
    """
    namespace = labels.get(NAMESPACE, "")
    name = next((labels[key] for key in _JOB_LABELS if labels.get(key)), "")
    slurm = next((labels[key] for key in _SLURM_LABELS if labels.get(key)), "")
    found = {
        "job": f"{namespace}/{name}" if namespace and name else name or normalise("job", slurm),
        "cluster": labels.get("cluster", ""),
        NAMESPACE: namespace,
    }
    return {kind: identity for kind, identity in found.items() if identity}


def hostless(kind: str, labels: Mapping[str, str]) -> bool:
    """Tell whether the host that an alert came by is not the one it speaks of."""
    named = any(labels.get(key) for key in ("node", "Hostname", "hostname", "host", "nodename"))
    return kind in _WIDE or (not named and _SPEAKS_OF_OTHERS in labels.get("job", ""))
