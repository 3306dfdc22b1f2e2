"""Times programs side by side, so that a figure is a ratio and not a property of the machine."""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure with its bound; `value` must not exceed it unless `floor`."""

    value: float
    unit: str
    bound: float
    against: str
    floor: bool = False
    """The bound is a least, not a most."""
    n: int = 0
    interval: tuple[float, float] | None = None
    """95 % (Wilson), for shares."""

    @property
    def holds(self) -> bool:
        """Tell whether the bound is kept."""
        return self.value >= self.bound if self.floor else self.value <= self.bound

    def document(self) -> dict[str, object]:
        """Return it as the contract writes figures."""
        found: dict[str, object] = {
            "value": round(self.value, 4),
            "unit": self.unit,
            "bound": self.bound,
            "against": self.against,
            "holds": self.holds,
        }
        if self.n:
            found["n"] = self.n
        if self.interval:
            found["interval"] = [round(end, 4) for end in self.interval]
        return found


Figures = dict[str, Figure]


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a program took."""

    seconds: float
    peak_mib: float
    code: int
    processor_s: float = 0.0
    """Of all its threads and of what it waited for."""


def run(
    argv: Sequence[str], *, env: Mapping[str, str] | None = None, stdin: Path | None = None
) -> Run:
    """Run a program with its output thrown away and say what it took."""
    with Path(os.devnull).open("wb") as sink, (stdin or Path(os.devnull)).open("rb") as source:
        begun = time.perf_counter()
        process = subprocess.Popen(argv, stdout=sink, stderr=sink, stdin=source, env=env)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    processor = usage.ru_utime + usage.ru_stime
    return Run(seconds, usage.ru_maxrss / 1024, process.returncode, processor)


def run_beside(
    ours: Callable[[], Run], theirs: Callable[[], Run], times: int = 3
) -> tuple[float, Run, Run]:
    """Run both by turns; return the median ratio of their times and the fastest run of each."""
    pairs = [(ours(), theirs()) for _ in range(times)]
    ratio = statistics.median(one.seconds / other.seconds for one, other in pairs)
    best = [min(runs, key=lambda run: run.seconds) for runs in zip(*pairs, strict=True)]
    return ratio, best[0], best[1]


def compute_wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson)."""
    if n == 0:
        return 0.0, 1.0
    z = 1.96
    share, z2 = hits / n, z * z
    middle = share + z2 / (2 * n)
    spread = z * ((share * (1 - share) + z2 / (4 * n)) / n) ** 0.5
    low, high = (middle - spread) / (1 + z2 / n), (middle + spread) / (1 + z2 / n)
    return max(0.0, low), min(1.0, high)


def make_share(hits: int, n: int, bound: float, against: str, *, floor: bool = False) -> Figure:
    """Make a figure of a share with its interval."""
    value = hits / n if n else 0.0
    return Figure(value, "ratio", bound, against, floor, n, compute_wilson(hits, n))
