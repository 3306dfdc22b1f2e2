"""Which hosts a job gave back when it ended well: they are others' now."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

_AT_ONCE = timedelta(minutes=1)
"""A job is given its hosts by several lines within this time."""
Key = tuple[str, str]


@dataclass(slots=True)
class Placements:
    """When the scheduler gave a host to a job, which jobs ended well, and where one was hurt."""

    ended: set[Key] = field(default_factory=set)
    _given: dict[Key, dict[Key, datetime]] = field(default_factory=dict)
    """By host, when each job was last given it."""
    _latest: dict[Key, datetime] = field(default_factory=dict)
    """When a job was last given any host."""
    _hurt: set[tuple[Key, Key]] = field(default_factory=set)

    def give(self, one: Key, other: Key, at: datetime | None) -> None:
        """Note that a host was given to a job, whichever is named first."""
        if at is None or {one[0], other[0]} != {"job", "node"}:
            return
        job, node = (one, other) if one[0] == "job" else (other, one)
        given = self._given.setdefault(node, {})
        given[job] = max(at, given.get(job, at))
        self._latest[job] = max(at, self._latest.get(job, at))

    def hurt(self, job: Key, node: Key) -> None:
        """Note that a line tells a fault of a job on a host: that tie stays."""
        self._hurt.add((job, node))

    def let_go(self) -> Iterator[tuple[Key, Key]]:
        """Yield jobs that ended well, with each host that another job was given since.

        A host that a job had left before it ended may be why it left.
        """
        for node, given in self._given.items():
            last = max(given.values())
            for job in self.ended & given.keys():
                left = self._latest[job] - given[job] > _AT_ONCE
                if given[job] < last and not left and (job, node) not in self._hurt:
                    yield job, node
