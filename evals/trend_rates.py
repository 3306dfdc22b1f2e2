"""How often early warning errs on healthy fleets, and how early it warns of ailing ones.

``python -m evals.trend_rates`` prints each rate with its number of tries and 95 % interval.
"""

import argparse
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from assistant.inspection_seen import Seen
from assistant.trend import Change, judge_trend
from evals.trend_fleet import DAY_S, PER_DAY, SIGNALS, Ailment, Fleet, make_fleet
from knowledge.inspection import TrendLook, load_inspections
from tools.evidence import Series
from tools.samples import Samples

WINDOW_DAYS = 28
NODES = 8
_Z = 1.96
_EPOCH = 1_750_000_000.0


@dataclass(frozen=True)
class Rate:
    """So many of so many, with the interval of Wilson's score."""

    name: str
    hits: int
    tries: int
    note: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval."""
        if not self.tries:
            return 0.0, 1.0
        share, n = self.hits / self.tries, self.tries
        middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        share = self.hits / self.tries if self.tries else 0.0
        low, high = self.interval
        told = f"{self.name}: {self.hits}/{self.tries} = {share:.2%} [{low:.2%}, {high:.2%}]"
        return f"{told}  {self.note}".rstrip()


def looks() -> dict[str, TrendLook]:
    """Return the trend look of each signal that the fleets have."""
    found = {}
    for each in load_inspections():
        for look in each.looks:
            if isinstance(look, TrendLook) and each.id in SIGNALS:
                found[each.id] = look
    return found


def alarms(fleet: Fleet, signal: str, until_day: int | None = None) -> list[Change]:
    """Look at the last weeks before a day and return what is warned of."""
    end = (until_day or fleet.days) * PER_DAY
    start = max(0, end - WINDOW_DAYS * PER_DAY)
    seen = Seen()
    look = looks()[signal]
    for (host, device), values in fleet.values[signal].items():
        points = [(step, v) for step, v in enumerate(values[start:end], start) if v is not None]
        times = [_EPOCH + step * DAY_S / PER_DAY for step, _ in points]
        labels = {"Hostname": host, "UUID": device, "instance": host, "device": device, "port": "1"}
        series = Series("E1", look.query, labels, Samples(times, [value for _, value in points]))
        seen.series[look.query].append(series)
    return [change for change in judge_trend(look, seen) if change.level == "warning"]


def measure_healthy(fleets: int, seed: int = 1) -> Iterator[Rate]:
    """Look once at each of many healthy fleets."""
    for signal in SIGNALS:
        hits = 0
        for number in range(fleets):
            rng = random.Random(f"{seed}/{number}/healthy")
            hits += bool(alarms(make_fleet(rng, NODES, WINDOW_DAYS), signal))
        yield Rate(f"false alarm a look, {signal}", hits, fleets)


def measure_month(fleets: int, seed: int = 1) -> Rate:
    """Look every day for four weeks at healthy fleets: how many raise any alarm at all."""
    hits = 0
    for number in range(fleets):
        rng = random.Random(f"{seed}/{number}/month")
        fleet = make_fleet(rng, NODES, 2 * WINDOW_DAYS)
        days = range(WINDOW_DAYS, 2 * WINDOW_DAYS + 1)
        hits += any(alarms(fleet, signal, day) for signal in SIGNALS for day in days)
    return Rate("any false alarm in four weeks of daily looks, all signals", hits, fleets)


def measure_ailing(fleets: int, seed: int = 1) -> Iterator[Rate]:
    """Look every day at fleets with one ailing device: how early each is named."""
    for signal in SIGNALS:
        leads = [
            lead for n in range(fleets) if (lead := lead_of(signal, f"{seed}/{n}")) is not None
        ]
        note = f"median lead {median(leads):.0f} d, least {min(leads):.0f} d" if leads else ""
        yield Rate(f"warned before it breaks, {signal}", len(leads), fleets, note)


def lead_of(signal: str, seed: str) -> float | None:
    """Return how many days before the break the first warning that names the device comes."""
    rng = random.Random(f"{seed}/{signal}")
    breaks = 20.0 if signal == "trend-gpu-temperature" else 14.0
    ill = Ailment(signal, rng.randrange(NODES * 8), 24 + rng.random(), breaks)
    end = math.ceil(ill.onset_day + breaks)
    fleet = make_fleet(rng, NODES, end, ill)
    named = list(fleet.values[signal])[ill.device][1]
    for day in range(math.ceil(ill.onset_day), end):
        if any(named in change.subject for change in alarms(fleet, signal, day)):
            return ill.onset_day + breaks - day
    return None


def main(arguments: Sequence[str]) -> int:
    """Print all rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fleets", type=int, default=100)
    parser.add_argument("--months", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    told = f"fleets of {NODES} nodes with {NODES * 8} GPUs, windows of {WINDOW_DAYS} days"
    sys.stdout.write(f"{told}, seed {asked.seed}\n")
    for rate in measure_healthy(asked.fleets, asked.seed):
        sys.stdout.write(f"{rate}\n")
    for rate in measure_ailing(asked.fleets, asked.seed):
        sys.stdout.write(f"{rate}\n")
    sys.stdout.write(f"{measure_month(asked.months, asked.seed)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
