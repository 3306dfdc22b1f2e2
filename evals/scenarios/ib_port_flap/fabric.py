"""The InfiniBand adapters of a host, and what driver, NCCL and exporter say of their ports."""

import random
from dataclasses import dataclass

from evals.background import pair_samples
from evals.model import Host, Metric, Recording
from evals.training import Lines, write_glog

BUSES = (0x1A, 0x29, 0x3C, 0x5B, 0x9C, 0xA9, 0xBC, 0xD9)
"""PCI buses of the eight adapters, one beside each GPU."""
ACK_UNIT_S = 4.096e-6
RETRIES = 7
ACTIVE, DOWN = 4.0, 1.0


@dataclass(frozen=True, slots=True)
class Port:
    """One adapter's port; adapter `index` carries the traffic of GPU `index`."""

    host: Host
    index: int

    @property
    def device(self) -> str:
        """Name the adapter as the RDMA stack does."""
        return f"mlx5_{self.index}"

    @property
    def id(self) -> str:
        """Name it across hosts."""
        return f"{self.host.name}/{self.device}"

    def write_change(self, state: str) -> str:
        """Write the driver's line for a port that is now `state`."""
        bus = BUSES[self.index]
        return f"mlx5_core 0000:{bus:02x}:00.0 {self.device}: Port: 1 Link {state}"


@dataclass(frozen=True, slots=True)
class Outage:
    """One stretch of time in which a port was down."""

    port: Port
    since: float
    until: float

    def log(self, recording: Recording) -> None:
        """Write the pair of lines that the driver prints."""
        name = self.port.host.name
        recording.log(name, self.since, "kernel", self.port.write_change("DOWN"), priority=4)
        recording.log(name, self.until, "kernel", self.port.write_change("ACTIVE"), priority=6)


def count_window(timeout: int) -> float:
    """Return how long, in seconds, an adapter retries before it gives a message up."""
    return ACK_UNIT_S * float(2**timeout) * RETRIES


@dataclass(frozen=True, slots=True)
class Voice:
    """NCCL's prefix of one process: host, pid, thread and GPU."""

    port: Port
    pid: int

    def write(self, text: str) -> str:
        """Write a line of this process."""
        head = f"{self.port.host.name}:{self.pid}:{self.pid + 611}"
        return f"{head} [{self.port.index}] {text}"


def write_start(voice: Voice, at: float, *, rank: int, ranks: int, timeout: int | None) -> Lines:
    """Write how NCCL begins: settings, own address, adapters, size of the communicator."""
    address = voice.port.host.address
    adapters = " ".join(f"[{index}]mlx5_{index}:1/IB" for index in range(len(BUSES)))
    texts = [f"NCCL INFO Bootstrap : Using bond0:{address}<0>"]
    if timeout is not None:
        texts.append(f"NCCL INFO NCCL_IB_TIMEOUT set by environment to {timeout}.")
    texts += [
        f"NCCL INFO NET/IB : Using {adapters} [RO]; OOB bond0:{address}<0>",
        (
            f"NCCL INFO ncclCommInitRank comm 0x55d2c40f1e60 rank {rank} nranks {ranks} "
            f"cudaDev {voice.port.index} nvmlDev {voice.port.index} busId 18000 "
            "commId 0x6f1f8f6e3bb2c0d4 - Init COMPLETE"
        ),
    ]
    return [(at + 0.1 * place, voice.write(text)) for place, text in enumerate(texts)]


def write_completion(voice: Voice, at: float, peer: Host, rng: random.Random) -> Lines:
    """Write the error of a message that nobody acknowledged, and the codes passed up from it."""
    own, far = (f"fe80::{rng.getrandbits(48):x}" for _ in range(2))
    error = (
        f"transport/net_ib.cc:1295 NCCL WARN NET/IB : Got completion from peer "
        f"{peer.address}<{rng.randrange(30000, 60000)}> with status=12 opcode=0 len=0 "
        f"vendor err 129 (Send) localGid {own} remoteGids{far} hca {voice.port.device}"
    )
    chain = ("transport/net.cc:1298 -> 6", "proxy.cc:698 -> 6", "proxy.cc:878 -> 6 [Progress]")
    lines = [(at, voice.write(error))]
    return lines + [
        (at + 0.001 * place, voice.write(f"NCCL INFO {text}"))
        for place, text in enumerate(chain, start=1)
    ]


def write_port_events(voice: Voice, outage: Outage) -> Lines:
    """Write what NCCL's event thread prints on the host whose port goes and comes back."""
    where = "transport/net_ib.cc:94 NCCL WARN NET/IB :"
    device = f"{voice.port.device}:1"
    return [
        (outage.since + 0.02, voice.write(f"{where} {device} Got async event : port error")),
        (outage.until + 0.02, voice.write(f"{where} {device} Got async event : port active")),
    ]


def write_abort(rank: int, at: float) -> Lines:
    """Write how PyTorch's watchdog ends a rank whose communicator reported an error."""
    failed = (
        f"[rank{rank}]:[{write_glog('E', at)} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID "
        f"0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: "
        "NCCL error: remote process exited or there was a network error, NCCL version 2.21.5"
    )
    remote = (
        f"[rank{rank}]: ncclRemoteError: A call failed possibly due to a network error or a remote "
        "process exiting prematurely."
    )
    return [(at, failed), (at + 0.001, remote)]


def sample_ports(
    hosts: list[Host], outages: list[Outage], retried: dict[str, list[float]], times: list[float]
) -> list[Metric]:
    """Sample every port; `retried` says when a sender counted missing acknowledgements.

    A scrape sees a port down only if it falls into the outage; the counters keep what it missed.
    """
    found = []
    for port in (Port(host, index) for host in hosts for index in range(len(BUSES))):
        own = [outage for outage in outages if outage.port == port]
        labels = {"instance": f"{port.host.name}:9100", "job": "node", "device": port.device}
        labels["port"] = "1"
        states = [DOWN if any(o.since <= at < o.until for o in own) else ACTIVE for at in times]
        downs = [float(sum(o.since <= at for o in own)) for at in times]
        missed = retried.get(port.id, [])
        retries = [float(sum(moment <= at for moment in missed)) for at in times]
        found += [
            pair_samples("node_infiniband_state_id", labels, times, states),
            pair_samples("node_infiniband_link_downed_total", labels, times, downs),
            pair_samples("node_infiniband_local_ack_timeout_errors_total", labels, times, retries),
        ]
    return found
