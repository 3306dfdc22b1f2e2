"""When which disk was slow, who led, and whose leases were not renewed.

Each control-plane host backs itself up at night, a minute or two after the one before, onto the
disk that its etcd writes to. A member that waits for its disk sends no heartbeats: another is
elected, until that one's backup begins. Each API server asks the etcd of its own host, so the
clients of the first one wait longest.
"""

import random
from dataclasses import dataclass

from evals.fleet import draw_hexadecimal
from evals.model import Host

ELECTION_S = (1.0, 2.0)
GRACE_S = 50.0
"""Node controller: a lease not renewed for so long makes a node Unknown."""
RENEW_S = 10.0
RENEW_DEADLINE_S = 10.0
"""A controller that could not renew its own lease for so long exits."""
STUCK_S = 2.2
"""A leader whose disk write takes longer than this is replaced."""


@dataclass(frozen=True, slots=True)
class Sync:
    """One slow write of the log to the disk; etcd tells when it is over."""

    begin: float
    took: float

    @property
    def end(self) -> float:
        """Return when it was over."""
        return self.begin + self.took


@dataclass(frozen=True, slots=True)
class Member:
    """One etcd member and what kept its disk busy."""

    host: Host
    id: str
    busy: tuple[float, float]
    syncs: tuple[Sync, ...]


@dataclass(frozen=True, slots=True)
class Election:
    """One change of the leader."""

    at: float
    term: int
    lost: int
    """Index of the member that led."""
    won: int


@dataclass(frozen=True, slots=True)
class Silence:
    """While the renewals of one node's lease failed."""

    node: str
    since: float
    until: float
    marked: float
    """When the node controller called it Unknown; 0 where it did not."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The whole night."""

    members: tuple[Member, ...]
    elections: tuple[Election, ...]
    silences: tuple[Silence, ...]
    lost_lease: float
    """When the controller manager that led gave up."""

    @property
    def first(self) -> Sync:
        """Return the first slow write."""
        return min((sync for m in self.members for sync in m.syncs), key=lambda sync: sync.begin)

    @property
    def over(self) -> float:
        """Return when the last disk was free again."""
        return max(member.busy[1] for member in self.members)


def make(rng: random.Random, control: list[Host], workers: list[Host], start: float) -> Plan:
    """Draw the night of a cluster whose first backup begins at `start`."""
    order = rng.sample(control, len(control))
    members = []
    at = start
    for host in order:
        until = at + rng.uniform(6.5, 9) * 60
        members.append(_member(rng, host, (at, until)))
        at += rng.uniform(70, 150)
    elections = _elections(rng, members)
    lost = elections[0].at + RENEW_DEADLINE_S + rng.uniform(0.5, 4)
    slow = members[0].busy
    worst = set(rng.sample([host.name for host in workers], rng.randrange(4, 10)))
    silences = tuple(
        _silence(rng, host.name, slow, lost, worst=host.name in worst) for host in workers
    )
    return Plan(tuple(members), elections, silences, lost)


def _member(rng: random.Random, host: Host, busy: tuple[float, float]) -> Member:
    syncs = []
    at = busy[0] + rng.uniform(6, 18)
    took = rng.uniform(2.4, 4.2)
    while at + took < busy[1]:
        syncs.append(Sync(at, took))
        at += took + rng.uniform(2, 14)
        took = min(9.8, rng.lognormvariate(1.0, 0.6) + 1.02)
    return Member(host, draw_hexadecimal(rng, 16), busy, tuple(syncs))


def _elections(rng: random.Random, members: list[Member]) -> tuple[Election, ...]:
    """Elect anew whenever the disk of the one who leads takes too long."""
    found: list[Election] = []
    leader, term, quiet = 0, rng.randrange(12, 90), 0.0
    slow = sorted(
        (sync.begin, sync.took, index)
        for index, member in enumerate(members)
        for sync in member.syncs
    )
    for begin, took, index in slow:
        if index != leader or took < STUCK_S or begin < quiet:
            continue
        at = begin + rng.uniform(*ELECTION_S)
        won = rng.choice([other for other in range(len(members)) if other != leader])
        found.append(Election(at, term, leader, won))
        leader, term, quiet = won, term + 1, at + rng.uniform(8, 30)
    return tuple(found)


def _silence(
    rng: random.Random, node: str, slow: tuple[float, float], controller_lost: float, *, worst: bool
) -> Silence:
    """Draw for how long one node reached nobody; the ones behind the first server suffer longest.

    The node controller that took over counts from its own start.
    """
    begin = slow[0] + rng.uniform(60, 150)
    if not worst:
        return Silence(node, begin, begin + rng.choice((0, 0, 12, 12, 24, 24, 35)), 0.0)
    begin = max(begin, controller_lost + 20)
    marked = begin + GRACE_S + rng.uniform(0.5, 6)
    return Silence(node, begin, begin + rng.choice((64, 80, 105)), marked)
