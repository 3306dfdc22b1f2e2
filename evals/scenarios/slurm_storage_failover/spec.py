"""The twin of the Astra outage on Slurm: same storage, other amplifier.

The health-check program lies on the shared path and writes to it. slurmd gives it 60 s, and its
failure drains the node. Where slurmd's own step start or prolog waits on the share, it stops
answering: `Not responding`, DOWN, the job is requeued. The rest of the job's tasks cannot be
killed while they wait, so their nodes are drained with `Kill task failed` and stay so until
somebody resumes them, long after the storage is back.
"""

import random
from datetime import UTC, datetime
from typing import Protocol

from evals import background
from evals.alerts import write_alert
from evals.model import Command, Recording, TextFile, open_stream, write_iso
from evals.scenarios import gpu_health, nfs_outage
from evals.scenarios.slurm_storage_failover import plan
from evals.scenarios.slurm_storage_failover.plan import (
    ID,
    PING_EVERY_S,
    SLURMD_TIMEOUT_S,
    UNKILLABLE_S,
    JobStory,
    NodeStory,
    Plan,
)
from evals.scenarios.storage_log import write_storage_log
from evals.training import STEP_S, Lines, write_steps

NOISE = 10_000
FIRST_STEP = 7000
PROGRAM = "/data/ops/sbin/node_health.sh"
CONFIG = f"""Configuration data as of NOW
HealthCheckInterval     = 120 sec
HealthCheckNodeState    = ANY
HealthCheckProgram      = {PROGRAM}
KillWait                = 30 sec
SlurmdTimeout           = {SLURMD_TIMEOUT_S:.0f} sec
SlurmctldTimeout        = 120 sec
UnkillableStepTimeout   = {UNKILLABLE_S:.0f} sec
"""


class Say(Protocol):
    """How a line is logged: time, text, priority."""

    def __call__(self, at: float, text: str, priority: int = 6) -> None:
        """Log one line."""
        ...


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the outage; `scale` thins background noise only."""
    story = plan.make(seed)
    recording = plan.FRAME.open(seed, story.outage.failover)
    recording.add_hosts([*(node.host for node in story.nodes.values()), story.controller])
    words = open_stream(ID, seed, "words")
    nfs_outage.log_kernel(recording, story.outage, words, share=0.5)
    nfs_outage.add_host_commands(recording, story.outage, words, story.looked, hung_share=0.6)
    gpu_health.add_readings(recording, words, story.looked + 20)
    recording.files.append(write_storage_log(story.outage, words, recording))
    for node in story.nodes.values():
        _slurmd(recording, story, node, words)
    _slurmctld(recording, story, words)
    for job in story.jobs:
        recording.files.append(_output(recording, story, job, words))
    _control_commands(recording, story)
    noise = open_stream(ID, seed, "noise")
    _metrics(recording, story, noise)
    background.add_journals(
        recording, noise, max(30, round(NOISE * scale)), writers=background.PLAIN_WRITERS
    )
    recording.alerts += _alerts(story)
    recording.alerts_taken = story.looked + 150
    _ask(recording, story)
    recording.facts |= story.outage.facts(story.witness)
    return recording


def _slurmd(recording: Recording, story: Plan, node: NodeStory, rng: random.Random) -> None:
    name = node.host.name

    def say(at: float, text: str, priority: int = 3) -> None:
        recording.log(name, at, "slurmd", text, priority=priority)

    at = story.since + rng.uniform(1, 100)
    while at < story.outage.failover - 90:
        recording.log(name, at, "node-health", "PASS: 8 GPUs answer, /data writable")
        at += 120
    for failed in node.check_failed:
        say(failed, "error: run_command: health_check poll timeout @ 60000 msec")
        recording.log(
            name,
            failed + 0.1,
            "node-health",
            f"ERROR: cannot write temp file to {nfs_outage.PROBE_FILE}",
            priority=3,
        )
        recording.log(
            name,
            failed + 0.2,
            "node-health",
            f"ERROR: healthcheck failed for node {name}",
            priority=3,
        )
    job = next(job for job in story.jobs if job.number == node.job)
    stall = story.outage.stalls[name]
    if job.requeued and not node.down and job.requeued + UNKILLABLE_S < stall.end:
        say(
            job.requeued + UNKILLABLE_S + 1,
            f"error: *** STEP {job.number}.0 STEPD TERMINATED ON {name} AT {_stamp(job.requeued)} "
            "DUE TO JOB NOT ENDING WITH SIGNALS ***",
        )
    recording.log(name, stall.end + 20, "node-health", "PASS: 8 GPUs answer, /data writable")
    say(stall.end + 20.1, "debug: health_check success rc:0 output:PASS", 7)


def _slurmctld(recording: Recording, story: Plan, rng: random.Random) -> None:
    control = story.controller.name

    def say(at: float, text: str, priority: int = 6) -> None:
        recording.log(control, at, "slurmctld", text, priority=priority)

    at = story.since + 20
    while at < story.outage.failover:
        say(at, f"sched: Allocate JobId={rng.randrange(1000, 9000)} NodeList={control} #CPUs=2")
        at += 600
    for node in story.nodes.values():
        name = node.host.name
        say(node.drained, f"update_node: node {name} reason set to: health check failed")
        say(node.drained + 0.01, f"update_node: node {name} state set to DRAINING")
        if node.silent and node.down:
            missed = node.silent
            while missed < node.down - 5:
                say(missed, f"error: Nodes {name} not responding", 3)
                missed += PING_EVERY_S * 2
            say(node.down, f"error: Nodes {name} not responding, setting DOWN", 3)
            back = story.outage.stalls[name].end + rng.uniform(2, 12)
            say(back, f"Node {name} now responding")
    for job in story.jobs:
        _job_lines(story, job, say, rng)


def _job_lines(story: Plan, job: JobStory, say: Say, rng: random.Random) -> None:
    if job.requeued:
        lost = min(
            (story.nodes[name] for name in job.nodes if story.nodes[name].down),
            key=lambda node: node.down or 0.0,
        )
        say(
            job.requeued,
            f"requeue job JobId={job.number} due to failure of node {lost.host.name}",
            4,
        )
        for name in job.nodes:
            node = story.nodes[name]
            at = job.requeued + UNKILLABLE_S + rng.uniform(1.5, 6)
            if node.down is None and at < story.outage.stalls[name].end:
                say(at, f"update_node: node {name} reason set to: Kill task failed", 4)
                say(at + 0.01, f"update_node: node {name} state set to DRAINED", 4)
    for name in job.nodes:
        say(job.restarted - rng.uniform(60, 200), f"update_node: node {name} state set to IDLE")
    if job.requeued:
        say(job.restarted, f"sched: Allocate JobId={job.number} NodeList={','.join(job.nodes)}")


def _output(recording: Recording, story: Plan, job: JobStory, rng: random.Random) -> TextFile:
    """Write the job's own output file, as Slurm collects it."""
    begin = max(story.outage.stalls[name].begin for name in job.nodes)
    lines: Lines = write_steps((story.since, begin - 3), FIRST_STEP, rng, spacing=44)
    done = FIRST_STEP + int((begin - 3 - story.since) // STEP_S)
    end = job.requeued or story.outage.over()
    lines += _checkpoint(job, begin, end, done)
    restart = job.restarted + 60 if job.requeued else end + 5
    lines += write_steps((restart, story.until), done, rng, spacing=44)
    text = "".join(f"{write_iso(at, digits=3)} {words}\n" for at, words in sorted(lines))
    return TextFile(
        path=f"app/slurm-{job.number}/slurm-{job.number}.log",
        text=text,
        source="app",
        target=f"slurm:{job.number}",
        command=f"cat slurm-{job.number}.out",
        taken=recording.taken,
    )


def _checkpoint(job: JobStory, begin: float, end: float, done: int) -> Lines:
    """Write how a checkpoint that begins with the stall waits, and is saved or cancelled."""
    folder = f"/data/checkpoints/{job.number}"
    lines: Lines = [(begin - 1, f"saving checkpoint at iteration {done:7d} to {folder}")]
    waited = [61 + 60 * n for n in range(6) if begin + 61 + 60 * n < end]
    lines += [
        (
            begin + seconds,
            (
                f"[rank0]: WARNING: checkpoint write to {folder}/iter_{done:07d} blocked for "
                f"{seconds} s, still waiting"
            ),
        )
        for seconds in waited
    ]
    saved = f"successfully saved checkpoint at iteration {done:7d} to {folder}"
    if not job.requeued:
        return [*lines, (end + 4, saved)]
    cancelled = (
        f"slurmstepd: error: *** JOB {job.number} ON {job.nodes[0]} CANCELLED AT {_stamp(end)} "
        "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    return [*lines, (end + 1, cancelled)]


def _stamp(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _control_commands(recording: Recording, story: Plan) -> None:
    at, control = story.looked + 10, story.controller.name
    lines = ["JOBID NAME STATE NODELIST"]
    lines += [f"{job.number} {job.name} RUNNING {','.join(job.nodes)}" for job in story.jobs]
    drained = [node for node in story.nodes.values() if node.drained <= at]
    reasons = ["REASON               USER      TIMESTAMP           NODELIST"]
    reasons += [
        f"health check failed  root      {nfs_outage.write_wall(node.drained).replace(' ', 'T')} "
        f"{node.host.name}"
        for node in drained
    ]
    recording.commands += [
        Command(control, ("scontrol", "show", "config"), "scontrol-config", at, CONFIG),
        Command(
            control, ("squeue", "-o", "%i %j %T %N"), "squeue", at + 1, "\n".join(lines) + "\n"
        ),
        Command(control, ("sinfo", "-R"), "sinfo-R", at + 2, "\n".join(reasons) + "\n"),
    ]


def _metrics(recording: Recording, story: Plan, rng: random.Random) -> None:
    times = background.list_ticks(story.since + 10 * 60, story.until, 30)
    over = story.outage.over()

    def busy(host: str, at: float) -> bool:
        node = story.nodes.get(host)
        return node is not None and (at < node.drained + 60 or at > over + 900)

    background.add_gpu_metrics(recording, rng, times, busy)
    background.add_host_metrics(recording, rng, times)
    recording.metrics += nfs_outage.sample_clients(story.outage, rng, times)


def _alerts(story: Plan) -> list[dict[str, object]]:
    outage = story.outage
    first = min(node.drained for node in story.nodes.values())
    return [
        write_alert(
            "StorageLatencyHigh",
            outage.failover + 95,
            "warning",
            (
                "NFS latency on /data is high",
                f"p99 NFS operation latency on {outage.server}:/data is above 30 s",
            ),
            cluster="vega",
            server=outage.server,
        ),
        write_alert(
            "SlurmNodesDraining",
            first + 60,
            "critical",
            ("Slurm nodes are draining", "More than 5 nodes were drained within 5 minutes"),
            cluster="vega",
        ),
    ]


def _ask(recording: Recording, story: Plan) -> None:
    numbers = ", ".join(str(job.number) for job in story.jobs[:3])
    recording.ask(
        en=f"Half of the cluster is drained or down and jobs {numbers} were requeued. "
        f"df hangs on {story.witness}. Are the nodes dying?",
        zh=f"集群一半节点被 drain 或 down,作业 {numbers} 被重新排队,"
        f"{story.witness} 上 df 卡住。是节点坏了吗?",
    )
