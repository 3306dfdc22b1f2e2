"""Things under the same load side by side: who is slow shows only against its peers."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median_high

from assistant.gpu_rosters import GpuRosters
from assistant.idle_gpus import IdleGpus
from assistant.port_peers import compare_ports, is_up
from tools.evidence import ObjectState, Reading

BUSY_PERCENT = 80.0
"""From here on a GPU counts as under load."""
TOGETHER_S = 3600
"""Looks within the same hour see the same load."""
_SHARES: Mapping[str, str] = {"power_w": "power_of_peers", "sm_clock_mhz": "clock_of_peers"}
_KEPT = ("uuid", "bdf", "index", "name", "utilization_percent", "active_clock_reasons")


class Peers:
    """Readings of GPUs under load, by model and by the hour in which they were looked at.

    And what NCCL was set up with on each host, by the size of the job; and ports that are up.
    """

    def __init__(self) -> None:
        self._alike: dict[tuple[object, int], list[Reading]] = defaultdict(list)
        self._set_up: dict[object, list[Reading]] = defaultdict(list)
        self._idle = IdleGpus()
        self._rosters = GpuRosters()
        self._ports: list[Reading] = []

    def learn(self, reading: Reading) -> None:
        """Keep a reading of a GPU that is under load, or of a communicator's setup."""
        self._idle.learn(reading)
        self._rosters.learn(reading)
        if reading.kind == "nccl" and "network" in reading.values:
            self._set_up[reading.values.get("ranks") or reading.evidence].append(reading)
        if is_up(reading):
            self._ports.append(reading)
        use = reading.values.get("utilization_percent") if reading.kind == "gpu" else None
        name = reading.values.get("name")
        if isinstance(use, int | float) and use >= BUSY_PERCENT and name and reading.observed:
            hour = int(reading.observed.utc.timestamp()) // TOGETHER_S
            self._alike[name, hour].append(reading)

    def learn_object(self, state: ObjectState) -> None:
        """Keep how many GPUs a node should have."""
        self._rosters.learn_object(state)

    def compared(self) -> Iterator[Reading]:
        """Yield power and clock of each, as shares of what is usual among them.

        The usual is the upper median, so that of two the faster one sets the measure.
        """
        for group in self._alike.values():
            usual = {value: _usual(group, value) for value in _SHARES}
            for reading in group if len(group) > 1 else ():
                if shares := _shares(reading, usual):
                    yield _beside(reading, shares, len(group) - 1)
        for setups in self._set_up.values():
            yield from _other_networks(setups)
        yield from self._idle.found()
        yield from self._rosters.found()
        yield from compare_ports(self._ports)


def _other_networks(setups: Sequence[Reading]) -> Iterator[Reading]:
    """Yield of each host of a job its network, where another host of it uses another one."""
    used = {str(each.values["network"]) for each in setups}
    for each in setups if len(used) > 1 else ():
        own = str(each.values["network"])
        told = {"network": own, "network_of_peers": ",".join(sorted(used - {own}))}
        quotes = {name: said for name, said in each.quotes.items() if name == "network"}
        yield Reading(each.evidence, "nccl_peer", each.host, told, each.observed, each.line, quotes)


def _usual(group: Sequence[Reading], value: str) -> float:
    shown = [v for each in group if isinstance(v := each.values.get(value), int | float)]
    return median_high(shown) if len(shown) > 1 else 0.0


def _shares(reading: Reading, usual: Mapping[str, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for value, share in _SHARES.items():
        own = reading.values.get(value)
        if isinstance(own, int | float) and usual[value] > 0:
            found[share] = round(own / usual[value], 3)
    return found


def _beside(reading: Reading, shares: Mapping[str, float], peers: int) -> Reading:
    values = {name: reading.values[name] for name in _KEPT if name in reading.values}
    quotes = {
        share: reading.quotes[value] for value, share in _SHARES.items() if value in reading.quotes
    }
    told = {**values, **shares, "peers": peers}
    return Reading(
        reading.evidence, "gpu_peer", reading.host, told, reading.observed, reading.line, quotes
    )
