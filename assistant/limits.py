"""What the containers of a pod are allowed, as its specification says."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from assistant.burst import Place
from assistant.identity import normalise
from assistant.topology import Key
from knowledge.conditions import lookup
from tools.evidence import ObjectState


class Limit(NamedTuple):
    """One value of one container."""

    container: str
    resource: str
    value: str
    place: Place

    def field(self) -> Mapping[str, str]:
        """Return it as a field of an event."""
        return {f"{self.resource.replace('-', '_')}_limit": self.value}


class Limits:
    """Learns limits from pods as they pass, and the names that container ids stand for."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[Limit, ...]] = {}
        self._names: dict[str, str] = {}

    def learn(self, state: ObjectState) -> None:
        """Take what a pod's own fields state."""
        if state.kind != "Pod":
            return
        if found := tuple(_limits(state)):
            self._of[f"{state.namespace}/{state.name}"] = found
        for status in _maps(lookup(state.content, "status.containerStatuses")):
            identity = normalise("container", str(status.get("containerID") or ""))
            self._names[identity] = str(status.get("name", ""))

    def find(self, resource: str, pod: str, container: str, things: Iterable[Key]) -> Limit | None:
        """Return the limit of a pod's container; of an unnamed one only where the pod has one.

        Args:
            resource: memory, ephemeral-storage…
            pod: NAMESPACE/NAME.
            container: its name, where known.
            things: what else the evidence names; a container's id stands for its name.
        """
        ids = (name for kind, name in things if kind == "container")
        name = container or next((self._names[one] for one in ids if one in self._names), "")
        mine = [limit for limit in self._of.get(pod, ()) if limit.resource == resource]
        if name:
            mine = [limit for limit in mine if limit.container == name]
        return mine[0] if len(mine) == 1 else None


def _limits(state: ObjectState) -> Iterator[Limit]:
    for number, container in enumerate(_maps(lookup(state.content, "spec.containers"))):
        limits = lookup(container, "resources.limits")
        for resource, value in limits.items() if isinstance(limits, Mapping) else ():
            steps = ("spec", "containers", number, "resources", "limits", str(resource))
            line = state.locate(steps) if state.locate else 0
            path = f"spec.containers[{number}].resources.limits.{_step(str(resource))}"
            text = f"Pod {state.namespace}/{state.name}: {path}={value}"
            place = Place(state.evidence, line or state.line, text)
            yield Limit(str(container.get("name", "")), str(resource), str(value), place)


def _step(name: str) -> str:
    return f'"{name}"' if "." in name else name


def _maps(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list | tuple):
        yield from (item for item in value if isinstance(item, Mapping))
