"""When what happens to whom in the Astra outage: pure times and names, no text."""

import random
from dataclasses import dataclass

from evals import fleet
from evals.model import Frame, Host, happens, open_stream, read_epoch
from evals.scenarios import nfs_outage
from evals.scenarios.nfs_outage import Outage

ID = "astra-storage-failover"
NODES = 30
FRAME = Frame(
    ID,
    "astra",
    "Astra: many GPU nodes NotReady, training jobs failed",
    before_s=80 * 60,
    after_s=50 * 60,
    reported_s=20 * 60,
    collecting_s=20,
)
CHECK_LIMIT_S = 15.0
"""The health-check script runs under ``timeout 15``."""
FAILURES_TO_TAINT = 2
PLEG_LIMIT_S = 180.0
PLEG_SHARE, FLAP_SHARE = 0.6, 0.35
"""Of the nodes, how many lose PLEG; of these, how many flapped before."""
JOB_NAMES = (
    "llm-pretrain-70b",
    "llm-sft-13b",
    "moe-8x22b",
    "vl-align-34b",
    "code-pretrain-7b",
    "reward-model-13b",
    "asr-large-v3",
    "embed-m3",
    "dit-video-12b",
    "long-ctx-32k",
)
SOURCE_MOMENT = read_epoch("2025-06-20T02:23:15Z")
"""When the source document's health check first failed on astra-gpu-07 (10:23:15 in Beijing)."""


@dataclass(frozen=True, slots=True)
class NodeStory:
    """One node through the outage."""

    host: Host
    check_period: float
    checks: tuple[float, ...]
    """Starts of the health-check runs over the whole recording."""
    failed: tuple[float, ...]
    """When a run gave up."""
    tainted: float
    untainted: float
    runtime_down: tuple[float, float] | None
    """A flapping node's first NotReady, from the runtime's own check."""
    pleg: tuple[float, float] | None
    """NotReady by PLEG; None where the runtime kept answering."""
    keeps_log: bool
    """The script also appends to a file of its own, with zone-less stamps."""


@dataclass(frozen=True, slots=True)
class JobStory:
    """One training job and its pods by generation."""

    name: str
    uid: str
    nodes: tuple[str, ...]
    fails: bool
    """It used up its back-off limit; the others came back."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole outage."""

    seed: int
    outage: Outage
    since: float
    until: float
    nodes: dict[str, NodeStory]
    jobs: tuple[JobStory, ...]
    looked: float
    """When the operator's first collection ran, inside the stall."""
    witness: str
    """The node that the report names."""


def make(seed: int, count: int = NODES) -> Plan:
    """Draw the outage. Seed 1 keeps the source document's day, minute and witness.

    `count` is the number of nodes: 30 as in the source, more to see how cost grows.
    """
    rng = open_stream(ID, seed, "story")
    names = [f"astra-gpu-{number:02d}" for number in range(1, count + 1)]
    witness = "astra-gpu-07" if seed == 1 else rng.choice(names)
    shift = 0.0 if seed == 1 else rng.uniform(-200, 200) * 86400
    hosts = fleet.draw_hosts(rng, names, subnet="10.0", booted=SOURCE_MOMENT + shift, clock=_clock)
    periods = {name: rng.uniform(30, 60) for name in names}
    phases = {name: rng.uniform(0, periods[name]) for name in names}
    begun = SOURCE_MOMENT + shift - CHECK_LIMIT_S - phases[witness] * 0.6 - 3.5
    phases[witness] *= 0.6
    outage = nfs_outage.draw_outage(rng, names, begun, "10.0.0.10")
    since, until = begun - FRAME.before_s, begun + FRAME.after_s
    nodes = {}
    for host in hosts:
        first = begun + 3.5 + phases[host.name]
        nodes[host.name] = _node(rng, host, outage, first, periods[host.name], span=(since, until))
    looked = begun + rng.uniform(218, 238)
    jobs = _jobs(rng, names)
    return Plan(seed, outage, since, until, nodes, jobs, looked, witness)


def _clock(rng: random.Random) -> float:
    return (
        rng.gauss(0, 0.004) if happens(rng, 0.85) else rng.choice((-1, 1)) * rng.uniform(0.4, 2.6)
    )


def _node(
    rng: random.Random,
    host: Host,
    outage: Outage,
    first: float,
    period: float,
    *,
    span: tuple[float, float],
) -> NodeStory:
    """Draw one node; `first` is its first health-check run inside the stall."""
    stall = outage.stalls[host.name]
    before = int((first - span[0]) // period)
    count = before + int((span[1] - first) // period)
    checks = tuple(first + (index - before) * period for index in range(count))
    failed = tuple(
        at + CHECK_LIMIT_S for at in checks if stall.begin <= at and at + CHECK_LIMIT_S < stall.end
    )
    passes = next(at for at in checks if at >= stall.end)
    tainted = failed[FAILURES_TO_TAINT - 1] + rng.uniform(0.5, 4)
    stuck = stall.begin + rng.uniform(1, 9)
    pleg = None
    if happens(rng, PLEG_SHARE):
        pleg = (stuck + PLEG_LIMIT_S + rng.uniform(1, 9), stall.end + rng.uniform(4, 20))
    flaps = pleg is not None and happens(rng, FLAP_SHARE)
    down = stall.begin + rng.uniform(42, 60)
    return NodeStory(
        host=host,
        check_period=period,
        checks=checks,
        failed=failed,
        tainted=tainted,
        untainted=passes + 1.5 + rng.uniform(0.5, 6),
        runtime_down=(down, down + rng.uniform(25, 60)) if flaps else None,
        pleg=pleg,
        keeps_log=happens(rng, 0.3) or host.name == "astra-gpu-07",
    )


def _jobs(rng: random.Random, names: list[str]) -> tuple[JobStory, ...]:
    order = rng.sample(names, len(names))
    jobs = len(names) // 4
    titles = rng.sample(JOB_NAMES * (1 + jobs // len(JOB_NAMES)), jobs)
    stories = []
    for index, title in enumerate(titles):
        members = tuple(sorted(order[index * 4 : index * 4 + 4]))
        stories.append(
            JobStory(
                name=f"{title}-{fleet.draw_suffix(rng, 4)}",
                uid=fleet.draw_uuid(rng),
                nodes=members,
                fails=index % 3 == 1,
            )
        )
    return tuple(stories)
