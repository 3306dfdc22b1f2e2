"""GPUs that stopped computing although a program still holds their memory."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from tools.evidence import Reading

BUSY_PERCENT = 80.0
HELD_MIB = 1024.0
"""So much memory a program holds, not the driver."""
FELL_S, FELL_LOOKS = 300.0, 3
"""For so long, at so many looks on end, a GPU did nothing that had been busy before."""
BESIDE_S, BESIDE_LOOKS = 60.0, 2
"""The same where GPUs with as much memory in use, on the same host, stayed busy."""
_ALIKE = 0.25
"""Ranks of one job hold about as much memory."""
_KEPT = ("uuid", "bdf", "index", "name", "memory_used_mib")
_Look = tuple[float, float, float, Reading]
"""When, use in percent, memory in MiB, and the reading itself."""
_Looks = Sequence[_Look]


class IdleGpus:
    """Looks at GPUs, by host and GPU."""

    def __init__(self) -> None:
        self._hosts: dict[str, dict[object, list[_Look]]] = defaultdict(lambda: defaultdict(list))

    def learn(self, reading: Reading) -> None:
        """Keep a look that tells use and memory."""
        values = reading.values
        use, held = values.get("utilization_percent"), values.get("memory_used_mib")
        name = values.get("uuid") or values.get("bdf") or values.get("index")
        if reading.kind != "gpu" or reading.observed is None or name is None:
            return
        if isinstance(use, int | float) and isinstance(held, int | float):
            at = reading.observed.utc.timestamp()
            self._hosts[reading.host][name].append((at, float(use), float(held), reading))

    def found(self) -> Iterator[Reading]:
        """Yield those that do nothing up to their last look, with what speaks for a fault."""
        for cards in self._hosts.values():
            for looks in cards.values():
                looks.sort(key=lambda look: look[0])
            for name, looks in cards.items():
                idle = _last_idle(looks)
                if not idle or min(held for _, _, held, _ in idle) < HELD_MIB:
                    continue
                lasted = idle[-1][0] - idle[0][0]
                before = max((use for _, use, _, _ in looks[: -len(idle)]), default=0.0)
                fell = lasted >= FELL_S and len(idle) >= FELL_LOOKS and before >= BUSY_PERCENT
                others = [row for other, row in cards.items() if other != name]
                beside = sum(_stayed_busy(row, idle) for row in others)
                if fell or (beside and lasted >= BESIDE_S and len(idle) >= BESIDE_LOOKS):
                    yield _told(idle[0][3], lasted, before, beside)


def _stayed_busy(looks: _Looks, idle: _Looks) -> bool:
    """Tell whether a GPU that holds as much memory was busy each time in between."""
    held = idle[-1][2]
    near = [look for look in looks if idle[0][0] - 1 <= look[0] <= idle[-1][0] + 1]
    return len(near) >= BESIDE_LOOKS and all(
        use >= BUSY_PERCENT and abs(mib - held) <= _ALIKE * held for _, use, mib, _ in near
    )


def _last_idle(looks: _Looks) -> _Looks:
    first = len(looks)
    while first and looks[first - 1][1] == 0:
        first -= 1
    return looks[first:]


def _told(reading: Reading, lasted: float, before: float, beside: int) -> Reading:
    values = {name: reading.values[name] for name in _KEPT if name in reading.values}
    told = {**values, "idle_s": lasted, "percent_before": before, "busy_beside": beside}
    quotes = {k: v for k, v in reading.quotes.items() if k == "utilization_percent"}
    return Reading(
        reading.evidence, "gpu_idle", reading.host, told, reading.observed, reading.line, quotes
    )
