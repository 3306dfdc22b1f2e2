"""What Prometheus scraped of etcd, the API servers and the disks below them."""

import random
from collections.abc import Callable, Iterable

from evals.background import pair_samples
from evals.model import Metric, Recording
from evals.scenarios.etcd_slow_disk.plan import Member, Plan

FSYNC = tuple(0.001 * 2**power for power in range(14))
"""Upper bounds of etcd's own histogram, in seconds."""
REQUEST = (0.005, 0.025, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
A_SECOND = 38
"""Log writes of a calm member."""


def add(recording: Recording, plan: Plan, times: list[float], rng: random.Random) -> None:
    """Add the samples of all members and servers."""
    for index, member in enumerate(plan.members):
        address = member.host.address
        labels = {"instance": f"{address}:2381", "job": "etcd"}
        recording.metrics += _histogram(
            "etcd_disk_wal_fsync_duration_seconds", labels, FSYNC, _fsyncs(member, times, rng)
        )
        recording.metrics += _members(plan, index, labels, times)
        recording.metrics += _disk(member, times, rng)
        for verb in ("GET", "PUT"):
            server = {"instance": f"{address}:6443", "job": "apiserver", "verb": verb}
            recording.metrics += _histogram(
                "apiserver_request_duration_seconds",
                server,
                REQUEST,
                _requests(member, verb, times, rng),
            )


Counts = list[dict[float, int]]
"""By scrape: upper bound → how many fell into that bucket since the scrape before."""


def _histogram(
    name: str, labels: dict[str, str], bounds: tuple[float, ...], counts: tuple[list[float], Counts]
) -> list[Metric]:
    times, rows = counts
    found = []
    for bound in (*bounds, float("inf")):
        total, samples = 0, []
        for row in rows:
            total += sum(n for edge, n in row.items() if edge <= bound)
            samples.append(float(total))
        edge = "+Inf" if bound == float("inf") else f"{bound:g}"
        found.append(pair_samples(f"{name}_bucket", {**labels, "le": edge}, times, samples))
    return found


def _fsyncs(member: Member, times: list[float], rng: random.Random) -> tuple[list[float], Counts]:
    rows: Counts = []
    before = times[0]
    for at in times:
        seconds = at - before or 30.0
        slow = [s for s in member.syncs if before < s.end <= at]
        busy = min(seconds, sum(s.took for s in slow))
        calm = round((seconds - busy) * A_SECOND * (0.15 if slow else 1.0))
        row = {FSYNC[1]: calm * 6 // 10, FSYNC[2]: calm * 3 // 10, FSYNC[3]: calm // 10}
        for sync in slow:
            edge = next((bound for bound in FSYNC if sync.took <= bound), float("inf"))
            row[edge] = row.get(edge, 0) + 1
        if slow:
            row[FSYNC[9]] = row.get(FSYNC[9], 0) + rng.randrange(10, 40)
        rows.append(row)
        before = at
    return times, rows


def _requests(
    member: Member, verb: str, times: list[float], rng: random.Random
) -> tuple[list[float], Counts]:
    """Count answers: writes wait for the disk, most reads come from memory."""
    rows: Counts = []
    before = times[0]
    for at in times:
        slow = [s for s in member.syncs if before < s.end <= at]
        calm = rng.randrange(500, 700)
        row = {0.025: calm * 8 // 10, 0.1: calm * 19 // 100, 0.5: calm // 100}
        if slow:
            waits = 40 if verb == "PUT" else 4
            row = {edge: count // 4 for edge, count in row.items()}
            row |= {10.0: waits, 30.0: waits // 3, 5.0: waits}
        rows.append(row)
        before = at
    return times, rows


def _members(plan: Plan, index: int, labels: dict[str, str], times: list[float]) -> list[Metric]:
    """Sample what each member says of its leader; no message to a peer was ever lost."""
    seen = _count(times, (election.at for election in plan.elections))
    led = [election.at for election in plan.elections if election.lost == index]
    failed = _count(times, led, each=2)
    peers = [m.id for place, m in enumerate(plan.members) if place != index]
    found = [
        pair_samples("etcd_server_leader_changes_seen_total", labels, times, seen),
        pair_samples("etcd_server_has_leader", labels, times, [1.0] * len(times)),
        pair_samples("etcd_server_heartbeat_send_failures_total", labels, times, failed),
    ]
    return found + [
        pair_samples(
            "etcd_network_peer_sent_failures_total",
            {**labels, "To": peer},
            times,
            [0.0] * len(times),
        )
        for peer in peers
    ]


def _count(times: list[float], moments: Iterable[float], *, each: int = 1) -> list[float]:
    known = list(moments)
    return [4.0 + each * sum(1 for moment in known if moment <= at) for at in times]


def _disk(member: Member, times: list[float], rng: random.Random) -> list[Metric]:
    """Sample how busy the disk was and how long everything on the host waited for it."""
    labels = {"instance": f"{member.host.name}:9100", "job": "node"}
    disk = {**labels, "device": "nvme0n1"}
    since, until = member.busy

    def grow(calm: float, busy: float) -> Callable[[float], float]:
        return lambda at: round((at - times[0]) * calm + max(0.0, min(at, until) - since) * busy, 2)

    high = rng.uniform(0.9, 0.97)
    rates = (
        ("node_disk_io_time_seconds_total", disk, grow(0.03, high)),
        ("node_pressure_io_stalled_seconds_total", labels, grow(0.002, rng.uniform(0.6, 0.8))),
    )
    return [pair_samples(name, own, times, [rate(at) for at in times]) for name, own, rate in rates]
