"""Reads a Kubernetes API through the user's kubectl, gently.

Whole-cluster lists come as raw pages from the server's watch cache (`resourceVersion=0`), which
costs it milliseconds, within a budget of requests and with longer pauses when it is slow.
"""

from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import quote

import msgspec

from tools.capture import Capture
from tools.commands import quoted
from tools.context import ProbeContext
from tools.shell import Answer

PAGE = 500
UNREACHED = frozenset({"absent", "hung", "failed"})
"""Outcomes of the first question after which no other is asked."""
_TIMEOUT_S = 15
_OVERLOADED = (b"TooManyRequests", b"(429)", b"ServiceUnavailable", b"currently unable to handle")


class _Meta(msgspec.Struct):
    continue_: str = msgspec.field(default="", name="continue")
    uid: str = ""


class _Page(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


class State(msgspec.Struct):
    """What a container's state says, as far as choosing needs it."""

    terminated: dict[str, object] | None = None
    waiting: dict[str, object] | None = None


class ContainerStatus(msgspec.Struct):
    """One container of a pod."""

    name: str
    restartCount: int = 0
    state: State = msgspec.field(default_factory=State)
    lastState: State = msgspec.field(default_factory=State)


class Condition(msgspec.Struct):
    """One condition of a node."""

    type: str
    status: str


class Status(msgspec.Struct):
    """The status of a pod or node."""

    phase: str = ""
    containerStatuses: list[ContainerStatus] = []
    initContainerStatuses: list[ContainerStatus] = []
    conditions: list[Condition] = []


class Owner(msgspec.Struct):
    """What made an object."""

    kind: str
    name: str


class Meta(msgspec.Struct):
    """Names, labels, and whether somebody wants it gone."""

    name: str
    namespace: str = ""
    labels: dict[str, str] = {}
    deletionTimestamp: str = ""
    ownerReferences: list[Owner] = []


class Spec(msgspec.Struct):
    """Placement of a pod, or taints of a node."""

    nodeName: str = ""
    unschedulable: bool = False
    taints: list[dict[str, object]] = []


class Brief(msgspec.Struct):
    """What of a pod or node is needed to choose whose logs and descriptions matter."""

    metadata: Meta
    status: Status = msgspec.field(default_factory=Status)
    spec: Spec = msgspec.field(default_factory=Spec)


class _Briefs(msgspec.Struct):
    items: list[Brief] = []


class Kube:
    """One cluster through kubectl; shared by the probes of one look."""

    def __init__(self, context: ProbeContext) -> None:
        self._context = context

    def argv(self, *words: str) -> list[str]:
        """Write a kubectl command for this cluster."""
        flags = [f"--request-timeout={_TIMEOUT_S}s"]
        if self._context.kube_context:
            flags.append(f"--context={self._context.kube_context}")
        if self._context.kubeconfig:
            flags.append(f"--kubeconfig={self._context.kubeconfig}")
        return ["kubectl", *words, *flags]

    def identify(self) -> Capture:
        """Learn which cluster this is: its context and the uid of kube-system."""
        with self._context.lock("identity"):
            context = self._context
            if context.identity:
                return context.identity
            if not context.kube_context:
                words = ["config", "current-context"]
                answer = context.run([word for word in self.argv(*words) if "timeout" not in word])
                if answer.outcome == "hung":  # some kubectl ask the server even for this
                    context.identity = context.keep(
                        answer, source="kubernetes", path="", target="kubeconfig"
                    )
                    return context.identity
                context.kube_context = answer.stdout.decode().strip()
            capture, content = self._keep("/api/v1/namespaces/kube-system", "k8s/kube-system.json")
            if content and not context.cluster:
                uid = msgspec.json.decode(content, type=_Page).metadata.uid
                context.cluster = f"{context.kube_context}/{uid}"
            context.identity = capture
            return capture

    def pages(self, path: str, name: str, query: str = "") -> Iterator[Capture]:
        """Capture a whole list page by page; the last capture says how it ended."""
        with self._context.lock(path + query):
            token, number = "", 1
            while number == 1 or token:
                start = f"continue={quote(token, safe='')}" if token else "resourceVersion=0"
                url = f"{path}?limit={PAGE}&{start}" + (f"&{query}" if query else "")
                part = f"-{number:04d}" if number > 1 else ""
                capture, content = self._keep(url, f"k8s/{name}{part}.json")
                yield capture
                if capture.outcome != "ok" or not content:
                    return
                token = msgspec.json.decode(content, type=_Page).metadata.continue_
                number += 1

    def briefs(self, path: str, name: str) -> list[Brief]:
        """Give names and states of a list that is captured, or is now."""
        found: list[Brief] = []
        for capture in self.pages(path, name):
            if capture.outcome == "ok" and not capture.truncated:
                content = (self._context.workspace.root / capture.path).read_bytes()
                found += msgspec.json.decode(content, type=_Briefs).items
        return found

    def text(
        self, *words: str, path: str, target: str, requests: int = 1, most_lines: int = 0
    ) -> Capture:
        """Capture what a kubectl command prints: describe, logs (of these, `most_lines` newest)."""
        argv = self.argv(*words)
        if earlier := self._context.workspace.finished("kubernetes", quoted(argv), target):
            return earlier
        answer = self._asked(argv, requests)
        if most_lines and answer.stdout.count(b"\n") >= most_lines:
            answer = replace(answer, truncated=True)
        return self._context.keep(answer, source="kubernetes", path=path, target=target)

    def _keep(self, url: str, path: str) -> tuple[Capture, bytes]:
        argv = self.argv("get", f"--raw={url}")
        target = url.partition("?")[0]
        if earlier := self._context.workspace.finished("kubernetes", quoted(argv), target):
            content = (
                (self._context.workspace.root / earlier.path).read_bytes() if earlier.path else b""
            )
            return earlier, content
        answer = self._asked(argv)
        kept = self._context.keep(answer, source="kubernetes", path=path, target=target)
        return kept, answer.stdout if answer.outcome == "ok" else b""

    def _asked(self, argv: list[str], requests: int = 1) -> Answer:
        budget = self._context.budget
        if not budget.before(requests):
            now = self._context.clock()
            why = f"the budget is spent: {budget.requests} requests, {budget.bytes} bytes"
            return Answer(quoted(argv), now, now, "failed", detail=why)
        answer = self._context.run(argv, limit_s=_TIMEOUT_S + 5)
        overloaded = any(word in answer.stderr for word in _OVERLOADED)
        budget.after(len(answer.stdout), answer.seconds, overloaded=overloaded)
        return answer
