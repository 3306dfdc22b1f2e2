"""Addresses that no host prints of itself: the one left belongs to the one member left.

The network between the GPUs is in no inventory. Ranks print their own address when they start and
their peers' when they fail. Where all members of a job are known and all but one have printed
theirs, an address that nobody has is that member's. It is an inference, and marked as one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from assistant.topology import Key, Ties, Topology

SEVERAL = 2
"""A job on fewer hosts has no peers to name."""


def conclude_addresses(ties: Ties, topology: Topology) -> Mapping[str, str]:
    """Return the host of each address that only elimination tells."""
    strangers: dict[str, set[str]] = defaultdict(set)
    for address, speakers in ties.named_peers.items():
        if ("node", address) not in topology.aliases:
            for job in _jobs(speakers, topology):
                strangers[job].add(address)
    found: dict[str, set[str]] = defaultdict(set)
    for job, addresses in strangers.items():
        silent = _silent(job, ties, topology)
        if len(addresses) == len(silent) == 1:
            found[next(iter(addresses))] |= silent
    return {address: next(iter(hosts)) for address, hosts in found.items() if len(hosts) == 1}


def _jobs(speakers: Iterable[Key], topology: Topology) -> frozenset[str]:
    found: set[str] = set()
    for kind, name in speakers:
        own = {topology.alias("job", name)} if kind == "job" else set[str]()
        found |= own or topology.related(kind, name, "job")
    return frozenset(found)


def _silent(job: str, ties: Ties, topology: Topology) -> set[str]:
    """Return the hosts of a job that printed no address; none where a member may be unknown."""
    hosts = topology.related("job", job, "node")
    if len(hosts) < SEVERAL or not _is_whole(job, ties, topology):
        return set()
    spoke: set[str] = set()
    for kind, name in ties.printed:
        own = {topology.alias("node", name)} if kind == "node" else set[str]()
        spoke |= own or topology.related(kind, name, "node")
    return set(hosts - spoke)


def _is_whole(job: str, ties: Ties, topology: Topology) -> bool:
    """Tell whether every member of a job and its host are known."""
    if any(topology.alias("job", name) == job for name in ties.listed):
        pods = topology.related("job", job, "pod")
        return all(topology.related("pod", pod, "node") for pod in pods)
    sizes = {size for name, size in ties.sizes.items() if topology.alias("job", name) == job}
    ranks = topology.related("job", job, "rank")
    placed = sum(1 for rank in ranks if topology.related("rank", rank, "node"))
    return bool(sizes) and placed == len(ranks) == max(sizes)
