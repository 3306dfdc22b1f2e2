"""A report that names only a device's place becomes one of the device, where that is told apart."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from assistant.burst import Burst
from assistant.topology import Key, Topology
from knowledge.page import Page

DEVICES = frozenset({"gpu", "nvlink", "nvswitch", "pcie_port", "nic", "disk", "psu", "sensor"})
_PLACES = frozenset({"node", "pod", "container", "rank", "process"})


def pin(bursts: Sequence[Burst], pages: Mapping[str, Page], names: Topology) -> list[Burst]:
    """Give each vague report of a device's condition to the one device of its host that has it.

    A program says that a port failed and not which; another source shows one port of the host with
    the same condition. With two of them the report stays where it is.
    """
    known = _devices(bursts, pages, names)
    return [_pinned(burst, pages[burst.page], known, names) for burst in bursts]


def _devices(
    bursts: Iterable[Burst], pages: Mapping[str, Page], names: Topology
) -> Mapping[tuple[str, str], set[Key]]:
    found: dict[tuple[str, str], set[Key]] = defaultdict(set)
    for burst in bursts:
        if burst.entity[0] in DEVICES and burst.entity[0] == pages[burst.page].entity.kind:
            for node in _nodes(burst, names):
                found[burst.page, node].add(burst.entity)
    return found


def _pinned(
    burst: Burst, page: Page, known: Mapping[tuple[str, str], set[Key]], names: Topology
) -> Burst:
    if page.entity.kind not in DEVICES or burst.entity[0] not in _PLACES:
        return burst
    nodes = _nodes(burst, names)
    seen = set[Key]().union(*(known.get((burst.page, node), set()) for node in nodes))
    if len(nodes) != 1 or len(seen) != 1:
        return burst
    device = next(iter(seen))
    return replace(burst, entity=device, anchors={*burst.anchors, device})


def _nodes(burst: Burst, names: Topology) -> set[str]:
    said = {names.alias("node", name) for kind, name in burst.anchors if kind == "node"}
    return said or {a.id for a in names.closure(*burst.entity) if a.kind == "node"}
