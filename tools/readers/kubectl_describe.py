"""`kubectl describe`: text for people, with the object's events at its end."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from tools.command_text import command_lines
from tools.evidence import Instant, Item, Record
from tools.masks import masked
from tools.request import Request
from tools.source import Source

_TOP = re.compile(r"^([A-Z][\w ()-]*): +(\S.*)$", re.MULTILINE)
_START = re.compile(rb"^Name: +\S", re.MULTILINE)
_MARKS = (b"\nNamespace:", b"\nLabels:", b"\nAnnotations:", b"\nRoles:", b"\nConditions:")
_EVENT = re.compile(
    r"^ +(Normal|Warning) {2,}(\S+) {2,}(\S+(?: \(x\d+ over \S+\))?|<\w+>) {2,}(\S+) {2,}(.*)$",
    re.MULTILINE,
)
_AGE = re.compile(r"(\d+)([dhms])")
_COUNT = re.compile(r"\(x(\d+) over (\S+)\)")
_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}


class DescribeReader:
    """Yields the events as records, dated by their age where the capture's time is known."""

    name = "kubectl-describe"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:  # noqa: ARG002  # the content decides
        """Look for the headings that each description begins with."""
        if not _START.match(head.lstrip()):
            return 0.0
        found = sum(1 for mark in _MARKS if mark in head)
        return 0.92 if found >= 2 else 0.0  # noqa: PLR2004

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read one description or several."""
        yield from command_lines(source, request, "kubectl")
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        for part in re.split(r"\n(?=Name: +\S)", text):
            yield from _events(part, source)


def _events(text: str, source: Source) -> Iterator[Record]:
    heads = dict(reversed(_TOP.findall(text)))
    taken = source.capture.ended or source.capture.started
    kind = "Node" if "Roles" in heads or "\nCapacity:" in text else "Pod"
    kind = kind if "\nContainers:" in text or kind == "Node" else ""
    namespace = heads.get("Namespace", "")
    shared = {"kind": kind, "name": heads.get("Name", ""), "namespace": namespace}
    node = heads.get("Node", "").partition("/")[0]
    if kind == "Pod":
        shared |= {"pod": shared["name"], "node": node}
    elif kind == "Node":
        shared |= {"node": shared["name"], "namespace": ""}
    for type_, reason, age, unit, message in _EVENT.findall(text):
        last, first, count = _ages(age)
        fields = {**shared, "type": type_, "reason": reason, "count": count}
        if taken and first is not None:
            since = taken - timedelta(seconds=first)
            fields["first_time"] = since.isoformat().replace("+00:00", "Z")
        host = fields.get("node", "") if unit == "kubelet" else ""
        yield Record(
            source.evidence,
            "event",
            masked(message.strip()),
            0,
            _before(taken, last, age) if taken and last is not None else None,
            f"host:{host}" if host else f"api:{source.capture.cluster}",
            host,
            unit,
            {key: value for key, value in fields.items() if value},
        )


def _before(taken: datetime, seconds: float, age: str) -> Instant:
    return Instant(taken - timedelta(seconds=seconds), _coarseness(age), "stated", age)


def _ages(text: str) -> tuple[float | None, float | None, str]:
    """Read ``3m1s (x6 over 120m)``: (seconds since the last, since the first, count)."""
    last = _seconds(text.partition(" ")[0])
    match = _COUNT.search(text)
    return (last, _seconds(match.group(2)), match.group(1)) if match else (last, last, "1")


def _seconds(text: str) -> float | None:
    parts = _AGE.findall(text)
    return float(sum(int(number) * _UNITS[unit] for number, unit in parts)) if parts else None


def _coarseness(text: str) -> float:
    """Tell by how much an age can be off: its smallest unit."""
    units = [unit for _, unit in _AGE.findall(text.partition(" ")[0])]
    return float(_UNITS[units[-1]]) if units else 0.0


READER = DescribeReader()
