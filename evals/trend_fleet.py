"""Weeks of samples of healthy fleets, with all that looks like wear, and of ailing ones.

Healthy fleets hold chronic devices, bursts over several days, resets by reboots, maintenance that
hits a whole switch, a season, jobs that heat their nodes, and exporters that were away.
"""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

DAY_S = 86400.0
PER_DAY = 4
"""Samples a day: what the hourly query gives, thinned."""
GPUS_PER_NODE = 8
Labels = tuple[str, str]
"""Host and device."""


@dataclass(frozen=True)
class Ailment:
    """One device that wears: from when on, when it breaks, and on which signal it shows."""

    signal: str
    device: int
    onset_day: float
    breaks_after_days: float


@dataclass
class Fleet:
    """Values of each signal by device, every six hours; None where nothing was scraped."""

    days: int
    values: dict[str, dict[Labels, list[float | None]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Habit:
    """How often a device of one kind counts, and how much at once."""

    share: float
    bursts_a_day: float
    size: float


_HABITS: Mapping[str, tuple[Habit, ...]] = {
    "trend-ecc-correctable": (Habit(0.9, 0.002, 2), Habit(0.08, 0.05, 3), Habit(0.02, 1.0, 4)),
    "trend-row-remaps": (Habit(1.0, 0.0005, 1),),
    "trend-pcie-replays": (Habit(0.95, 0.01, 5), Habit(0.04, 0.1, 40), Habit(0.01, 2.0, 25)),
    "trend-link-errors": (Habit(0.9, 0.02, 8), Habit(0.08, 0.2, 30), Habit(0.02, 3.0, 20)),
    "trend-nvlink-errors": (Habit(0.96, 0.005, 6), Habit(0.04, 0.15, 30)),
}
SIGNALS = (*_HABITS, "trend-gpu-temperature")
_RESETS = frozenset({"trend-pcie-replays", "trend-link-errors", "trend-nvlink-errors"})
"""Counters that begin anew with a boot."""
_LINGERS = 0.3
"""How likely a burst goes on the next day."""
_BOOTS_A_DAY, _AWAY_A_DAY = 0.04, 0.02
_WEAR: Mapping[str, tuple[float, float]] = {
    "trend-ecc-correctable": (0.7, 1.3),
    "trend-row-remaps": (0.5, 1.05),
    "trend-pcie-replays": (15.0, 1.35),
    "trend-link-errors": (15.0, 1.35),
    "trend-nvlink-errors": (15.0, 1.35),
}
"""Counts on the first day of wear, and by how much they grow from day to day."""
_DEGREES_A_DAY = 0.8


def make_fleet(rng: random.Random, nodes: int, days: int, ill: Ailment | None = None) -> Fleet:
    """Draw a fleet; one with an ailment differs from a healthy one in that device only."""
    fleet = Fleet(days)
    wear = random.Random(rng.random())  # a stream of its own: all others draw what they would have
    hosts = [f"gpu-{number:03d}" for number in range(nodes)]
    devices = [(host, f"{host.upper()}-{n}") for host in hosts for n in range(GPUS_PER_NODE)]
    boots = {host: _moments(rng, days, _BOOTS_A_DAY) for host in hosts}
    away = {host: _moments(rng, days, _AWAY_A_DAY) for host in hosts}
    for signal in _HABITS:
        common = _maintenance(rng, days) if signal == "trend-link-errors" else {}
        fleet.values[signal] = {}
        for place, labels in enumerate(devices):
            counts = _counts(rng, signal, days)
            if common and place % (4 * GPUS_PER_NODE) < GPUS_PER_NODE:
                counts = [a + common.get(step, 0.0) for step, a in enumerate(counts)]
            if ill and (signal, place) == (ill.signal, ill.device):
                counts = [a + b for a, b in zip(counts, _worn(wear, ill, days), strict=True)]
            resets = boots[labels[0]] if signal in _RESETS else frozenset()
            fleet.values[signal][labels] = _hide(_counted(counts, resets), away[labels[0]])
    heat = _heat(rng, devices, days)
    for place, labels in enumerate(devices):
        if ill and ("trend-gpu-temperature", place) == (ill.signal, ill.device):
            heat[labels] = _heated(heat[labels], ill)
    fleet.values["trend-gpu-temperature"] = {k: _hide(v, away[k[0]]) for k, v in heat.items()}
    return fleet


def _moments(rng: random.Random, days: int, a_day: float) -> frozenset[int]:
    steps = days * PER_DAY
    return frozenset(step for step in range(steps) if rng.random() < a_day / PER_DAY)


def _counts(rng: random.Random, signal: str, days: int) -> list[float]:
    """Draw what a device counts in each step: bursts that may go on for days."""
    habit = rng.choices(_HABITS[signal], [one.share for one in _HABITS[signal]])[0]
    own = habit.bursts_a_day * rng.lognormvariate(0, 0.7)
    counts = [0.0] * (days * PER_DAY)
    for first in _moments(rng, days, own):
        step = first
        while step < len(counts):
            counts[step] += max(1.0, round(rng.expovariate(1 / habit.size)))
            step += PER_DAY if rng.random() < _LINGERS else len(counts)
    return counts


def _maintenance(rng: random.Random, days: int) -> dict[int, float]:
    """Draw the moments at which somebody works on a switch and its ports retrain."""
    return {step: float(rng.randrange(20, 400)) for step in _moments(rng, days, 0.05)}


def _worn(rng: random.Random, ill: Ailment, days: int) -> list[float]:
    first, growth = _WEAR[ill.signal]
    found = []
    for step in range(days * PER_DAY):
        age = step / PER_DAY - ill.onset_day
        mean = first * growth**age / PER_DAY if 0 <= age <= ill.breaks_after_days else 0.0
        found.append(float(_poisson(rng, mean)))
    return found


def _poisson(rng: random.Random, mean: float) -> int:
    if mean > 50:  # noqa: PLR2004 -- from here on the normal approximation is exact enough
        return max(0, round(rng.gauss(mean, math.sqrt(mean))))
    limit, product, count = math.exp(-mean), rng.random(), 0
    while product > limit:
        product *= rng.random()
        count += 1
    return count


def _counted(counts: list[float], resets: frozenset[int]) -> list[float | None]:
    total, found = 0.0, list[float | None]()
    for step, count in enumerate(counts):
        total = count if step in resets else total + count
        found.append(total)
    return found


def _hide(values: list[float | None], away: frozenset[int]) -> list[float | None]:
    """Take out two days after each moment at which the exporter went away."""
    hidden = {step + n for step in away for n in range(2 * PER_DAY)}
    return [None if step in hidden else value for step, value in enumerate(values)]


def _heat(rng: random.Random, devices: list[Labels], days: int) -> dict[Labels, list[float | None]]:
    """Draw temperatures under load: season, place, the node's job, and what is left."""
    drift = rng.uniform(-4, 6) / (days * PER_DAY)
    jobs: dict[str, list[float | None]] = {host: _jobs(rng, days) for host, _ in devices}
    found = {}
    for host, device in devices:
        base, left = 62 + rng.gauss(0, 3), 0.0
        values: list[float | None] = []
        for step, load in enumerate(jobs[host]):
            left = 0.85 * left + rng.gauss(0, 0.5)
            week = math.sin(2 * math.pi * step / PER_DAY / 7)
            values.append(None if load is None else base + load + left + week + drift * step)
        found[host, device] = values
    return found


def _jobs(rng: random.Random, days: int) -> list[float | None]:
    """Draw what a node works on: each job heats its own way, and between jobs it may idle."""
    values: list[float | None] = []
    while len(values) < days * PER_DAY:
        length = max(1, round(rng.lognormvariate(1.5, 1.0) * PER_DAY))
        heat = None if rng.random() < 0.2 else rng.gauss(0, 3)  # noqa: PLR2004 -- a fifth idles
        values += [heat] * length
    return values[: days * PER_DAY]


def _heated(values: list[float | None], ill: Ailment) -> list[float | None]:
    worn: Callable[[int], float] = lambda step: max(0.0, step / PER_DAY - ill.onset_day)  # noqa: E731 -- one line, used once
    return [
        None if value is None else value + _DEGREES_A_DAY * worn(step)
        for step, value in enumerate(values)
    ]
