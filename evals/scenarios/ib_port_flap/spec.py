"""A port of one host is down for longer than its senders retry; another host prints the error.

The adapters that send to the lost port repeat each message seven times, then give it up: NCCL on
those hosts reports status 12 and names the peer's address. The port is back by then. Elsewhere in
the job a second port flaps ten times, each time for a second or two, and nothing comes of it.
"""

import random
from dataclasses import dataclass

from evals import background, fleet
from evals.alerts import write_alert
from evals.model import Command, Frame, Host, Recording, happens, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster, gpu_health
from evals.scenarios.gang_cluster import GangCluster
from evals.scenarios.ib_port_flap import fabric
from evals.scenarios.ib_port_flap.fabric import Outage, Port, Voice
from evals.training import (
    RANKS_PER_POD,
    WATCHDOG_S,
    Lines,
    draw_collective,
    draw_gang,
    write_child_failure,
    write_giving_up,
    write_peer_closed,
    write_steps,
)

ID = "ib-port-flap"
NODES = 16
FLAPS = 10
NOISE = 2200
DEFAULT_TIMEOUT = 20
ANCHOR = read_epoch("2025-08-27T19:05:00Z")
FRAME = Frame(
    ID,
    "vega",
    "Training stopped: NCCL reports an InfiniBand error on one node",
    before_s=100 * 60,
    after_s=24 * 60,
    reported_s=60 * 60,
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Who loses a port, for how long, who notices, and whose port only flaps."""

    hosts: list[Host]
    victim: int
    outage: Outage
    flaps: list[Outage]
    timeout: int | None
    """NCCL_IB_TIMEOUT where the job sets it."""
    gave_up: float
    both_ways: bool
    """Whether the victim, too, had a message under way."""

    @property
    def sender(self) -> int:
        """The host that sends to the victim, in the ring of the rail."""
        return (self.victim - 1) % len(self.hosts)


def record(seed: int, scale: float = 1.0) -> Recording:
    """Play the fault; `scale` thins background noise only."""
    rng = open_stream(ID, seed, "story")
    fault = gang_cluster.draw_moment(rng, ANCHOR)
    recording = FRAME.open(seed, fault)
    names = gang_cluster.draw_names(rng, NODES)
    hosts = fleet.draw_hosts(rng, names, subnet="10.60", booted=fault - 3e6)
    recording.add_hosts(hosts)
    plan = _plan(hosts, fault, rng)
    for outage in (plan.outage, *plan.flaps):
        outage.log(recording)
    _old_xid(recording, hosts[plan.sender], rng)
    cluster = GangCluster(recording, draw_gang(rng, "moe-base", hosts, fault - 2e5), rng)
    _logs(cluster, plan, rng)
    _objects(cluster, plan)
    gpu_health.add_readings(recording, rng, recording.taken - 60)
    _links(recording, plan)
    noise = open_stream(ID, seed, "noise")
    times = gang_cluster.add_metrics(recording, noise, lambda _host, at: at < fault)
    ports = [plan.outage, *plan.flaps]
    recording.metrics += fabric.sample_ports(hosts, ports, _retries(plan), times)
    background.add_journals(recording, noise, max(60, round(NOISE * scale)))
    _report(recording, plan, cluster.gang.name)
    recording.facts |= {
        "port": plan.outage.port.id,
        "host": hosts[plan.victim].name,
        "sender": hosts[plan.sender].name,
        "flapping": plan.flaps[0].port.id,
        "first_anomaly": write_iso(fault),
        "mark": rf"\b{plan.outage.port.device}:(?: Port: 1 Link|1 Got async event)",
        "window_s": f"{fabric.count_window(plan.timeout or DEFAULT_TIMEOUT):.1f}",
    }
    return recording


def _plan(hosts: list[Host], fault: float, rng: random.Random) -> Plan:
    victim = rng.randrange(NODES)
    timeout = rng.choice((None, None, None, 18, 19))
    window = fabric.count_window(timeout or DEFAULT_TIMEOUT)
    port = Port(hosts[victim], rng.randrange(8))
    away = [n for n in range(NODES) if (n - victim) % NODES not in {0, 1, 2, NODES - 1, NODES - 2}]
    rails = [index for index in range(len(fabric.BUSES)) if index != port.index]
    other = Port(hosts[rng.choice(away)], rng.choice(rails))
    spread = [-rng.uniform(40, 90), *(rng.uniform(-2400, 240) for _ in range(FLAPS - 1))]
    flaps = [
        Outage(other, fault + at, fault + at + rng.uniform(0.6, 2.6))
        for at in _space(sorted(spread))
    ]
    return Plan(
        hosts=hosts,
        victim=victim,
        outage=Outage(port, fault, fault + window * rng.uniform(1.35, 2.2)),
        flaps=flaps,
        timeout=timeout,
        gave_up=window * rng.uniform(1.01, 1.2),
        both_ways=happens(rng, 0.5),
    )


def _space(moments: list[float]) -> list[float]:
    """Keep flaps at least ten seconds apart."""
    found: list[float] = []
    for at in moments:
        found.append(max(at, found[-1] + 10) if found else at)
    return found


def _retries(plan: Plan) -> dict[str, list[float]]:
    """Say when the senders count: seven times for the lost port, once for each short loss."""
    step = plan.gave_up / (fabric.RETRIES + 1)
    long = [plan.outage.since + step * (n + 1) for n in range(fabric.RETRIES)]
    short = [flap.until + step for flap in plan.flaps]
    place = plan.hosts.index(plan.flaps[0].port.host)
    return {
        Port(plan.hosts[plan.sender], plan.outage.port.index).id: long,
        Port(plan.hosts[(place - 1) % NODES], plan.flaps[0].port.index).id: short,
    }


def _old_xid(recording: Recording, host: Host, rng: random.Random) -> None:
    """Log a crash of an earlier program on the host that will print the error."""
    gpu, pid = rng.choice(host.gpus), gang_cluster.draw_pid(rng)
    at = recording.since + rng.uniform(120, 900)
    head = f"NVRM: Xid (PCI:{gpu.bdf}): "
    for offset, text in (
        (0.0, f"NVRM: GPU at PCI:{gpu.bdf}: {gpu.uuid}"),
        (
            0.01,
            (
                f"{head}13, pid={pid}, name=pytest, Graphics SM Warp Exception on "
                "(GPC 0, TPC 1, SM 0): Out Of Range Address"
            ),
        ),
        (0.4, f"{head}43, pid={pid}, name=pytest, Ch 00000008"),
    ):
        recording.log(host.name, at + offset, "kernel", text, priority=3)


def _logs(cluster: GangCluster, plan: Plan, rng: random.Random) -> None:
    """Let the sender fail first, its other neighbour lose it, and all others wait."""
    fault, work = plan.outage.since, draw_collective(rng)
    broke = fault + plan.gave_up
    for index, spec in enumerate(cluster.gang.pods):
        lines = _start(cluster, plan, index, rng)
        if index == plan.sender:
            lines += _give_up(plan, index, broke, rng)
        elif index == plan.victim:
            lines += fabric.write_port_events(_voice(plan, index, rng), plan.outage)
            if plan.both_ways:
                lines += _give_up(plan, index, broke + rng.uniform(0.4, 4), rng)
            else:
                ranks = cluster.gang.ranks(index)
                lines += write_giving_up(ranks, fault + WATCHDOG_S, work, rng, spread=9)
        elif index == (plan.sender - 1) % NODES:
            rank = index * RANKS_PER_POD + plan.outage.port.index
            lost = plan.hosts[plan.sender].name
            at = broke + rng.uniform(7, 12)
            lines += write_peer_closed(rank, at, node=spec.node, peer=lost, rng=rng)
            lines += write_child_failure(at + 4, plan.outage.port.index, -6, rng)
        else:
            ranks = cluster.gang.ranks(index)
            lines += write_giving_up(ranks, fault + WATCHDOG_S, work, rng, spread=9)
        cluster.log(index, lines)


def _voice(plan: Plan, index: int, rng: random.Random) -> Voice:
    return Voice(Port(plan.hosts[index], plan.outage.port.index), rng.randrange(900, 9000))


def _start(cluster: GangCluster, plan: Plan, index: int, rng: random.Random) -> Lines:
    since = cluster.recording.since + 4
    voice = Voice(Port(plan.hosts[index], 0), rng.randrange(200, 900))
    ranks = NODES * RANKS_PER_POD
    lines: Lines = [(since, "init_process_group(backend=nccl, timeout=600)")]
    lines += fabric.write_start(
        voice, since + 1, rank=index * RANKS_PER_POD, ranks=ranks, timeout=plan.timeout
    )
    if index == 0:
        lines += write_steps((since + 20, plan.outage.since - 2), 61000, rng)
    return lines


def _give_up(plan: Plan, index: int, at: float, rng: random.Random) -> Lines:
    """Write how the rank on the lost rail fails: it sends to the next host of the ring."""
    peer = plan.hosts[(index + 1) % NODES]
    rank = index * RANKS_PER_POD + plan.outage.port.index
    lines = fabric.write_completion(_voice(plan, index, rng), at, peer, rng)
    lines += fabric.write_abort(rank, at + rng.uniform(0.3, 2))
    return lines + write_child_failure(at + rng.uniform(4, 7), plan.outage.port.index, -6, rng)


def _objects(cluster: GangCluster, plan: Plan) -> None:
    cluster.nodes()
    fault = plan.outage.since
    broke = fault + plan.gave_up
    early = {plan.sender: broke + 8, (plan.sender - 1) % NODES: broke + 22}
    if plan.both_ways:
        early[plan.victim] = broke + 13
    for index, spec in enumerate(cluster.gang.pods):
        until = early.get(index, fault + WATCHDOG_S + cluster.rng.uniform(16, 32))
        cluster.pod_failed(index, spec.created + 40, until, code=1)
    cluster.job(cluster.gang.pods[0].created, fault + WATCHDOG_S + 40)
    cluster.list()


def _links(recording: Recording, plan: Plan) -> None:
    """Show the ports as they are when somebody looks: all of them up again."""
    for index in sorted({plan.sender, plan.victim}):
        host = plan.hosts[index]
        text = "".join(
            f"link mlx5_{n}/1 subnet_prefix fe80:0000:0000:0000 lid {index * 8 + n + 17} sm_lid 1 "
            "lmc 0 state ACTIVE physical_state LINK_UP \n"
            for n in range(len(fabric.BUSES))
        )
        recording.commands.append(
            Command(host.name, ("rdma", "link", "show"), "rdma-link", recording.taken - 30, text)
        )


def _report(recording: Recording, plan: Plan, job: str) -> None:
    words = ("Training made no progress", f"Job {job} printed no step for 10 minutes")
    late = plan.outage.since + WATCHDOG_S + 60
    recording.alerts.append(
        write_alert("TrainingJobStalled", late, "critical", words, namespace="train", job_name=job)
    )
    sender, device = plan.hosts[plan.sender].name, plan.outage.port.device
    flapping = plan.flaps[0].port.host.name
    recording.ask(
        en=f"{job} died. {sender} prints IB error 12 on {device}, so please swap its cable. "
        f"Or is it {flapping}, whose port has been flapping all evening? Nobody ran out of memory.",
        zh=f"{job} 挂了。{sender} 的 {device} 报 IB 错误 12,请更换它的线缆。"
        f"或者是 {flapping}?它的端口整晚都在抖动。没有节点内存不足。",
    )
