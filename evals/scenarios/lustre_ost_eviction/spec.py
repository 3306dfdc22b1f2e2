"""A Lustre target stands still because its disk lost every path; its clients pay.

Nothing reports an error at first, because the I/O is queued. The first lines of the clients come
from time-outs, the loudest from evictions, and the users see input/output errors of their own
programs: three steps from the disk of one server.
"""

import random
from datetime import UTC, datetime

from evals import background
from evals.alerts import write_alert
from evals.model import Command, Recording, TextFile, open_stream, write_iso
from evals.scenarios import gang_cluster, gpu_health, nfs_outage
from evals.scenarios.lustre_ost_eviction import kernel, plan
from evals.scenarios.lustre_ost_eviction.plan import ID, Client, Plan
from evals.training import STEP_S, Lines, write_peer_closed, write_steps, write_traceback

NOISE = 2600
FIRST_STEP = 41_000


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the stall; `scale` thins background noise only."""
    story = plan.make(seed)
    recording = plan.FRAME.open(seed, story.last_path)
    recording.add_hosts([*(client.host for client in story.clients.values()), *story.servers])
    words = open_stream(ID, seed, "words")
    kernel.log_disk(recording, story, words)
    kernel.log_server(recording, story, words)
    for client in story.clients.values():
        kernel.log_client(recording, story, client, words)
    _decoys(recording, story, words)
    for job in story.jobs:
        recording.files.append(_output(recording, story, job, words))
    _commands(recording, story, words)
    gpu_health.add_readings(recording, words, recording.taken - 60)
    noise = open_stream(ID, seed, "noise")
    _metrics(recording, story, noise)
    background.add_journals(
        recording, noise, max(40, round(NOISE * scale)), writers=background.PLAIN_WRITERS
    )
    _report(recording, story)
    recording.facts |= story.facts()
    return recording


def _decoys(recording: Recording, story: Plan, rng: random.Random) -> None:
    """Log a fault of last month, a link that blinked, and memory errors that come every day."""
    old, blink = rng.sample(sorted(story.clients), 2)
    gpu = rng.choice(recording.hosts[old].gpus)
    at = recording.since - rng.uniform(20, 35) * 86400
    recording.log(old, at, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    text = "79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
    recording.log(old, at + 0.01, "kernel", f"NVRM: Xid (PCI:{gpu.bdf}): {text}", priority=3)
    at = story.first_path - rng.uniform(900, 2400)
    link = "mlx5_core 0000:ab:00.0 mlx5_0: Port: 1 Link"
    recording.log(blink, at, "kernel", f"{link} DOWN", priority=4)
    recording.log(blink, at + rng.uniform(0.5, 1.2), "kernel", f"{link} ACTIVE", priority=5)
    other = rng.choice([host.name for host in story.servers if host is not story.target.server])
    at = recording.since + 200
    while at < recording.until:
        text = "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0_DIMM#0"
        recording.log(other, at, "kernel", text, priority=4)
        at += rng.uniform(1500, 2400)


def _output(recording: Recording, story: Plan, job: int, rng: random.Random) -> TextFile:
    """Write a job's own output, as Slurm collects it."""
    stall, died = story.last_path, story.dead(job)
    lines: Lines = write_steps((recording.since, stall - 4), FIRST_STEP, rng, spacing=44)
    done = FIRST_STEP + int((stall - 4 - recording.since) // STEP_S)
    path = f"/scratch/ckpt/{job}/iter_{done:07d}"
    lines.append((stall - 2, f"saving checkpoint at iteration {done:7d} to {path}"))
    end = died or story.back + 9
    waited = [61 + 60 * turn for turn in range(8) if stall + 61 + 60 * turn < end]
    lines += [
        (
            stall + seconds,
            (
                f"[rank{rng.randrange(8)}]: WARNING: checkpoint write to {path} blocked for "
                f"{seconds} s, still waiting"
            ),
        )
        for seconds in waited
    ]
    if died:
        lines += _death(story, job, path, rng)
    else:
        saved = f"successfully saved checkpoint at iteration {done:7d} to {path}"
        lines.append((end, saved))
        lines += write_steps((end + 5, recording.until - 3), done, rng, spacing=44)
    text = "".join(f"{write_iso(at, digits=3)} {words}\n" for at, words in sorted(lines))
    return TextFile(
        path=f"app/slurm-{job}/slurm-{job}.log",
        text=text,
        source="app",
        target=f"slurm:{job}",
        command=f"cat slurm-{job}.out",
        taken=recording.taken,
    )


def _death(story: Plan, job: int, path: str, rng: random.Random) -> Lines:
    """Write how ranks on nodes that were put out lose their writes, and how the step ends."""
    members = sorted(c.host.name for c in story.clients.values() if c.job == job)
    lines: Lines = []
    lost: list[Client] = [c for c in story.clients.values() if c.job == job and c.evicted]
    for client in lost:
        rank = members.index(client.host.name) * 8 + rng.randrange(8)
        file = f"{path}/mp_rank_{rank % 8:02d}/model_optim_rng.pt"
        place = '  File "/workspace/pretrain.py", line 511, in save_checkpoint'
        error = f"OSError: [Errno 5] Input/output error: '{file}'"
        lines += write_traceback(rank, client.told + rng.uniform(0.3, 2), place, error)
    first = min(lost, key=lambda client: client.told)
    at = first.told + rng.uniform(6, 12)
    others = [name for name in members if name != first.host.name]
    peer = rng.choice(others)
    rank = members.index(peer) * 8 + rng.randrange(8)
    lines += write_peer_closed(rank, at, node=peer, peer=first.host.name, rng=rng)
    task = members.index(first.host.name) * 8 + rng.randrange(8)
    stamp = datetime.fromtimestamp(at + 2, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return [
        *lines,
        (at + 1, f"srun: error: {first.host.name}: task {task}: Exited with exit code 1"),
        (at + 1.2, "srun: Terminating StepId=" + f"{job}.0"),
        (at + 2, f"slurmstepd: error: *** STEP {job}.0 ON {members[0]} CANCELLED AT {stamp} ***"),
    ]


def _commands(recording: Recording, story: Plan, rng: random.Random) -> None:
    """Record what an operator looked at once the complaints were there."""
    at, server = recording.taken - rng.uniform(100, 300), story.target.server.name
    recording.commands.append(
        Command(server, ("multipath", "-ll"), "multipath-ll", at, kernel.write_paths(story.target))
    )
    text = "\n".join(_show(story, job) for job in story.jobs)
    witness = rng.choice(sorted(story.clients))
    recording.commands.append(
        Command(witness, ("scontrol", "show", "job"), "scontrol-show-job", at + 60, text)
    )
    for host in recording.hosts.values():
        recording.commands.append(nfs_outage.record_tracking(host, at + 5))


def _show(story: Plan, job: int) -> str:
    """Write what `scontrol show job` tells of a job."""
    members = sorted(c.host.name for c in story.clients.values() if c.job == job)
    state = "FAILED Reason=NonZeroExitCode" if story.dead(job) else "RUNNING Reason=None"
    return (
        f"JobId={job} JobName=pretrain-{job % 97}\n"
        "   UserId=trainer(2001) GroupId=ml(2000) MCS_label=N/A\n"
        f"   JobState={state} Dependency=(null)\n"
        f"   NodeList={','.join(members)}\n   BatchHost={members[0]}\n"
        f"   NumNodes={len(members)} NumCPUs={len(members) * 192} CPUs/Task=24\n"
        f"   Command=/home/trainer/run.sh\n   StdOut=/home/trainer/slurm-{job}.out\n"
    )


def _metrics(recording: Recording, story: Plan, rng: random.Random) -> None:
    def busy(host: str, at: float) -> bool:
        client = story.clients.get(host)
        if client is None or at < story.last_path:
            return client is not None
        return story.dead(client.job) is None and at > story.back + 15

    gang_cluster.add_metrics(recording, rng, busy, step=60)
    recording.metrics[:] = [
        metric for metric in recording.metrics if metric.name != "kube_node_status_condition"
    ]


def _report(recording: Recording, story: Plan) -> None:
    dead = [job for job in story.jobs if story.dead(job)]
    last = max(at for job in dead if (at := story.dead(job)))
    recording.alerts.append(
        write_alert(
            "SlurmJobFailed",
            last + 90,
            "warning",
            ("Slurm job failed", f"Job {dead[0]} ended in state FAILED"),
            cluster="corvus",
        )
    )
    told = ", ".join(str(job) for job in dead)
    recording.ask(
        en=f"Jobs {told} died with 'Input/output error' while they wrote checkpoints to /scratch, "
        "and the nodes say that Lustre evicted them. Is their InfiniBand broken?",
        zh=f"作业 {told} 在向 /scratch 写检查点时报 Input/output error 退出,"
        "节点日志说被 Lustre 驱逐(evicted)。是这些节点的 InfiniBand 坏了吗?",
    )
