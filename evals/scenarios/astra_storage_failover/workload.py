"""What the training containers of Astra printed."""

import random

from evals.model import PodLog, Recording
from evals.scenarios.astra_storage_failover.plan import Plan
from evals.scenarios.astra_storage_failover.pods import Pods, PodStory
from evals.training import STEP_S, Lines, write_peer_closed, write_steps, write_torchrun


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


def _first_run(plan: Plan, story: PodStory, rng: random.Random, spacing: float) -> Lines:
    stall = plan.outage.stalls[story.spec.node]
    step = 12000 + 8 * story.index
    lines = write_steps((plan.since, stall.begin - 4), step, rng, spacing=spacing)
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


def _waits(story: PodStory, save: float, end: float, folder: str) -> Lines:
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


def _stopped(asked: float, rng: random.Random) -> Lines:
    """Write what torchrun says when the pod is deleted."""
    pid = rng.randrange(100, 900)
    server, workers = "agent/server/api.py:704", "multiprocessing/api.py:897"
    first, then = "Received 15 death signal, shutting down workers", "closing signal SIGTERM"
    return [
        (asked + 0.6, write_torchrun("W", asked + 0.6, server, first)),
        (asked + 0.8, write_torchrun("W", asked + 0.8, workers, f"Sending process {pid} {then}")),
    ]


def _abandoned(plan: Plan, story: PodStory, end: float, rng: random.Random) -> Lines:
    """Write what a rank says whose peer was evicted."""
    nodes = [name for name in story.job.nodes if name != story.spec.node]
    peer = min(nodes, key=lambda name: plan.nodes[name].tainted)
    return write_peer_closed(story.index * 8, end - 0.9, node=story.spec.node, peer=peer, rng=rng)


def _resumed(plan: Plan, story: PodStory, rng: random.Random, spacing: float) -> Lines:
    begin = story.started or 0.0
    folder = f"/data/checkpoints/{story.job.name}"
    lines = [
        (begin + 8, f"loading checkpoint from {folder} at iteration 12420"),
        (
            begin + 44,
            f"successfully loaded checkpoint from {folder} [ t 0/8, p 0/1 ] at iteration 12420",
        ),
    ]
    return lines + write_steps((begin + 60, plan.until), 12420, rng, spacing=spacing)
