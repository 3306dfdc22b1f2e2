"""How many GPUs answer on a host, beside how many it should have."""

from collections.abc import Iterator

from assistant.object_content import map_at, word_at
from tools.evidence import ObjectState, Reading
from tools.numerals import whole

_LABEL, _RESOURCE = "nvidia.com/gpu.count", "nvidia.com/gpu"


class GpuRosters:
    """The latest count of each host, and what its node object or an inventory says of it."""

    def __init__(self) -> None:
        self._counted: dict[str, tuple[float, int, Reading]] = {}
        self._stated: dict[str, int] = {}
        self._offered: dict[str, int] = {}

    def learn(self, reading: Reading) -> None:
        """Keep what a whole report of a host's GPUs counts; a report of one card counts all."""
        if reading.kind != "gpu_host":
            return
        count = reading.values.get("attached", reading.values.get("gpu_count"))
        at = reading.observed.utc.timestamp() if reading.observed else 0.0
        if isinstance(count, int) and at >= self._counted.get(reading.host, (at,))[0]:
            self._counted[reading.host] = (at, count, reading)

    def learn_object(self, state: ObjectState) -> None:
        """Keep what an inventory or a label states, and what a node offers as its capacity."""
        if state.kind == "Topology":
            count = state.content.get("gpu_count")
            if isinstance(count, int):
                self._stated[state.name] = count
        if state.kind == "Node":
            label = whole(word_at(map_at(state.content, "metadata", "labels"), _LABEL))
            offer = whole(word_at(map_at(state.content, "status", "capacity"), _RESOURCE))
            if label is not None:
                self._stated.setdefault(state.name, label)
            if offer is not None:
                self._offered[state.name] = offer

    def found(self) -> Iterator[Reading]:
        """Yield those hosts of which both is known.

        A capacity several times the cards is a way of sharing them, and none that are missing.
        """
        for host, (_, count, reading) in self._counted.items():
            name = host if host in self._stated or host in self._offered else host.split(".", 1)[0]
            wanted = self._stated.get(name, 0)
            if not wanted and self._offered.get(name, 0) < 2 * count:
                wanted = self._offered.get(name, 0)
            if wanted:
                told: dict[str, str | float | int | bool | None] = {
                    "host": host,
                    "found": count,
                    "expected": wanted,
                }
                yield Reading(reading.evidence, "gpu_roster", host, told, reading.observed)
