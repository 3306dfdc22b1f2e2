"""Which card sat at which address of a host, boot by boot.

An address is a place: a card may be replaced while the host is off. What a log says of an address
is said of the card that sat there in that boot.
"""

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from assistant.burst import Burst
from assistant.topology import Key, Seating

BOOTED = "node-rebooted"
"""The page whose kernel line is the first of a boot."""
_GPU = "gpu"


def settle_seats(
    told: Iterable[tuple[str, str, datetime | None]], bursts: Sequence[Burst]
) -> Mapping[str, str | Seating]:
    """Return by address the one card that it always means, else who sat there in which boot.

    Args:
        told: Two names of one card, and when that was said; without a time it holds at all times.
        bursts: What happened, among it the boots, as each clock stamped it.
    """
    by_address: dict[str, list[tuple[datetime | None, str]]] = defaultdict(list)
    for one, other, at in told:
        address, card = (one, other) if is_address(one) else (other, one)
        by_address[address].append((at, card))
    boots, used = _boots(bursts), _mentions(bursts)
    return {
        address: _seat(said, boots.get(address.partition("/")[0], ()), used.get(address, ()))
        for address, said in by_address.items()
    }


def is_address(name: str) -> bool:
    """Tell whether a card is named by its place on a host."""
    return "/" in name


def _boots(bursts: Iterable[Burst]) -> Mapping[str, Sequence[datetime]]:
    found: dict[str, set[datetime]] = defaultdict(set)
    for burst in bursts:
        if burst.page == BOOTED and burst.timed and "kernel" in burst.channels:
            found[burst.entity[1]].add(burst.first.utc)
    return {host: sorted(starts) for host, starts in found.items()}


def _mentions(bursts: Iterable[Burst]) -> Mapping[str, Sequence[datetime]]:
    found: dict[str, list[datetime]] = defaultdict(list)
    for burst in bursts:
        for kind, name in {burst.entity, *burst.anchors}:
            if kind == _GPU and burst.timed:
                found[name].append(burst.first.utc)
    return found


def _seat(
    told: Iterable[tuple[datetime | None, str]],
    starts: Sequence[datetime],
    used: Iterable[datetime],
) -> str | Seating:
    by_boot: dict[int, str] = {}
    always = [card for at, card in told if at is None]
    for at, card in told:
        if at is not None:
            by_boot[bisect_right(starts, at)] = card
    cards = {*always, *by_boot.values()}
    whole = _filled(by_boot)
    boots = {bisect_right(starts, at) for at in used}
    if len(cards) == 1 and (always or boots <= whole.keys()):
        return cards.pop()
    return Seating(tuple(starts), whole)


def _filled(by_boot: Mapping[int, str]) -> dict[int, str]:
    """Take that a card seen before and after stayed in between."""
    known = sorted(by_boot)
    found = dict(by_boot)
    for low, high in itertools.pairwise(known):
        if by_boot[low] == by_boot[high]:
            found |= dict.fromkeys(range(low, high), by_boot[low])
    return found


def seated(key: Key, at: datetime, seats: Mapping[str, Seating]) -> Key:
    """Return the card that an address meant at a time; the address where nobody said."""
    kind, name = key
    seating = seats.get(name) if kind == _GPU else None
    return (kind, seating.card(at) or name) if seating else key
