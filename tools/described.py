"""Rebuilds objects from what `kubectl describe` prints of them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime

from tools.kubernetes_ages import stamp_of
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.numerals import whole

Content = dict[str, object]
_PAIR = compile_late(r"( *)([^\s:][^:]*?):(?:\s+(.*))?$")
_GAP = compile_late(r"\s{2,}")
_TAINT = compile_late(r"([^=:\s]+)(?:=([^:\s]*))?:(\w+)$")
_NAMES = {
    "Reason": "reason", "Message": "message", "Exit Code": "exitCode", "Signal": "signal",
    "Started": "startedAt", "Finished": "finishedAt",
}  # fmt: skip
_STATES = {"state": "State", "lastState": "Last State"}
_HEADINGS = {
    **{key: heading for heading, key in _NAMES.items()},
    "restartCount": "Restart Count", "ready": "Ready", "containerID": "Container ID",
}  # fmt: skip
_NODE_COLUMNS = (
    "type", "status", "lastHeartbeatTime", "lastTransitionTime", "reason", "message",
)  # fmt: skip


@dataclass
class Part:
    """One heading of a description: its value, what stands below it, and loose lines."""

    value: str = ""
    parts: "dict[str, Part]" = field(default_factory=dict)
    loose: list[str] = field(default_factory=list)
    line: int = 0
    """Lines before its heading."""

    def at(self, name: str) -> "Part":
        """Go one level down; an empty part where there is none."""
        return self.parts.get(name) or Part()


def tree_of(text: str) -> Part:
    """Read the indented tree of a description."""
    top = Part()
    open_parts: list[tuple[int, Part]] = [(-1, top)]
    for number, line in enumerate(text.splitlines()):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip(" "))
        if not indent and number and not line[0].isupper():
            _go_on(open_parts[-1][1], line)
            continue
        while open_parts[-1][0] >= indent:
            open_parts.pop()
        above = open_parts[-1][1]
        match = _PAIR.match(line)
        if match is None:
            above.loose.append(line.strip())
            continue
        found = Part((match.group(3) or "").strip(), line=number)
        part = above.parts.setdefault(match.group(2), found)
        open_parts.append((indent, part))
    return top


def _go_on(part: Part, line: str) -> None:
    """Take a line that no heading can be as more of the last value, which was printed as it is."""
    part.value = f"{part.value}\n{line}"


def pod_of(top: Part) -> Content:
    """Rebuild a pod, as far as its description tells."""
    node = _value(top, "Node").partition("/")[0]
    containers = top.at("Containers").parts
    status: Content = _given(
        phase=_value(top, "Status"),
        reason=_value(top, "Reason"),
        message=_value(top, "Message"),
        startTime=_moment(_value(top, "Start Time")),
    )
    status["conditions"] = [
        {"type": kind, "status": state}
        for kind, state in _rows(top.at("Conditions"), 2)
        if kind != "Type"
    ]
    status["containerStatuses"] = [_container_status(*pair) for pair in containers.items()]
    if begun := top.at("Init Containers").parts:
        status["initContainerStatuses"] = [_container_status(*pair) for pair in begun.items()]
    spec = _given(nodeName=node)
    spec["containers"] = [_container(*pair) for pair in containers.items()]
    return {"kind": "Pod", "metadata": _metadata(top), "spec": spec, "status": status}


def find_part(top: Part, steps: Sequence[str | int]) -> Part | None:
    """Return the heading under which a description says what a pod's field holds."""
    below: tuple[str, ...]
    match [step if (n := whole(str(step))) is None else n for step in steps]:
        case ["spec", "containers", int(number), "resources", str(key), str(name)]:
            below = (key.capitalize(), name)
        case ["status", "containerStatuses", int(number), "state" | "lastState" as key, *inner]:
            below = (_STATES[key], *(_HEADINGS[one] for one in inner[1:] if one in _HEADINGS))
        case ["status", "containerStatuses", int(number), str(key)] if key in _HEADINGS:
            below = (_HEADINGS[key],)
        case _:
            return None
    containers = list(top.at("Containers").parts.values())
    part = containers[number] if number < len(containers) else Part()
    for name in below:
        part = part.at(name)
    return part if part.value else None


def node_of(top: Part) -> Content:
    """Rebuild a node, as far as its description tells."""
    spec: Content = {"unschedulable": True} if _value(top, "Unschedulable") == "true" else {}
    if taints := list(_taints(top.at("Taints"))):
        spec["taints"] = taints
    status: Content = {
        "conditions": [
            _condition(row)
            for row in _rows(top.at("Conditions"), len(_NODE_COLUMNS))
            if row[0] not in {"Type", "----"}
        ]
    }
    for heading in ("Capacity", "Allocatable"):
        if parts := top.at(heading).parts:
            status[heading.lower()] = {name: part.value for name, part in parts.items()}
    return {"kind": "Node", "metadata": _metadata(top), "spec": spec, "status": status}


def _metadata(top: Part) -> Content:
    meta = _given(
        name=_value(top, "Name"),
        namespace=_value(top, "Namespace"),
        creationTimestamp=_moment(_value(top, "CreationTimestamp")),
    )
    labels = [text.partition("=") for text in (top.at("Labels").value, *top.at("Labels").loose)]
    if found := {key: masked(value) for key, equals, value in labels if equals}:
        meta["labels"] = found
    kind, slash, name = _value(top, "Controlled By").partition("/")
    if slash:
        meta["ownerReferences"] = [{"kind": kind, "name": name}]
    return meta


def _container(name: str, part: Part) -> Content:
    found = {"name": name} | _given(image=part.at("Image").value)
    resources: Content = {
        key.lower(): {resource: inner.value for resource, inner in part.at(key).parts.items()}
        for key in ("Limits", "Requests")
        if part.at(key).parts
    }
    return found | ({"resources": resources} if resources else {})


def _container_status(name: str, part: Part) -> Content:
    status: Content = {"name": name}
    for key, heading in _STATES.items():
        if word := part.at(heading).value:
            status[key] = {word.lower(): _state(part.at(heading))}
    if ready := part.at("Ready").value:
        status["ready"] = ready == "True"
    if (count := whole(part.at("Restart Count").value)) is not None:
        status["restartCount"] = count
    return status | _given(containerID=part.at("Container ID").value)


def _state(part: Part) -> Content:
    found: Content = {}
    for name, inner in part.parts.items():
        key = _NAMES.get(name)
        if key in {"exitCode", "signal"} and (code := whole(inner.value)) is not None:
            found[key] = code
        elif key in {"startedAt", "finishedAt"}:
            found |= _given(**{key: _moment(inner.value)})
        elif key:
            found[key] = masked(inner.value)
    return found


def _condition(row: list[str]) -> Content:
    pairs = dict(zip(_NODE_COLUMNS, row, strict=False))
    for key in ("lastHeartbeatTime", "lastTransitionTime"):
        pairs[key] = _moment(pairs.get(key, ""))
    return _given(**pairs)


def _rows(part: Part, columns: int) -> Iterator[list[str]]:
    for line in part.loose:
        row = _GAP.split(line, maxsplit=columns - 1)
        if len(row) > 1:
            yield row


def _taints(part: Part) -> Iterator[Mapping[str, str]]:
    for text in (part.value, *part.loose):
        if match := _TAINT.match(text):
            key, value, effect = match.groups()
            yield {"key": key} | ({"value": value} if value else {}) | {"effect": effect}


def _value(top: Part, name: str) -> str:
    value = top.at(name).value
    return "" if value in {"<none>", "<unset>"} else masked(value)


def _moment(text: str) -> str:
    """Read the time that kubectl writes for people."""
    with suppress(ValueError, TypeError):
        moment = parsedate_to_datetime(text)
        if moment.utcoffset() is not None:
            return stamp_of(moment.astimezone(UTC))
    return ""


def _given(**pairs: str) -> Content:
    return {key: value for key, value in pairs.items() if value}
