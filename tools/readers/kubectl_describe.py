"""`kubectl describe`: text for people, with the object's state and its events at the end."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from tools.command_text import command_lines
from tools.described import Part, find_part, node_of, pod_of, tree_of
from tools.evidence import Instant, Item, ObjectState, Record
from tools.kubernetes_ages import ages_of, before, stamp_of
from tools.last_words import last_words
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.request import Request
from tools.source import Source

_NEXT = compile_late(r"\n(?=Name: +\S)")
_START = compile_late(rb"^Name: +\S", re.MULTILINE)
_MARKS = tuple(
    f"\n{heading}:".encode()
    for heading in ("Namespace", "Labels", "Annotations", "Roles", "Conditions", "Status", "Events")
)
AT_MARGIN = r"(?:Mounting (?:command|arguments): |Output: |nvidia-container-cli: )"
"""How the further lines of a mount's or a hook's failure begin: without any indentation."""
_EVENT = compile_late(
    r"^ +(Normal|Warning) {2,}(\S+) {2,}(\S+(?: \(x\d+ over \S+\))?|<\w+>) {2,}(\S+) {2,}"
    rf"(.*(?:\n{AT_MARGIN}.*)*)$",
    re.MULTILINE,
)


class DescribeReader:
    """Yields the object, and its events, dated by their age where the capture's time is known."""

    name = "kubectl-describe"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the headings that each description begins with."""
        if not _START.match(head.lstrip()):
            return 0.0
        found = sum(1 for mark in _MARKS if mark in head)
        return 0.92 if found >= 2 else 0.0  # noqa: PLR2004  # one heading alone may be chance

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read one description or several."""
        yield from command_lines(source, request, "kubectl")
        text = source.whole().decode("utf-8", "replace").replace("\r\n", "\n")
        line = 1 + (len(text) - len(text.lstrip("\n")))
        for part in _NEXT.split(text.lstrip("\n")):
            described = Described(part, tree_of(part), line, source)
            yield from described.state()
            yield from described.events()
            line += part.count("\n") + 1


@dataclass(frozen=True)
class Described:
    """One object's description."""

    text: str
    top: Part
    line: int
    """Where it begins in the capture."""
    source: Source

    @property
    def kind(self) -> str:
        """What is described; empty for kinds that no page asks for."""
        parts = self.top.parts
        if "Roles" in parts or "Capacity" in parts:
            return "Node"
        return "Pod" if "Containers" in parts else ""

    @property
    def taken(self) -> datetime | None:
        """When it was captured."""
        return self.source.capture.ended or self.source.capture.started

    def state(self) -> Iterator[ObjectState | Record]:
        """Yield the object as far as its description tells, and its containers' last words."""
        if not self.kind:
            return
        content = pod_of(self.top) if self.kind == "Pod" else node_of(self.top)
        namespace = self.top.at("Namespace").value if self.kind == "Pod" else ""
        state = ObjectState(
            self.source.evidence,
            self.kind,
            namespace,
            self.top.at("Name").value,
            "",
            content,
            Instant(self.taken) if self.taken else None,
            self.line,
            self._locate,
        )
        yield state
        yield from last_words(state, self.source.capture.cluster)

    def _locate(self, steps: tuple[str | int, ...]) -> int:
        part = find_part(self.top, steps)
        return self.line + part.line if part else self.line

    def events(self) -> Iterator[Record]:
        """Yield the events at the description's end."""
        for match in _EVENT.finditer(self.text):
            type_, reason, age, unit, message = match.groups()
            ages = ages_of(age)
            fields = {**self._about(), "type": type_, "reason": reason, "count": ages.repeats}
            if self.taken and ages.first is not None:
                fields["first_time"] = stamp_of(self.taken - timedelta(seconds=ages.first))
            host = fields.get("node", "") if unit == "kubelet" else ""
            yield Record(
                self.source.evidence,
                "event",
                masked(message.strip()),
                self.line + self.text.count("\n", 0, match.start()),
                before(self.taken, age),
                f"host:{host}" if host else f"api:{self.source.capture.cluster}",
                host,
                unit,
                {key: value for key, value in fields.items() if value},
            )

    def _about(self) -> dict[str, str]:
        name, namespace = self.top.at("Name").value, self.top.at("Namespace").value
        shared = {"kind": self.kind, "name": name, "namespace": namespace}
        if self.kind == "Pod":
            return shared | {"pod": name, "node": self._node()}
        return shared | {"node": name, "namespace": ""} if self.kind == "Node" else shared

    def _node(self) -> str:
        node = self.top.at("Node").value.partition("/")[0]
        return "" if node == "<none>" else node


READER = DescribeReader()
