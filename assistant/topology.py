"""What belongs to what, concluded from evidence only.

`Ties` collects what the stream states while it is read; `Ties.settle` turns it into a `Topology`
whose every identity is canonical. A relation that nobody stated is absent, which means unknown,
never "no".
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assistant.event import Anchor
from assistant.identity import is_address, is_uid
from assistant.placements import Placements

Key = tuple[str, str]
"""Kind and identity."""
Edges = dict[Key, dict[str, dict[Key, bool]]]
"""From a thing, by the other's kind, to the other: whether it is only inferred. By kind, because a
server or a job has thousands of neighbours of kinds that nobody asks for."""

REACH: Mapping[str, frozenset[str]] = {
    kind: frozenset(reached.split())
    for kind, reached in {
        "process": "container pod rank gpu node job",
        "container": "pod node gpu",
        "rank": "pod job node gpu container",
        "pod": "node job volume mount storage_server gpu queue service rank",
        "gpu": "node pcie_port pod rank job",
        "nvlink": "gpu node nvswitch",
        "nvswitch": "node",
        "pcie_port": "gpu node nic",
        "nic": "node switch switch_port",
        "cable": "switch_port nic",
        "switch_port": "switch nic",
        "disk": "node filesystem storage_server",
        "filesystem": "node storage_server disk",
        "mount": "node storage_server filesystem volume",
        "volume": "storage_server filesystem",
        "node": "rack switch pdu job storage_server",
        "job": "queue storage_server",
        "storage_server": "filesystem rack",
        "service": "control_plane",
        "package": "node",
        "certificate": "node service",
        "psu": "node pdu",
        "sensor": "node",
        "rack": "pdu",
    }.items()
}
"""Which kinds a thing of a kind touches in one step. Downward steps (node → all its pods) are left
out: a thing is hurt through what carries it, not through everything it carries."""

_HARDWARE = frozenset({"gpu", "nvlink", "nvswitch", "pcie_port", "nic", "disk", "psu", "sensor"})
_STORAGE = frozenset({"storage_server", "volume", "mount", "filesystem", "queue"})
_WORK = frozenset({"pod", "container", "rank", "process"})


@dataclass(frozen=True, slots=True)
class Seating:
    """Which card sat at an address in which boot of its host."""

    starts: tuple[datetime, ...]
    cards: Mapping[int, str]
    """By how many of the boots had begun."""

    def card(self, at: datetime) -> str:
        """Return the card of the boot that `at` lies in, or nothing."""
        return self.cards.get(bisect_right(self.starts, at), "")


@dataclass(slots=True)
class Ties:
    """Relations and equalities as they are read, under whatever spelling each source uses."""

    edges: dict[Key, dict[Key, bool]] = field(default_factory=dict)
    parents: dict[Key, Key] = field(default_factory=dict)
    nodes: set[str] = field(default_factory=set)
    described: set[Key] = field(default_factory=set)
    """Pods whose specification was read: their volumes are known to be all there is."""
    gpu_counts: dict[str, int] = field(default_factory=dict)
    addresses: dict[str, set[str]] = field(default_factory=dict)
    """Addresses of pods, which are handed out again, with every host that had them."""
    printed: set[Key] = field(default_factory=set)
    """Hosts and pods that printed an address of their own on the network of the job."""
    said_hosts: dict[Key, set[str]] = field(default_factory=dict)
    """Host names that the programs of a pod print of themselves: the host's, or the pod's own."""
    named_peers: dict[str, set[Key]] = field(default_factory=dict)
    """Addresses that lines name as the other side, with all that those lines speak of."""
    listed: set[str] = field(default_factory=set)
    """Jobs whose pods were read as objects: those are all there are."""
    seated: dict[tuple[str, str, datetime | None], None] = field(default_factory=dict)
    """A card's identity and its address on a host, in either order, and when that was said."""
    sizes: dict[str, int] = field(default_factory=dict)
    """How many ranks a job says it has."""
    placements: Placements = field(default_factory=Placements)

    def relate(self, one: Key, other: Key, *, inferred: bool = False) -> None:
        """Say that two things of different kinds belong together; stated beats inferred."""
        if not one[1] or not other[1] or one == other:
            return
        for here, there in ((one, other), (other, one)):
            known = self.edges.setdefault(here, {})
            known[there] = known.get(there, True) and inferred

    def equate(self, kind: str, one: str, other: str) -> None:
        """Say that two identities of one kind are the same thing."""
        if not one or not other:
            return
        first, second = self._root((kind, one)), self._root((kind, other))
        if first != second:
            better, worse = sorted((first, second), key=self._preference)
            self.parents[worse] = better

    def seat(self, one: str, other: str, at: datetime | None = None) -> None:
        """Say that a card has this address on its host: at all times, or in the boot of `at`."""
        if one and other and ("/" in one) != ("/" in other):
            self.seated[one, other, at] = None
        else:
            self.equate("gpu", one, other)

    def node(self, name: str) -> None:
        """Take note of a host by its own name."""
        if name and not is_address(name):
            self.nodes.add(name)

    def settle(self, seats: Mapping[str, str | Seating] | None = None) -> "Topology":
        """Make every identity canonical and derive the relations that follow from others.

        `seats` says what each address of a card means; without it each means one card.
        """
        for address, card in (seats or {}).items():
            self.equate("gpu", address, card if isinstance(card, str) else "")
        for one, other, _ in self.seated if seats is None else ():
            self.equate("gpu", one, other)
        self._let_go()
        self._reduce_qualified_names()
        self._seat_pods()
        self._lend_addresses()
        self._complete_jobs()
        self._complete_mounts()
        edges: Edges = {}
        for here, known in self.edges.items():
            target = edges.setdefault(self._root(here), {})
            for there, inferred in known.items():
                root = self._root(there)
                same_kind = target.setdefault(root[0], {})
                same_kind[root] = same_kind.get(root, True) and inferred
        topology = Topology(
            edges=edges,
            aliases={key: self._root(key) for key in self.parents},
            known_nodes=frozenset(self._root(("node", name))[1] for name in self.nodes),
            described=frozenset(self._root(pod) for pod in self.described),
            gpu_counts={self._root(("node", n))[1]: c for n, c in self.gpu_counts.items()},
            seats={a: one for a, one in (seats or {}).items() if isinstance(one, Seating)},
        )
        topology.derive()
        return topology

    def _seat_pods(self) -> None:
        """Seat a pod that nobody placed on the one host it prints, if others know that host."""
        for pod, hosts in self.said_hosts.items():
            placed = any(kind == "node" for kind, _ in self.edges.get(pod, {}))
            if not placed and len(hosts) == 1 and hosts <= self.nodes:
                self.relate(pod, ("node", next(iter(hosts))), inferred=True)

    def _root(self, key: Key) -> Key:
        while key in self.parents:
            key = self.parents[key]
        return key

    def _preference(self, key: Key) -> tuple[bool, int, str]:
        """Sort the spelling that outlives others first."""
        kind, name = key
        good = {
            "gpu": name.startswith("GPU-"),
            "pod": "/" in name and not is_uid(name),
            "storage_server": is_address(name),
            "node": not is_address(name) and "." not in name,
            "job": "/" in name or name.startswith("slurm:"),
            "mount": ":/" in name,
        }.get(kind, True)
        return (not good, len(name), name)

    def _let_go(self) -> None:
        for job, node in self.placements.let_go():
            self.edges.get(job, {}).pop(node, None)
            self.edges.get(node, {}).pop(job, None)

    def _reduce_qualified_names(self) -> None:
        """A full host name is the short one only where evidence shows both."""
        for name in list(self.nodes):
            short = name.split(".", 1)[0]
            if short != name and short in self.nodes:
                self.equate("node", short, name)

    def _lend_addresses(self) -> None:
        """A pod's address stands for its host, unless two hosts have had it."""
        for address, hosts in self.addresses.items():
            if len(hosts) == 1 and ("node", address) not in self.parents:
                self.equate("node", next(iter(hosts)), address)

    def _complete_mounts(self) -> None:
        """A mount known by its server alone is the only one of that server on the host."""
        paths: dict[tuple[str, Key], set[str]] = {}
        bare: list[tuple[str, str, Key]] = []
        for (kind, name), known in self.edges.items():
            if kind != "mount":
                continue
            host, _, rest = name.partition(":")
            if not rest.startswith("/"):
                bare.append((name, host, self._root(("storage_server", rest))))
                continue
            for there in known:
                if there[0] == "storage_server":
                    paths.setdefault((host, self._root(there)), set()).add(name)
        for name, host, server in bare:
            full = paths.get((host, server), set())
            if len(full) == 1:
                self.equate("mount", name, next(iter(full)))

    def _complete_jobs(self) -> None:
        """A bare job name is the only NAMESPACE/NAME that ends in it, if there is just one."""
        full: dict[str, list[str]] = {}
        bare: set[str] = set()
        for kind, name in self.edges:
            if kind == "job" and "/" in name:
                full.setdefault(name.rsplit("/", 1)[1], []).append(name)
            elif kind == "job" and not name.startswith("slurm:"):
                bare.add(name)
        for name in bare:
            if len(full.get(name, ())) == 1:
                self.equate("job", name, full[name][0])
        for kind, name in list(self.edges):
            job, _, rank = name.rpartition("/")
            if kind == "rank" and self._root(("job", job)) != ("job", job):
                self.parents[kind, name] = (kind, f"{self._root(('job', job))[1]}/{rank}")


@dataclass
class Topology:
    """Relations under canonical identities. Read-only once settled."""

    edges: Edges = field(default_factory=dict)
    aliases: dict[Key, Key] = field(default_factory=dict)
    known_nodes: frozenset[str] = frozenset()
    described: frozenset[Key] = frozenset()
    gpu_counts: Mapping[str, int] = field(default_factory=dict)
    lent: Mapping[str, str] = field(default_factory=dict)
    """Hosts of addresses that only elimination tells."""
    seats: Mapping[str, Seating] = field(default_factory=dict)
    """Addresses of cards that did not mean one card in all boots."""
    _closures: dict[Key, frozenset[Anchor]] = field(default_factory=dict)

    def alias(self, kind: str, name: str) -> str:
        """Return the canonical identity of a thing, itself if it has no other."""
        known = self.aliases.get((kind, name), (kind, name))[1]
        return self._on_host(known) if kind == "process" else known

    def _on_host(self, process: str) -> str:
        """A process that a pod names is on the pod's host."""
        place, _, pid = process.rpartition("/")
        hosts = self.related("pod", place, "node") if "/" in place else frozenset()
        return f"{next(iter(hosts))}/{pid}" if len(hosts) == 1 else process

    def same(self, kind: str, one: str, other: str) -> bool:
        """Tell whether two identities are known to be one thing."""
        return self.alias(kind, one) == self.alias(kind, other)

    def related(self, kind: str, name: str, other_kind: str) -> frozenset[str]:
        """Return the things of `other_kind` directly tied to this one, in either direction."""
        near = self._near((kind, self.alias(kind, name)), other_kind)
        return frozenset(there[1] for there, _ in near)

    def nodes(self) -> frozenset[str]:
        """Return every host that evidence names."""
        return self.known_nodes

    def jobs(self) -> frozenset[str]:
        """Return every job that evidence names."""
        return frozenset(name for kind, name in self.edges if kind == "job")

    def gpus_of(self, node: str) -> frozenset[str]:
        """Return the GPUs seen on a host; what was not seen is not here."""
        return self.related("node", node, "gpu")

    def gpu_count(self, node: str) -> int | None:
        """Return how many GPUs a host has by its capacity or by those seen; None if unknown."""
        name = self.alias("node", node)
        return self.gpu_counts.get(name) or len(self.gpus_of(name)) or None

    def members(self, job: str) -> frozenset[Anchor]:
        """Return the nodes, pods and ranks of a job."""
        key = ("job", self.alias("job", job))
        return frozenset(
            Anchor(kind=there[0], id=there[1], inferred=inferred)
            for kind in ("node", "pod", "rank")
            for there, inferred in self._near(key, kind)
        )

    def closure(self, kind: str, name: str) -> frozenset[Anchor]:
        """Return the thing itself and everything it hangs on, each stated or inferred."""
        start = (kind, self.alias(kind, name))
        if start not in self._closures:
            reached = self._reach(start)
            self._closures[start] = frozenset(
                Anchor.model_construct(kind=k, id=n, inferred=inferred)
                for (k, n), inferred in reached.items()
            )
        return self._closures[start]

    def derive(self) -> None:
        """Add the direct ties that follow from two stated ones."""
        for path in (
            ("pod", "volume", "storage_server"),
            ("pod", "mount", "storage_server"),
            ("node", "mount", "storage_server"),
            ("node", "pod", "storage_server"),
            ("job", "pod", "node"),
            ("job", "rank", "node"),
            ("job", "pod", "storage_server"),
            ("gpu", "pod", "job"),
        ):
            self._bridge(*path)

    def _bridge(self, one: str, middle: str, other: str) -> None:
        found: list[tuple[Key, Key, bool]] = [
            (here, there, first or second)
            for here in [key for key in self.edges if key[0] == one]
            for via, first in self._near(here, middle)
            for there, second in self._near(via, other)
        ]
        for here, there, inferred in found:
            for start, end in ((here, there), (there, here)):
                known = self.edges.setdefault(start, {}).setdefault(end[0], {})
                known[end] = known.get(end, True) and inferred

    def _near(self, here: Key, kind: str) -> Iterable[tuple[Key, bool]]:
        return self.edges.get(here, _NOTHING).get(kind, {}).items()

    def _reach(self, start: Key) -> dict[Key, bool]:
        reached: dict[Key, bool] = {start: False}
        wave = [start]
        while wave:
            following: list[Key] = []
            steps = ((here, *step) for here in wave for step in self._steps(start, here))
            for here, there, inferred in steps:
                unsure = reached[here] or inferred
                if there not in reached:
                    following.append(there)
                elif reached[there] <= unsure:
                    continue
                reached[there] = unsure
            wave = following
        return reached

    def _steps(self, start: Key, here: Key) -> Iterator[tuple[Key, bool]]:
        """Yield the next things from `here`, without side-steps to peers of the start."""
        if here[0] == "process" and here[1].count("/") == 1:
            yield ("node", self.alias("node", here[1].partition("/")[0])), False
        kinds = REACH.get(here[0], frozenset()) - {start[0]}
        if start[0] in _HARDWARE:
            kinds -= _STORAGE
        crowded = here[0] == "node" and start != here
        for kind in kinds:
            if kind == "switch" and start[0] == "nic" and not self._lends_switch(start, here):
                continue
            if not crowded or kind not in {"job", "storage_server"}:
                yield from self._near(here, kind)
            elif self._may_borrow(start, kind):
                guess = self._ambiguous(start, here, kind)
                for there, inferred in self._near(here, kind):
                    yield there, inferred or guess

    def _may_borrow(self, start: Key, kind: str) -> bool:
        """Whether what a host is tied to may stand for something on it."""
        if kind == "job":
            return start[0] not in _WORK or not self._own(start, "job")
        return start[0] in _WORK and not (start in self.described or self._own(start, "pod"))

    def _ambiguous(self, start: Key, host: Key, kind: str) -> bool:
        """A host with one job lends it to its hardware; with several, it is a guess."""
        return start[0] in _WORK or (
            kind == "job" and len(self.edges.get(host, _NOTHING).get(kind, ())) > 1
        )

    def _lends_switch(self, start: Key, here: Key) -> bool:
        """Whether a host's switch is its adapter's: each adapter of a host may have its own."""
        return here[0] != "node" or not (
            self._own(start, "switch") or len(self.edges.get(here, _NOTHING).get("switch", ())) > 1
        )

    def _own(self, key: Key, kind: str) -> bool:
        return bool(self.edges.get(key, _NOTHING).get(kind))


_NOTHING: Mapping[str, dict[Key, bool]] = {}
