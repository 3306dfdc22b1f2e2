"""A notebook that nobody ended holds most of one GPU; the job that is given the GPU runs out.

The scheduler counts what it gave out, and the notebook was started by hand over ssh. So the pod
gets all eight GPUs, loads its model, and one rank finds a card with a few GiB left. No Xid, no
kernel line: the allocator's own arithmetic, the process list and the memory gauge tell it.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from evals import background, fleet
from evals.alerts import write_alert
from evals.background import pair_samples
from evals.model import Frame, Gpu, Host, Recording, happens, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.training import draw_gang, write_child_failure, write_peer_closed, write_traceback

ID = "cuda-oom-other-process"
NODES = 10
NOISE = 4000
TOTAL_GIB = 79.10
CONTEXT_GIB = 0.53
"""What CUDA itself takes for a process, beside what the allocator counts."""
SETUP_S = 75.0
"""From the pods' start to the first forward pass."""
ANCHOR = read_epoch("2025-06-11T09:50:00Z")
FRAME = Frame(
    ID,
    "lyra",
    "Training job fails at its first step: CUDA out of memory",
    before_s=5 * 3600,
    after_s=18 * 60,
    reported_s=30 * 60,
)


@dataclass(frozen=True, slots=True)
class Notebook:
    """The process that holds the memory."""

    host: Host
    gpu: Gpu
    pid: int
    user: str
    uid: int
    session: int
    started: float
    loaded: float
    held_gib: float

    @property
    def program(self) -> str:
        """Name its interpreter as the host sees it."""
        return f"/home/{self.user}/miniconda3/envs/nb/bin/python"


@dataclass(frozen=True, slots=True)
class Failure:
    """The allocation that failed."""

    at: float
    pid: int
    own_gib: float
    request_gib: float
    namespaced: bool
    """Whether the program lives in a container without the host's process names."""


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    at = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, at)
    hosts = fleet.draw_hosts(
        rng, gang_cluster.draw_names(rng, NODES), subnet="10.60", booted=at - 3e6
    )
    recording.add_hosts(hosts)
    victim = rng.randrange(NODES)
    book = _draw_notebook(rng, hosts[victim], at)
    failure = _draw_failure(rng, book, at)
    gang = draw_gang(rng, "rlhf-actor", hosts, at - SETUP_S - rng.uniform(8, 20))
    cluster = GangCluster(recording, gang, rng)
    _session(recording, book, rng)
    _decoys(recording, hosts, book, rng)
    _logs(cluster, victim, book, failure, rng=rng)
    _objects(cluster, victim, at, rng)
    _readings(recording, book, rng)
    noise = open_stream(ID, seed, "noise")
    started = gang.pods[0].created + 30
    times = gang_cluster.add_metrics(
        recording, noise, lambda _host, now: started < now < at, hours=4.5
    )
    _memory(recording, cluster, book, times, span=(started, at), rng=noise)
    background.add_journals(recording, noise, max(30, round(NOISE * scale)))
    _report(recording, gang.name, book, at)
    recording.facts |= {
        **gang_cluster.name_gpu(book.host, book.gpu),
        "process": f"{book.host.name}/{book.pid}",
        "process_by_pod": f"train/{gang.pods[victim].name}/{book.pid}",
        "first_anomaly": write_iso(book.started),
    }
    return recording


def _draw_notebook(rng: random.Random, host: Host, at: float) -> Notebook:
    user = rng.choice(("linwei", "mkumar", "chenyu", "apetrov", "zhaoqi"))
    started = at - rng.uniform(1.2, 3.8) * 3600
    return Notebook(
        host=host,
        gpu=rng.choice(host.gpus),
        pid=gang_cluster.draw_pid(rng),
        user=user,
        uid=rng.randrange(1001, 1400),
        session=rng.randrange(300, 4000),
        started=started,
        loaded=started + rng.uniform(40, 200),
        held_gib=round(rng.uniform(52, 66), 2),
    )


def _draw_failure(rng: random.Random, book: Notebook, at: float) -> Failure:
    """Draw an allocation that an empty card would have served."""
    request = rng.choice((1.0, 1.5, 2.0, 2.5))
    left = TOTAL_GIB - book.held_gib
    return Failure(
        at=at,
        pid=gang_cluster.draw_pid(rng),
        own_gib=round(left - request * rng.uniform(0.1, 0.9), 2),
        request_gib=request,
        namespaced=happens(rng, 0.7),
    )


def _session(recording: Recording, book: Notebook, rng: random.Random) -> None:
    """Log how its owner came and left; the notebook stayed."""
    name, session = book.host.name, f"{book.session}"
    port, begun = rng.randrange(32768, 60999), book.started - rng.uniform(60, 400)
    came = f"Accepted publickey for {book.user} from 10.0.9.{rng.randrange(250)} port {port} ssh2"
    opened = f"Started session-{session}.scope - Session {session} of User {book.user}."
    gone = f"Session {session} logged out. Waiting for processes to exit."
    lines = (
        (begun, "sshd", came),
        (begun + 0.3, "systemd-logind", f"New session {session} of user {book.user}."),
        (begun + 0.4, "systemd", opened),
        (book.loaded + rng.uniform(400, 2400), "systemd-logind", gone),
    )
    for at, unit, text in lines:
        recording.log(name, at, unit, text)


def _decoys(
    recording: Recording, hosts: Sequence[Host], book: Notebook, rng: random.Random
) -> None:
    """Log an old crash of the notebook's on the same GPU, and corrected errors elsewhere."""
    old = recording.since - rng.uniform(6, 20) * 86400
    text = f"43, pid={book.pid - 911}, name=python, Ch 00000008"
    gpu = book.gpu
    recording.log(book.host.name, old, "kernel", f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}")
    recording.log(
        book.host.name, old + 0.01, "kernel", f"NVRM: Xid (PCI:{gpu.bdf}): {text}", priority=3
    )
    host = rng.choice([host for host in hosts if host is not book.host])
    noisy, at = rng.choice(host.gpus), recording.since + 40
    while at < recording.until:
        for offset, line in enumerate(_corrected(noisy)):
            recording.log(host.name, at + offset * 1e-5, "kernel", line, priority=4)
        at += rng.uniform(500, 900)


def _corrected(gpu: Gpu) -> tuple[str, ...]:
    device = f"{gpu.bdf}.0"
    kind = "severity=Corrected, type=Data Link Layer, (Transmitter ID)"
    return (
        f"pcieport {gpu.port}: AER: Corrected error received: {device}",
        f"nvidia {device}: PCIe Bus Error: {kind}",
        f"nvidia {device}:    [12] Timeout",
    )


def _write_size(gib: float) -> str:
    """Write an amount as PyTorch does."""
    return f"{gib:.2f} GiB" if gib >= 1 else f"{gib * 1024:.2f} MiB"


def _write_message(book: Notebook, failure: Failure, rng: random.Random) -> str:
    """Write the allocator's message: every process on the card, in no certain order."""
    spare = rng.uniform(0.2, min(0.8, failure.request_gib * 0.8))
    allocated = failure.own_gib - CONTEXT_GIB - spare
    own = f"{_write_size(failure.own_gib)} memory in use. "
    me = "Including non-PyTorch memory, this process has "
    clauses = [
        f"Process {book.pid} has {_write_size(book.held_gib)} memory in use. ",
        (f"Process {failure.pid} has " if failure.namespaced else me) + own,
    ]
    rng.shuffle(clauses)
    free = TOTAL_GIB - book.held_gib - failure.own_gib
    return (
        "torch.OutOfMemoryError: CUDA out of memory. "
        f"Tried to allocate {_write_size(failure.request_gib)}. "
        f"GPU {book.gpu.index} has a total capacity of {_write_size(TOTAL_GIB)} of which "
        f"{_write_size(free)} is free. {''.join(clauses)}Of the allocated memory "
        f"{_write_size(allocated)} is allocated by PyTorch, and {_write_size(spare)} is reserved "
        "by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See "
        "documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )


def _logs(
    cluster: GangCluster, victim: int, book: Notebook, failure: Failure, *, rng: random.Random
) -> None:
    since = cluster.gang.pods[0].created + 40
    at, node = failure.at, book.host.name
    message = _write_message(book, failure, rng)
    for index, spec in enumerate(cluster.gang.pods):
        lines = [
            (since, "init_process_group(backend=nccl, timeout=600)"),
            (since + 12, "loading checkpoint from /ckpt/sft-final (tensor parallel 8)"),
            (since + 30, "model loaded, building optimizer"),
        ]
        if index == victim:
            rank = index * 8 + book.gpu.index
            place = '  File "/workspace/actor/train.py", line 388, in train_step'
            lines += write_traceback(rank, at, place, message)
            lines += write_child_failure(at + 1.8, book.gpu.index, 1, rng)
        else:
            rank, late = index * 8 + rng.randrange(8), at + rng.uniform(2.5, 7)
            lines += write_peer_closed(rank, late, node=spec.node, peer=node, rng=rng)
            lines += write_child_failure(late + 3, rank % 8, 1, rng)
        cluster.log(index, lines)


def _objects(cluster: GangCluster, victim: int, at: float, rng: random.Random) -> None:
    cluster.nodes()
    for index, spec in enumerate(cluster.gang.pods):
        until = at + (3 if index == victim else rng.uniform(9, 16))
        cluster.pod_failed(index, spec.created + 30, until, code=1)
    cluster.job(cluster.gang.pods[0].created, at + 25)
    cluster.list()


def _readings(recording: Recording, book: Notebook, rng: random.Random) -> None:
    """Record NVML after the job is gone: one card of the fleet is not empty."""
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    for _, body in recording.nvml.values():
        gpus = body["gpus"]
        if isinstance(gpus, list):
            for gpu in gpus:
                gpu |= {"memory_used_bytes": 5 << 20, "power_w": 71.0, "processes": []}
    _, body = recording.nvml[book.host.name]
    gpus = body["gpus"]
    if isinstance(gpus, list):
        gpus[book.gpu.index] |= {
            "memory_used_bytes": round(book.held_gib * 2**30),
            "processes": [_list_process(book, rng)],
        }


def _list_process(book: Notebook, rng: random.Random) -> dict[str, object]:
    service = f"user@{book.uid}.service/jupyter.scope"
    scope = rng.choice((f"session-{book.session}.scope", service))
    return {
        "pid": book.pid,
        "memory_used_bytes": round(book.held_gib * 2**30),
        "name": book.program,
        "started": write_iso(book.started),
        "cgroup": f"/user.slice/user-{book.uid}.slice/{scope}",
    }


def _memory(
    recording: Recording,
    cluster: GangCluster,
    book: Notebook,
    times: list[float],
    *,
    span: tuple[float, float],
    rng: random.Random,
) -> None:
    """Sample the memory gauge: the job's own use everywhere, the notebook's on one card."""
    since, at = span
    for spec in cluster.gang.pods:
        for gpu in recording.hosts[spec.node].gpus:
            labels = {"gpu": str(gpu.index), "UUID": gpu.uuid, "Hostname": spec.node}
            own = rng.uniform(15, 18) * 1024
            held = [
                (own if since + 30 < now < at + 2 else 5.0)
                + (book.held_gib * 1024 if gpu is book.gpu and now > book.loaded else 0.0)
                for now in times
            ]
            used = [round(min(value, TOTAL_GIB * 1024), 1) for value in held]
            recording.metrics.append(pair_samples("DCGM_FI_DEV_FB_USED", labels, times, used))


def _report(recording: Recording, job: str, book: Notebook, at: float) -> None:
    words = ("Job failed", f"Job train/{job} failed to complete")
    recording.alerts.append(
        write_alert("KubeJobFailed", at + 80, "warning", words, namespace="train", job_name=job)
    )
    recording.ask(
        en=f"{job} dies with CUDA out of memory on {book.host.name} at its first step, with the "
        "same batch size as last week. The new image must leak GPU memory, please roll it back.",
        zh=f"{job} 第一步就在 {book.host.name} 上报 CUDA out of memory,batch size 与上周相同。"
        "应该是新镜像有显存泄漏,请回滚镜像。",
    )
