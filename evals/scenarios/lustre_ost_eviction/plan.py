"""When what happens to whom while one Lustre target stands on a disk without a path.

The paths of one disk fail one after the other; multipath queues, so that no request fails. The
service threads wait, requests of the clients time out, and clients that cannot write out in time
what they hold under a lock are put out. When a path is back the target goes on as if nothing had
been; the clients that were put out have lost what they had cached.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass

from evals import fleet
from evals.model import Frame, Host, open_stream, read_epoch, write_iso
from evals.scenarios import gang_cluster

ID = "lustre-ost-eviction"
NODES, PER_JOB, SERVERS = 24, 8, 3
FRAME = Frame(
    ID,
    "corvus",
    "Jobs die with input/output errors on /scratch",
    before_s=3 * 3600,
    after_s=24 * 60,
    reported_s=25 * 60,
)
ANCHOR = read_epoch("2025-05-14T14:20:00Z")
FILESYSTEM = "scratch"


@dataclass(frozen=True, slots=True)
class Target:
    """One object storage target, the disk below it and the server that serves it."""

    name: str
    server: Host
    address: str
    """On the storage network."""
    multipath: str
    minor: int
    paths: tuple[tuple[str, str, str], ...]
    """Device, major and minor number, SCSI address of each path."""
    threads: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Client:
    """One compute node through the stall."""

    host: Host
    address: str
    """On the storage network."""
    uuid: str
    device: str
    """How the client's kernel calls its connection to the target."""
    job: int
    timed_out: float
    evicted: float | None
    """When the server put it out; None where it could wait."""
    told: float
    """When it learnt that it was put out, or was served again."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole stall."""

    target: Target
    servers: tuple[Host, ...]
    clients: Mapping[str, Client]
    jobs: tuple[int, ...]
    first_path: float
    last_path: float
    back: float
    """When a path was there again."""

    def dead(self, job: int) -> float | None:
        """Return when a job's first rank lost its data; None where none did."""
        told = [c.told for c in self.clients.values() if c.job == job and c.evicted]
        return min(told) if told else None

    def facts(self) -> dict[str, str]:
        """Name what is true of the stall."""
        target, server = self.target, self.target.server.name
        return {
            "disk": f"{server}/{target.multipath}",
            "disk_by_number": f"{server}/dm-{target.minor}",
            "server": server,
            "server_address": target.address,
            "first_anomaly": write_iso(self.first_path),
        }


def make(seed: int) -> Plan:
    """Draw the stall."""
    rng = open_stream(ID, seed, "story")
    lost = gang_cluster.draw_moment(rng, ANCHOR)
    first = rng.randrange(1, 60)
    names = [f"cn{number:03d}" for number in range(first, first + NODES)]
    hosts = fleet.draw_hosts(rng, names, subnet="10.80", booted=lost - 3e6)
    storage = [f"oss{number:02d}" for number in range(1, SERVERS + 1)]
    servers = fleet.draw_hosts(rng, storage, subnet="10.81", booted=lost - 8e6, gpu_count=0)
    target = _draw_target(rng, rng.choice(servers))
    back = lost + rng.uniform(380, 560)
    number = rng.randrange(60_000, 900_000)
    jobs = tuple(number + 7 * step for step in range(NODES // PER_JOB))
    mixed = rng.sample(hosts, NODES)
    evicted = set(rng.sample(range(PER_JOB * 2), rng.randrange(5, 10)))
    clients = {
        host.name: _draw_client(
            rng, host, jobs[place // PER_JOB], (lost, back), put_out=place in evicted
        )
        for place, host in enumerate(mixed)
    }
    return Plan(
        target=target,
        servers=tuple(servers),
        clients=clients,
        jobs=jobs,
        first_path=lost - rng.uniform(5, 45),
        last_path=lost,
        back=back,
    )


def _draw_target(rng: random.Random, server: Host) -> Target:
    letters = rng.sample("defghijklmnopqrstuvw", 2)
    scsi = rng.randrange(6, 14)
    return Target(
        name=f"{FILESYSTEM}-OST{rng.randrange(2, 30):04x}",
        server=server,
        address=f"10.2.0.{rng.randrange(5, 60)}",
        multipath=rng.choice((f"mpath{rng.choice('cdefgh')}", f"ost_lun{rng.randrange(4, 40)}")),
        minor=rng.randrange(4, 30),
        paths=tuple(
            (f"sd{letter}", f"{8 + 57 * place}:{16 * (ord(letter) - 97)}", f"{scsi}:0:{place}:3")
            for place, letter in enumerate(letters)
        ),
        threads=tuple(
            (
                f"ll_ost_io{rng.randrange(4):02d}_{rng.randrange(120):03d}",
                rng.randrange(9000, 90000),
            )
            for _ in range(rng.randrange(3, 6))
        ),
    )


def _draw_client(
    rng: random.Random, host: Host, job: int, span: tuple[float, float], *, put_out: bool
) -> Client:
    lost, back = span
    evicted = lost + rng.uniform(155, 260) if put_out else None
    return Client(
        host=host,
        address=f"10.2.1.{int(host.address.rpartition('.')[2])}",
        uuid=fleet.draw_uuid(rng),
        device=f"osc-ffff{rng.getrandbits(48):012x}",
        job=job,
        timed_out=lost + rng.uniform(98, 148),
        evicted=evicted,
        told=evicted + rng.uniform(2, 24) if evicted else back + rng.uniform(1, 22),
    )
