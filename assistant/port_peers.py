"""Ports of the fabric side by side: which one has trained at a lower rate than others like it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median_high

from tools.evidence import Reading

ENOUGH = 3
"""So many others alike have to agree on what is usual: a login host beside one node is just slower.

On one host alone no second one may differ.
"""
_KIND = ("model", "link_layer")
_UP = {"state": "active", "physical_state": "linkup"}


def is_up(reading: Reading) -> bool:
    """Tell whether it is a port that is up and says its rate: one that is down prints a default."""
    if reading.kind != "nic" or not isinstance(reading.values.get("rate_gbps"), float | int):
        return False
    words = {name: str(reading.values.get(name, "")).lower().replace("_", "") for name in _UP}
    return words == _UP


def compare_ports(ports: Sequence[Reading]) -> Iterator[Reading]:
    """Yield the rate of each port as a share of what is usual.

    The usual is that of the same port on other hosts with the same adapter, where enough of them
    agree, or other ports of its own host do; a host of which no other is known is its own measure,
    where all its other ports alike agree.
    """
    same: dict[tuple[object, ...], dict[str, Reading]] = defaultdict(dict)
    own: dict[tuple[object, ...], dict[object, Reading]] = defaultdict(dict)
    for port in ports:
        kind = _kind(port)
        place = (port.values.get("nic"), port.values.get("port"))
        same[(*place, *kind)][port.host] = port
        own[(port.host, *kind)][place] = port
    for group in same.values():
        usual = median_high([_rate(port) for port in group.values()])
        agree = sum(_rate(port) == usual for port in group.values())
        for port in group.values() if len(group) > 1 else ():
            alike = own[(port.host, *_kind(port))].values()
            near = sum(_rate(mate) == usual for mate in alike)
            itself = 2 if _rate(port) == usual else 0
            if agree + near - itself >= ENOUGH:
                yield _beside(port, usual, len(group) - 1)
    alone = {id(port) for group in same.values() if len(group) == 1 for port in group.values()}
    for mates in own.values():
        if all(id(port) in alone for port in mates.values()):
            yield from _odd_one(mates)


def _kind(port: Reading) -> tuple[object, ...]:
    return tuple(port.values.get(name) for name in _KIND)


def _odd_one(mates: Mapping[object, Reading]) -> Iterator[Reading]:
    counts = Counter(_rate(port) for port in mates.values())
    usual, agree = counts.most_common(1)[0]
    if agree < max(ENOUGH, len(mates) - 1):
        return
    for port in mates.values():
        yield _beside(port, usual, agree)


def _rate(port: Reading) -> float:
    rate = port.values["rate_gbps"]
    return float(rate) if isinstance(rate, int | float) else 0.0


def _beside(port: Reading, usual: float, peers: int) -> Reading:
    kept = {name: port.values[name] for name in ("nic", "port", "rate_gbps")}
    share = round(_rate(port) / usual, 3) if usual else 1.0
    told = {**kept, "usual_gbps": usual, "rate_of_peers": share, "peers": peers}
    quotes = {"rate_of_peers": port.quotes["rate_gbps"]} if "rate_gbps" in port.quotes else {}
    return Reading(port.evidence, "nic_peer", port.host, told, port.observed, port.line, quotes)
