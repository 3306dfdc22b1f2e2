"""What the training containers of Astra printed."""

import random
from datetime import UTC, datetime

from evals.model import PodLog, Recording
from evals.scenarios.astra_storage_failover.plan import Plan
from evals.scenarios.astra_storage_failover.pods import Pods, PodStory

STEP_S = 11.0


def write(recording: Recording, plan: Plan, pods: Pods, rng: random.Random, spacing: float) -> None:
    """Write each pod's log; `spacing` seconds pass between progress lines at the least."""
    for story in pods.stories:
        if not story.started:
            continue
        lines = _first_run(plan, story, rng, spacing)
        if story.generation:
            lines = _resumed(plan, story, rng, spacing)
        recording.pod_logs.append(
            PodLog(
                story.spec.namespace,
                story.spec.name,
                story.spec.container,
                story.spec.node,
                tuple(lines),
            )
        )


def progress(at: float, step: int, rng: random.Random) -> str:
    """Write a Megatron-style iteration line."""
    stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return (
        f" [{stamp}] iteration {step:8d}/  500000 | consumed samples: {step * 1024:12d} | "
        f"elapsed time per iteration (ms): {STEP_S * 1000 + rng.uniform(-300, 300):.1f} | "
        f"learning rate: 1.200000E-04 | global batch size:  1024 | "
        f"lm loss: {rng.uniform(1.9, 2.3):.6E} | loss scale: 1.0 | grad norm: 0.342 | "
        "number of skipped iterations:   0 |"
    )


def _steps(
    since: float, until: float, first: int, rng: random.Random, spacing: float
) -> list[tuple[float, str]]:
    every = max(1, round(spacing / STEP_S))
    count = int((until - since) // STEP_S)
    return [
        (since + index * STEP_S, progress(since + index * STEP_S, first + index, rng))
        for index in range(0, count, every)
    ]


def _first_run(
    plan: Plan, story: PodStory, rng: random.Random, spacing: float
) -> list[tuple[float, str]]:
    stall = plan.outage.stalls[story.spec.node]
    step = 12000 + 8 * story.index
    lines = _steps(plan.since, stall.begin - 4, step, rng, spacing)
    saved = step + int((stall.begin - 4 - plan.since) // STEP_S)
    folder = f"/data/checkpoints/{story.job.name}"
    save = stall.begin - 2.5
    lines.append((save, f"saving checkpoint at iteration {saved:7d} to {folder}"))
    end = story.crashed or story.deleted or 0.0
    if story.crashed is None:
        lines += _waits(story, save, end, f"{folder}/iter_{saved:07d}")
        lines += _stopped(end, rng)
    else:
        lines += _abandoned(plan, story, end, rng)
    return sorted(lines)


def _waits(story: PodStory, save: float, end: float, folder: str) -> list[tuple[float, str]]:
    """Write the trainer's own warnings that a write does not return."""
    name = f"{folder}/mp_rank_{story.index:02d}/model_optim_rng.pt"
    return [
        (
            save + 61 + 60 * n,
            (
                f"[rank{story.index * 8}]: WARNING: checkpoint write to {name} blocked "
                f"for {61 + 60 * n} s, still waiting"
            ),
        )
        for n in range(6)
        if save + 61 + 60 * n < end
    ]


def _stopped(asked: float, rng: random.Random) -> list[tuple[float, str]]:
    """Write what torchrun says when the pod is deleted."""
    stamp = datetime.fromtimestamp(asked, UTC).strftime("W%m%d %H:%M:%S.%f")
    pid = rng.randrange(100, 900)
    return [
        (
            asked + 0.6,
            (
                f"{stamp} 1 torch/distributed/elastic/agent/server/api.py:704] "
                "Received 15 death signal, shutting down workers"
            ),
        ),
        (
            asked + 0.8,
            (
                f"{stamp} 1 torch/distributed/elastic/multiprocessing/api.py:897] "
                f"Sending process {pid} closing signal SIGTERM"
            ),
        ),
    ]


def _abandoned(
    plan: Plan, story: PodStory, end: float, rng: random.Random
) -> list[tuple[float, str]]:
    """Write what a rank says whose peer was evicted."""
    nodes = [name for name in story.job.nodes if name != story.spec.node]
    peer = min(nodes, key=lambda name: plan.nodes[name].tainted)
    where = f"{story.spec.node}:{rng.randrange(90, 900)}:{rng.randrange(900, 2000)} [0]"
    rank = story.index * 8
    return [
        (
            end - 0.9,
            (
                f"{where} misc/socket.cc:58 NCCL WARN socketProgress: Connection closed by remote "
                f"peer {peer}<{rng.randrange(30000, 60000)}>"
            ),
        ),
        (
            end - 0.6,
            (
                f"[rank{rank}]: torch.distributed.DistBackendError: NCCL error in: "
                "/opt/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3384, "
                "remote process exited or there was a network error, NCCL version 2.21.5"
            ),
        ),
        (
            end - 0.59,
            (
                f"[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or "
                "a remote process exiting prematurely."
            ),
        ),
    ]


def _resumed(
    plan: Plan, story: PodStory, rng: random.Random, spacing: float
) -> list[tuple[float, str]]:
    begin = story.started or 0.0
    folder = f"/data/checkpoints/{story.job.name}"
    lines = [
        (begin + 8, f"loading checkpoint from {folder} at iteration 12420"),
        (
            begin + 44,
            f"successfully loaded checkpoint from {folder} [ t 0/8, p 0/1 ] at iteration 12420",
        ),
    ]
    return lines + _steps(begin + 60, plan.until, 12420, rng, spacing)
