"""When what happens to whom in the Slurm twin of the Astra outage."""

import random
from dataclasses import dataclass

from evals import fleet
from evals.model import Frame, Host, happens, open_stream, read_epoch
from evals.scenarios import nfs_outage
from evals.scenarios.nfs_outage import Outage

ID = "slurm-storage-failover"
FRAME = Frame(
    ID,
    "vega",
    "Slurm: many nodes drained or down, jobs requeued",
    before_s=70 * 60,
    after_s=45 * 60,
    reported_s=15 * 60,
    collecting_s=20,
)
NODES = 30
PER_JOB = 5
PING_EVERY_S = 33.0
SLURMD_TIMEOUT_S = 180.0
"""Of this site; the default of 300 s would let most nodes come back in time."""
CHECK_LIMIT_S = 60.0
"""What slurmd gives a health check before it kills it."""
UNKILLABLE_S = 60.0
DOWN_SHARE = 0.5
ANCHOR = read_epoch("2025-07-24T05:12:00Z")


@dataclass(frozen=True, slots=True)
class NodeStory:
    """One node through the outage."""

    host: Host
    job: int
    check_failed: tuple[float, ...]
    drained: float
    """By the health check's verdict."""
    silent: float | None
    """slurmctld first missed its answer; None where slurmd kept answering."""
    down: float | None


@dataclass(frozen=True, slots=True)
class JobStory:
    """One batch job."""

    number: int
    name: str
    nodes: tuple[str, ...]
    requeued: float | None
    restarted: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole outage."""

    seed: int
    outage: Outage
    since: float
    until: float
    controller: Host
    nodes: dict[str, NodeStory]
    jobs: tuple[JobStory, ...]
    looked: float
    witness: str


def make(seed: int) -> Plan:
    """Draw the outage."""
    rng = open_stream(ID, seed, "story")
    begun = ANCHOR + rng.uniform(-180, 180) * 86400
    prefix = rng.choice(("sn", "gpu-s", "vega-n"))
    names = [f"{prefix}{number:02d}" for number in range(1, NODES + 1)]
    hosts = fleet.draw_hosts(rng, names, subnet="10.60", booted=begun - 3e6)
    control = fleet.draw_hosts(
        rng, [f"{prefix}ctl"], subnet="10.61", booted=begun - 6e6, gpu_count=0
    )
    outage = nfs_outage.draw_outage(rng, names, begun, f"10.60.9.{rng.randrange(2, 250)}")
    first = rng.randrange(60_000, 900_000)
    order = rng.sample(hosts, len(hosts))
    stories = {
        host.name: _node(rng, host, outage, first + place // PER_JOB * 7)
        for place, host in enumerate(order)
    }
    jobs = tuple(
        _job(rng, stories, outage, number)
        for number in sorted({story.job for story in stories.values()})
    )
    return Plan(
        seed=seed,
        outage=outage,
        since=begun - FRAME.before_s,
        until=begun + FRAME.after_s,
        controller=control[0],
        nodes={name: stories[name] for name in names},
        jobs=jobs,
        looked=begun + rng.uniform(215, 235),
        witness=rng.choice(names),
    )


def _node(rng: random.Random, host: Host, outage: Outage, job: int) -> NodeStory:
    stall = outage.stalls[host.name]
    period = 120.0
    start = stall.begin + rng.uniform(1, period)
    failed = []
    while start + CHECK_LIMIT_S < stall.end:
        failed.append(start + CHECK_LIMIT_S)
        start += period
    silent = stall.begin + rng.uniform(20, 60) if happens(rng, DOWN_SHARE) else None
    return NodeStory(
        host=host,
        job=job,
        check_failed=tuple(failed),
        drained=failed[0] + rng.uniform(0.2, 2),
        silent=silent,
        down=silent + SLURMD_TIMEOUT_S - rng.uniform(0, 20) if silent else None,
    )


def _job(
    rng: random.Random, stories: dict[str, NodeStory], outage: Outage, number: int
) -> JobStory:
    mine = [story for story in stories.values() if story.job == number]
    downs = [story.down for story in mine if story.down]
    title = rng.choice(("pretrain", "sft", "eval-sweep", "diffusion", "asr", "rlhf"))
    return JobStory(
        number=number,
        name=f"{title}-{fleet.draw_suffix(rng, 3)}",
        nodes=tuple(sorted(story.host.name for story in mine)),
        requeued=min(downs) + 0.3 if downs else None,
        restarted=outage.over() + rng.uniform(400, 900),
    )
