"""A gang of training pods, one a node, and what PyTorch, NCCL and torchrun print in them."""

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from evals import fleet
from evals.model import Host
from evals.pod_objects import PodSpec

Lines = list[tuple[float, str]]
RANKS_PER_POD = 8
WATCHDOG_MS = 600_000
WATCHDOG_S = WATCHDOG_MS / 1000
STEP_S = 11.0


@dataclass(frozen=True, slots=True)
class Gang:
    """One distributed job: pod `i` holds ranks 8·i to 8·i + 7."""

    name: str
    namespace: str
    uid: str
    pods: tuple[PodSpec, ...]

    def ranks(self, index: int) -> range:
        """Return the ranks of one pod."""
        return range(index * RANKS_PER_POD, (index + 1) * RANKS_PER_POD)


def draw_gang(
    rng: random.Random, name: str, hosts: list[Host], created: float, *, memory: str = "1500Gi"
) -> Gang:
    """Draw a job whose pods run on `hosts`."""
    title, uid = f"{name}-{fleet.draw_suffix(rng, 4)}", fleet.draw_uuid(rng)
    pods = tuple(
        PodSpec(
            namespace="train",
            name=f"{title}-{index}-{fleet.draw_suffix(rng)}",
            uid=fleet.draw_uuid(rng),
            node=host.name,
            created=created + rng.uniform(0, 3),
            job=title,
            job_uid=uid,
            container_id=fleet.draw_hexadecimal(rng, 64),
            memory=memory,
            labels=(("batch.kubernetes.io/job-completion-index", str(index)),),
        )
        for index, host in enumerate(hosts)
    )
    return Gang(title, "train", uid, pods)


def write_progress(at: float, step: int, rng: random.Random) -> str:
    """Write a Megatron-style iteration line."""
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return (
        f" [{stamp}] iteration {step:8d}/  500000 | consumed samples: {step * 1024:12d} | "
        f"elapsed time per iteration (ms): {STEP_S * 1000 + rng.uniform(-300, 300):.1f} | "
        f"learning rate: 1.200000E-04 | global batch size:  1024 | "
        f"lm loss: {rng.uniform(1.9, 2.3):.6E} | loss scale: 1.0 | grad norm: 0.342 | "
        "number of skipped iterations:   0 |"
    )


def write_steps(
    span: tuple[float, float], first: int, rng: random.Random, *, spacing: float = STEP_S
) -> Lines:
    """Write iteration lines over a span; some are left out to keep `spacing` seconds apart."""
    since, until = span
    every = max(1, round(spacing / STEP_S))
    count = max(0, int((until - since) // STEP_S))
    return [
        (since + index * STEP_S, write_progress(since + index * STEP_S, first + index, rng))
        for index in range(0, count, every)
    ]


def write_glog(level: str, at: float) -> str:
    """Write the stamp that PyTorch's C++ logger puts before a message."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{level}{moment.month}{moment:%d %H:%M:%S}.{moment.microsecond // 1000:03d}"


def write_torchrun(level: str, at: float, where: str, text: str) -> str:
    """Write a line of torchrun's own logger."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{level}{moment:%m%d %H:%M:%S.%f} 1 torch/distributed/elastic/{where}] {text}"


@dataclass(frozen=True, slots=True)
class Collective:
    """The collective that did not complete."""

    sequence: int
    operation: str
    elements: int


def draw_collective(rng: random.Random) -> Collective:
    """Draw a collective."""
    operation = rng.choice(("ALLREDUCE", "_ALLGATHER_BASE", "_REDUCE_SCATTER_BASE"))
    return Collective(rng.randrange(20_000, 900_000), operation, rng.randrange(10**7, 10**9))


def write_watchdog(rank: int, at: float, work: Collective, rng: random.Random) -> Lines:
    """Write what one rank prints when the watchdog gives up on a collective."""
    shape = (
        f"WorkNCCL(SeqNum={work.sequence}, OpType={work.operation}, NumelIn={work.elements}, "
        f"NumelOut={work.elements}, Timeout(ms)={WATCHDOG_MS})"
    )
    ran = WATCHDOG_MS + rng.randrange(5, 95)
    group = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}]"
    tag = f"[rank{rank}]:[{write_glog('E', at)} ProcessGroupNCCL.cpp"
    return [
        (
            at,
            (
                f"{tag}:607] [Rank {rank}] Watchdog caught collective operation timeout: {shape} "
                f"ran for {ran} milliseconds before timing out."
            ),
        ),
        (
            at + 0.002,
            (
                f"{tag}:670] {group} failure detected by watchdog at work sequence id: "
                f"{work.sequence} PG status: last enqueued work: {work.sequence + 2}, "
                f"last completed work: {work.sequence - 1}"
            ),
        ),
    ]


def write_giving_up(
    ranks: Iterable[int], at: float, work: Collective, rng: random.Random, *, spread: float
) -> Lines:
    """Write how a pod whose peer is gone ends: each rank's watchdog within `spread` s of `at`."""
    lines: Lines = []
    for rank in ranks:
        lines += write_watchdog(rank, at + rng.uniform(0.3, spread), work, rng)
    return lines + write_child_failure(at + rng.uniform(14, 25), rng.randrange(8), -6, rng)


def write_traceback(rank: int, at: float, *last: str) -> Lines:
    """Write a rank's traceback from its header to the error, a millisecond a line."""
    texts = ("Traceback (most recent call last):", *last)
    return [(at + 0.001 * place, f"[rank{rank}]: {text}") for place, text in enumerate(texts)]


def write_child_failure(at: float, local_rank: int, code: int, rng: random.Random) -> Lines:
    """Write how torchrun ends a pod after one of its children ended with `code`."""
    pid = rng.randrange(180, 900)
    return [
        (
            at,
            write_torchrun(
                "W",
                at,
                "multiprocessing/api.py:897",
                f"Sending process {pid + 9} closing signal SIGTERM",
            ),
        ),
        (
            at + 0.4,
            write_torchrun(
                "E",
                at + 0.4,
                "multiprocessing/api.py:869",
                f"failed (exitcode: {code}) local_rank: {local_rank} (pid: {pid}) "
                "of binary: /usr/bin/python3",
            ),
        ),
        (at + 0.5, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: "),
    ]


def write_peer_closed(rank: int, at: float, *, node: str, peer: str, rng: random.Random) -> Lines:
    """Write what a rank prints whose peer's process went away."""
    where = f"{node}:{rng.randrange(90, 900)}:{rng.randrange(900, 2000)} [{rank % RANKS_PER_POD}]"
    port = rng.randrange(30000, 60000)
    closed = (
        f"{where} misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote peer "
        f"{peer}<{port}>"
    )
    failed = (
        f"[rank{rank}]: torch.distributed.DistBackendError: NCCL error in: "
        "/opt/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3384, remote process "
        "exited or there was a network error, NCCL version 2.21.5"
    )
    remote = (
        f"[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or a remote "
        "process exiting prematurely."
    )
    return [(at, closed), (at + 0.3, failed), (at + 0.31, remote)]
