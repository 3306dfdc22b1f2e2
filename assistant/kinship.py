"""Clocks of unknown zone that share it: between their stamps the doubt cancels."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from assistant.burst import Burst
from assistant.ledger import Spanned
from assistant.topology import Topology
from assistant.zones import QUARTER_S
from tools.evidence import UNKNOWN_ZONE_S


def find_kin(
    bursts: Iterable[Burst], spans: Iterable[Spanned], names: Topology
) -> Mapping[str, str]:
    """Map clocks to one of those that share their zone, whatever it is.

    The members of a job are started together and zones differ by whole quarters of an hour: logs
    of one job that begin within half a quarter of each other, as printed, bear one zone.
    """
    begun = _beginnings(spans)
    by_job: dict[str, set[str]] = defaultdict(set)
    for burst in bursts:
        if burst.clock in begun and burst.timed and burst.first.zone == "unknown":
            for job in _jobs(burst, names):
                by_job[job].add(burst.clock)
    kin: dict[str, str] = {}
    for clocks in by_job.values():
        first = ""
        for clock in sorted(clocks, key=lambda name: (begun[name], name)):
            if not first or begun[clock] - begun[first] > QUARTER_S / 2:
                first = clock
            kin.setdefault(clock, kin.get(first, first))
    return kin


def _beginnings(spans: Iterable[Spanned]) -> dict[str, float]:
    """Return the first stamp of each file whose zone is unknown, as printed, by its clock."""
    found: dict[str, float] = {}
    for span in spans:
        if span.first is None or not 0.0 < span.first.common_s <= UNKNOWN_ZONE_S:
            continue
        clock, stamp = f"file:{span.evidence}", span.first.utc.timestamp()
        found[clock] = min(found.get(clock, stamp), stamp)
    return found


def _jobs(burst: Burst, names: Topology) -> set[str]:
    near = {burst.entity, *burst.anchors}
    near |= {(a.kind, a.id) for a in names.closure(*burst.entity)}
    return {name for kind, name in near if kind == "job"}
