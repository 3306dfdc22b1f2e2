"""What `kubectl get` prints for people: tables of pods, nodes and events."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from tools.command_text import command_lines
from tools.evidence import Instant, Item, ObjectState, Record
from tools.kubernetes_ages import ages_of, before, seconds_of, stamp_of
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.request import Request
from tools.source import Source

Row = Mapping[str, str]
_GAP = compile_late(r"\s{2,}")
_HEADERS = {
    "Pod": {"NAME", "READY", "STATUS", "RESTARTS", "AGE"},
    "Node": {"NAME", "STATUS", "ROLES", "AGE", "VERSION"},
    "Event": {"TYPE", "REASON", "OBJECT", "MESSAGE"},
}
_NAMED = compile_late(r"(?:[a-z][\w.-]*/)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_FORMS = {
    "Pod": {
        "NAME": _NAMED, "READY": compile_late(r"\d+/\d+"), "STATUS": compile_late(r"\w[\w:/.-]*"),
        "RESTARTS": compile_late(r"\d+(?: \(\S+ ago\))?"), "AGE": compile_late(r"[\w<>.]+"),
    },
    "Node": {
        "NAME": _NAMED, "STATUS": compile_late(r"(?:Not)?Ready(?:,\w+)*|Unknown(?:,\w+)*"),
        "VERSION": compile_late(r"v?\d\S*"),
    },
    "Event": {"TYPE": compile_late(r"Normal|Warning"), "OBJECT": compile_late(r"\S+/\S+")},
}  # fmt: skip
"""How the cells are written that tell a row from another line."""
_NAMESPACE = compile_late(r"(?:\s-n|\s--namespace)[= ]?(\S+)")
_RESTARTS = compile_late(r"(\d+)(?: \((\S+) ago\))?")
_KINDS = {
    "pod": "Pod", "node": "Node", "job": "Job", "replicaset": "ReplicaSet",
    "deployment": "Deployment", "daemonset": "DaemonSet", "statefulset": "StatefulSet",
    "cronjob": "CronJob", "persistentvolumeclaim": "PersistentVolumeClaim",
    "persistentvolume": "PersistentVolume",
}  # fmt: skip
_PHASES = {"Pending", "Running", "Succeeded", "Failed", "Unknown"}
_OF_POD = {"Evicted", "NodeLost", "UnexpectedAdmissionError", "OutOfcpu", "OutOfmemory"}
_ENDED = {"Completed", "Error", "OOMKilled", "ContainerCannotRun", "DeadlineExceeded", "StartError"}
_BEFORE_START = {
    "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName",
    "CreateContainerConfigError", "CreateContainerError", "SchedulingGated",
}  # fmt: skip
"""Reasons for which no container of the pod was ever started."""
_PENDING = "Pending"
"""Printed as a state where no kubelet has taken a pod up: then the scheduler has not placed it."""
_UNPLACED: Mapping[str, object] = {
    "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
}
YOUNG_S = 60.0
_UNREADY: Mapping[str, object] = {
    "conditions": [{"type": "Ready", "status": "False", "reason": "ContainersNotReady"}]
}
STARTING_S = 600.0
"""Nobody asks why a pod that is younger than this is not ready yet."""
_EXITS = compile_late(r"(ExitCode|Signal):(\d+)")


class Look(NamedTuple):
    """What all rows of a table share."""

    evidence: str
    taken: datetime | None
    namespace: str
    cluster: str

    @property
    def observed(self) -> Instant | None:
        """When the command ran."""
        return Instant(self.taken) if self.taken else None


class KubectlTableReader:
    """Yields objects as far as a table tells of them, and events by their age."""

    name = "kubectl-table"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:
        """Look for a heading in the first lines."""
        lines = head[:8192].decode("utf-8", "replace").splitlines()[:8]
        likely = (line for line in lines if "NAME" in line or "TYPE" in line)
        return 0.93 if any(kind_of(columns_of(line)) for line in likely) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read one table or several."""
        yield from command_lines(source, request, "kubectl")
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        flag = _NAMESPACE.search(source.capture.command) or _NAMESPACE.search(text[:400])
        capture = source.capture
        look = Look(
            source.evidence,
            capture.ended or capture.started,
            flag.group(1) if flag else "default",
            capture.cluster,
        )
        for kind, row, number in rows_of(text):
            yield from _ROWS[kind](row, number, look)


def columns_of(line: str) -> list[tuple[str, int]]:
    """Split a heading into its columns and where they begin."""
    starts = [0, *(match.end() for match in _GAP.finditer(line.rstrip()))]
    return [
        (_GAP.split(line[start:].strip(), maxsplit=1)[0], start) for start in dict.fromkeys(starts)
    ]


def kind_of(columns: Sequence[tuple[str, int]]) -> str:
    """Tell what a heading lists; empty where it is none."""
    names = {name for name, _ in columns}
    return next((kind for kind, needed in _HEADERS.items() if needed <= names), "")


def rows_of(text: str) -> Iterator[tuple[str, Row, int]]:
    """Yield each row under a heading, by the heading's names."""
    kind, columns = "", list[tuple[str, int]]()
    for number, line in enumerate(text.split("\n"), 1):
        heading = columns_of(line)
        if found := kind_of(heading):
            kind, columns = found, heading
        elif not line.strip():
            kind = ""
        elif kind and (row := row_of(line, kind, columns)):
            yield kind, row, number


def row_of(line: str, kind: str, columns: Sequence[tuple[str, int]]) -> Row | None:
    """Cut a row at its gaps, or where the columns begin if a cell is empty; None for other lines.

    Whoever copied a table may have closed its gaps; then each word is a cell.
    """
    names = [name for name, _ in columns]
    ends = [start for _, start in columns[1:]]
    for cells in (
        _GAP.split(line.strip(), maxsplit=len(names) - 1),
        line.split(),
        [line[s:e].strip() for (_, s), e in zip(columns, [*ends, None], strict=True)],
    ):
        if len(cells) == len(names):
            row = dict(zip(names, cells, strict=True))
            if _fits(kind, row):
                return row
    return None


def _fits(kind: str, row: Row) -> bool:
    """Tell whether what stands below the headings is what they call it."""
    return all(pattern.fullmatch(row[name]) for name, pattern in _FORMS[kind].items())


def _pod(row: Row, number: int, look: Look) -> Iterator[ObjectState]:
    namespace = row.get("NAMESPACE") or look.namespace
    name = row["NAME"].removeprefix("pod/")
    status = row["STATUS"]
    restarts = _RESTARTS.match(row["RESTARTS"])
    container: dict[str, object] = {"state": _container_state(status.rpartition(":")[2])}
    if match := _EXITS.search(status):
        number_ = int(match.group(2)) + (128 if match.group(1) == "Signal" else 0)
        container["state"] = {"terminated": {"exitCode": number_}}
    if restarts:
        container["restartCount"] = int(restarts.group(1))
        age = seconds_of(restarts.group(2) or "")
        last = before(look.taken, restarts.group(2)) if age is not None else None
        if last:
            container["lastState"] = {"terminated": {"finishedAt": stamp_of(last.utc)}}
    where = "initContainerStatuses" if status.startswith("Init:") else "containerStatuses"
    state: dict[str, object] = {"phase": _phase(status, row["READY"]), where: [container]}
    node = row.get("NODE", "").replace("<none>", "")
    if status in _OF_POD:
        state = {"phase": "Failed", "reason": status}
    elif status == _PENDING:
        state = {"phase": status, **({} if node or _is_young(row) else _UNPLACED)}
    elif _is_stuck(row):
        state |= _UNREADY
    spec = {"nodeName": node} if node else {}
    yield _state("Pod", (namespace, name), {"spec": spec, "status": state}, number, look)


def _is_young(row: Row) -> bool:
    """Tell whether a pod may still be on its way; one of unknown age may be."""
    return (seconds_of(row["AGE"]) or 0.0) < YOUNG_S


def _is_stuck(row: Row) -> bool:
    """Tell whether a pod is on its way, or runs without being ready, for longer than a start."""
    status, (ready, _, wanted) = row["STATUS"], row["READY"].partition("/")
    restarts = _RESTARTS.match(row["RESTARTS"])
    since = seconds_of((restarts and restarts.group(2)) or row["AGE"]) or 0.0
    starting = status in {"ContainerCreating", "PodInitializing", "Running"}
    waits = starting or re.fullmatch(r"Init:\d+/\d+", status) is not None
    return waits and int(ready) < int(wanted) and since >= STARTING_S


def _phase(status: str, ready: str) -> str:
    if status in _PHASES:
        return status
    if status == "Completed":
        return "Succeeded"
    starting = status.startswith("Init:") or "Creating" in status
    return _PENDING if starting or (status in _BEFORE_START and ready[:2] == "0/") else "Running"


def _container_state(status: str) -> Mapping[str, object]:
    if status == "Completed":
        return {"terminated": {"reason": status, "exitCode": 0}}
    if status in _ENDED:
        return {"terminated": {"reason": status}}
    return (
        {"running": {}} if status in _PHASES or "/" in status else {"waiting": {"reason": status}}
    )


def _node(row: Row, number: int, look: Look) -> Iterator[ObjectState]:
    words = row["STATUS"].split(",")
    ready = "True" if words[0] == "Ready" else words[0]
    content: dict[str, object] = {
        "spec": {"unschedulable": True} if "SchedulingDisabled" in words else {},
        "status": {
            "conditions": [{"type": "Ready", "status": ready}],
            "nodeInfo": {"kubeletVersion": row["VERSION"]},
        },
    }
    yield _state("Node", ("", row["NAME"].removeprefix("node/")), content, number, look)


def _state(
    kind: str, name: tuple[str, str], content: Mapping[str, object], number: int, look: Look
) -> ObjectState:
    meta = {"name": name[1]} | ({"namespace": name[0]} if name[0] else {})
    whole = {"kind": kind, "metadata": meta, **content}
    return ObjectState(look.evidence, kind, name[0], name[1], "", whole, look.observed, number)


def _event(row: Row, number: int, look: Look) -> Iterator[Record]:
    prefix, _, name = row["OBJECT"].partition("/")
    word = prefix.partition(".")[0].lower()
    kind = _KINDS.get(word, word.capitalize())
    age = row.get("LAST SEEN", "")
    ages = ages_of(age)
    unit, _, host = row.get("SOURCE", "").partition(", ")
    first = row.get("FIRST SEEN") or (f"{ages.first:.0f}s" if ages.first is not None else "")
    since = before(look.taken, first)
    fields = {
        "reason": row["REASON"],
        "type": row["TYPE"],
        "kind": kind,
        "namespace": "" if kind == "Node" else row.get("NAMESPACE") or look.namespace,
        "name": name,
        "count": row.get("COUNT") or ages.repeats,
        "first_time": stamp_of(since.utc) if since else "",
        "node": host or (name if kind == "Node" else ""),
        "pod": name if kind == "Pod" else "",
    }
    yield Record(
        look.evidence,
        "event",
        masked(row["MESSAGE"]),
        number,
        before(look.taken, age),
        f"host:{host}" if host else f"api:{look.cluster}",
        host,
        unit,
        {key: value for key, value in fields.items() if value},
    )


_ROWS: Mapping[str, Callable[[Row, int, Look], Iterator[Item]]] = {
    "Pod": _pod,
    "Node": _node,
    "Event": _event,
}
READER = KubectlTableReader()
