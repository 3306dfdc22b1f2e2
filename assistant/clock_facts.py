"""What evidence says outright about clocks: offsets measured, steps taken, zones stated."""

from collections.abc import Mapping
from dataclasses import dataclass

from tools.evidence import Instant, Reading, Record, Series
from tools.late_patterns import compile_late
from tools.stamps import zone_of

SKEW_QUERY = "clock_skew_seconds"
SKEW_EXPR = "node_time_seconds - timestamp(node_time_seconds)"
"""How far a host's clock is ahead of its scraper's, less the time a scrape takes."""
TIMEX_QUERIES = frozenset({"node_timex_offset_seconds", "timex_offset"})

CLOCK_LITERALS = (
    "System clock wrong by", "System clock was stepped by", " of NTP time",
    "NCCL INFO Bootstrap", "NCCL INFO NET/", " nranks ",
)  # fmt: skip
"""Lines that recognising needs beside the handbook's: clocks, and ranks that print their address
or how many they are."""

_STEPPED = compile_late(r"System clock was stepped by (-?\d+(?:\.\d+)?) seconds")
_WRONG = compile_late(r"System clock wrong by (-?\d+(?:\.\d+)?) seconds")
_TRACKING = compile_late(
    r"(?P<size>\d+(?:\.\d+)?(?:e-?\d+)?) seconds (?P<sense>slow|fast) of NTP time"
)
_UTC_OFFSET = compile_late(r"(?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)")
_OFFSET_NAMES = ("system_time_offset_s", "offset_s", "system_offset_s", "system_time")
_MEASURED_S = 0.05
_SCRAPE_S = 1.0
"""A scraped wall time is up to this much older than its stamp."""
WORTH_S = 0.5
"""Smaller offsets change no order that anything here relies on."""


@dataclass(frozen=True, slots=True)
class ClockFact:
    """One statement: at `at`, add `add_s` to the clock's stamps to get UTC."""

    clock: str
    add_s: float
    uncertainty_s: float
    evidence: str
    why: str
    at: Instant | None = None
    line: int = 0
    step: bool = False
    """True: it holds for what was stamped before, and nothing is to be added after."""
    zone: bool = False
    """True: it holds for stamps that name no zone, and for no others."""


class ClockWatch:
    """Collects statements about clocks while the stream passes."""

    def __init__(self) -> None:
        self._facts: list[ClockFact] = []

    def facts(self) -> tuple[ClockFact, ...]:
        """Return all statements that matter, steps first."""
        return tuple(sorted(self._facts, key=lambda fact: not fact.step))

    def record(self, record: Record) -> None:
        """Read a daemon's word; an application's word about the clock is nobody's."""
        if record.channel not in {"service", "kernel", "command"}:
            return
        if "System clock" in record.text:
            self._daemon(record)
        elif "of NTP time" in record.text:
            self._tracking(record.text, f"host:{record.host}", record.evidence, record.time)

    def reading(self, reading: Reading) -> None:
        """Read what a time daemon's status says."""
        if reading.kind not in {"chrony", "clock", "timex", "ntp"} or not reading.host:
            return
        clock = f"host:{reading.host}"
        self._zone(clock, reading)
        for name in _OFFSET_NAMES:
            value = reading.values.get(name)
            if isinstance(value, str) and "NTP time" in value:
                self._tracking(value, clock, reading.evidence, reading.observed)
                return
            if isinstance(value, int | float) and not isinstance(value, bool):
                # By the readers' convention an offset is what the host's clock is ahead by.
                self._note(clock, -float(value), reading.evidence, reading.observed)
                return

    def series(self, series: Series) -> None:
        """Read what a scraper saw of a host's clock."""
        if series.query != SKEW_QUERY and series.query not in TIMEX_QUERIES:
            return
        host = _host_of(series.labels)
        if not series.samples or not host:
            return
        middle = sorted(sample.value for sample in series.samples)[len(series.samples) // 2]
        at = Instant(series.samples[-1].at)
        if series.query == SKEW_QUERY:
            # That a clock is right is said too: a daemon's zero may be of one that never measured.
            self._facts.append(_fact(f"host:{host}", -middle, series.evidence, at, _SCRAPE_S))
        else:
            self._note(f"host:{host}", middle, series.evidence, at)

    def _daemon(self, record: Record) -> None:
        found, step = _STEPPED.search(record.text), True
        if found is None:
            found, step = _WRONG.search(record.text), False
        if found is None:
            return
        amount = float(found.group(1))
        if abs(amount) < WORTH_S:
            return
        clock = record.clock or f"host:{record.host}"
        why = f"{record.unit or 'time daemon'}: {found.group()}"
        # "Wrong by" that is followed by a step says the same; alone it is slewed away slowly.
        self._facts.append(
            ClockFact(
                clock=clock,
                add_s=amount,
                uncertainty_s=0.1 if step else abs(amount) / 2,
                evidence=record.evidence,
                why=why,
                at=record.time,
                line=record.line,
                step=step,
            )
        )

    def _tracking(self, text: str, clock: str, evidence: str, at: Instant | None) -> None:
        found = _TRACKING.search(text)
        if found:
            size = float(found["size"])
            self._note(clock, size if found["sense"] == "slow" else -size, evidence, at)

    def _zone(self, clock: str, reading: Reading) -> None:
        """Read which zone the host itself says it keeps."""
        name = str(reading.values.get("zone") or "")
        ahead_s = _ahead_of_utc(name, str(reading.values.get("utc_offset") or ""), reading.observed)
        if ahead_s is None:
            return
        why = f"the host says that it keeps the zone {name or f'UTC{ahead_s / 3600:+g}'}"
        self._facts.append(
            ClockFact(clock, -ahead_s, 0.0, reading.evidence, why, reading.observed, zone=True)
        )

    def _note(self, clock: str, add_s: float, evidence: str, at: Instant | None) -> None:
        if abs(add_s) >= WORTH_S:
            self._facts.append(_fact(clock, add_s, evidence, at, _MEASURED_S))


def _fact(
    clock: str, add_s: float, evidence: str, at: Instant | None, uncertainty_s: float
) -> ClockFact:
    ahead = "behind" if add_s > 0 else "ahead"
    why = f"the host's clock was measured {abs(add_s):.1f} s {ahead}"
    return ClockFact(clock, add_s, uncertainty_s, evidence, why, at)


def _ahead_of_utc(name: str, shown: str, at: Instant | None) -> float | None:
    """Return how far a zone is ahead of UTC: as the host shows it, else by the zone's name."""
    if found := _UTC_OFFSET.fullmatch(shown):
        size = int(found["hours"]) * 3600.0 + int(found["minutes"]) * 60.0
        return -size if found["sign"] == "-" else size
    zone = zone_of(name) if name else None
    offset = at.utc.astimezone(zone).utcoffset() if zone and at else None
    return None if offset is None else offset.total_seconds()


def _host_of(labels: Mapping[str, str]) -> str:
    host = labels.get("node") or labels.get("Hostname") or labels.get("nodename") or ""
    return host or labels.get("instance", "").rsplit(":", 1)[0]
