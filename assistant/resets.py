"""Which cards of a host an order to reset meant: all, those that it names, or an unknown one."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from assistant.event import Event
from assistant.identity import normalise
from assistant.topology import Seating
from tools.evidence import Instant
from tools.late_patterns import compile_late

_DEVICE = compile_late(r"/sys/bus/pci/devices/([0-9a-fA-F:.]+)/")
_CHOSEN = compile_late(r"\s(?:-i|--id)(?:[ =]|(?=\d))\s*([^\s;]+)")
"""What nvidia-smi's option ``-i`` takes: indices, UUIDs or addresses, parted by commas."""


class Restart(NamedTuple):
    """From when cards of a host began anew."""

    start: Instant
    cards: frozenset[str] | None = None
    """None: all of them."""
    unknown: bool = False
    """It meant cards that it does not name as evidence does, beside `cards`."""


def restart_of(
    order: Event,
    node: str,
    alias: Callable[[str, str], str],
    seats: Mapping[str, Seating],
) -> Restart:
    """Return what was reset by an order, and by those like it that followed at once."""
    told = [citation.text for citation in order.citations]
    names: set[str] = set()
    unknown = order.count > len(told)
    for text in told:
        chosen = _names(text)
        if not chosen:
            return Restart(order.start)
        # An index names no card: the driver may count anew at each boot.
        known = [normalise("gpu", f"{node}/{name}") for name in chosen if not name.isdecimal()]
        unknown = unknown or len(known) < len(chosen)
        names.update(known)
    cards = {alias("gpu", name) for name in names}
    cards |= {seats[name].card(order.start.utc) for name in names if name in seats}
    return Restart(order.start, frozenset(cards - {""}), unknown)


def _names(text: str) -> list[str]:
    if device := _DEVICE.search(text):
        return [device[1]]
    chosen = _CHOSEN.search(text)
    return [name for name in chosen[1].split(",") if name] if chosen else []


def cards_of(event: Event) -> frozenset[str]:
    """Return the cards that something befell, by their own names or as its place names them."""
    found = {anchor.id for anchor in event.anchors if anchor.kind == "gpu"}
    place = event.entity.id
    if event.entity.kind == "nvlink":
        place = place.rpartition("/")[0]
    elif event.entity.kind == "pcie_port":
        place = place.rpartition(".")[0]
    return frozenset({*found, place})


def concerns(restart: Restart, event: Event, faulty: Collection[frozenset[str]]) -> bool:
    """Tell whether a restart was of the card of an event.

    `faulty` are the cards of its host that something had befallen: where it is but one, an order
    that names none of them as evidence does meant that one.
    """
    if restart.cards is None or restart.cards & cards_of(event):
        return True
    return restart.unknown and _are_one(faulty)


def _are_one(cards: Iterable[frozenset[str]]) -> bool:
    rows = list(cards)
    return not rows or bool(frozenset.intersection(*rows))
