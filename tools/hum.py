"""Leaves out most of a steady hum: known lines of which begin and end of each stretch tell all.

A fleet prints tens of thousands of harmless driver lines and training steps. Of those that one
writer printed within a short while of each other, with nothing else that is known in between, the
first and the last are read and those between are counted, so that no pause longer than asked for is
ever hidden, and no return to health after a fault.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

FEW = 6
"""So few lines in a block are simply read."""

Hit = tuple[int, int]
"""Index of a literal, offset just behind it."""


class Stretch(NamedTuple):
    """How one writer's lines of one literal are told apart and timed, by offset."""

    lane_of: Callable[[int], tuple[bytes, int] | None]
    """Who wrote the line and where it ends; None where that cannot be told: it is read then."""
    moment_of: Callable[[int], float | None]
    """When the line that ends there was written, in epoch seconds."""


def thinned(
    hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch
) -> Iterator[tuple[int, int, int]]:
    """Yield literal, offset, and how many lines the one that is read stands for.

    `hum` says of a literal's index how long a pause, in seconds, must show.
    """
    stands = _stands(hits, hum, look) if hum else {}
    for number, (literal, end) in enumerate(hits):
        if count := stands.get(number, 1):
            yield literal, end, count


def _stands(hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch) -> dict[int, int]:
    """Find which hits stand for several, and which for none."""
    lanes, stands = _by_lane(hits, hum, look)
    moments: dict[int, float | None] = {}

    def moment(stop: int) -> float | None:
        if stop not in moments:
            moments[stop] = look.moment_of(stop)
        return moments[stop]

    for (literal, _, _), members in lanes.items():
        if len(members) <= FEW:
            continue
        stops = [stop for _, stop in members]
        for low, high in _leaps(stops, moment, hum[literal]):
            stands.update((number, 0) for number, _ in members[low + 1 : high])
            stands[members[high][0]] = high - low
    return stands


def _by_lane(
    hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch
) -> tuple[dict[tuple[int, bytes, int], list[tuple[int, int]]], dict[int, int]]:
    """Sort hits by literal, writer and run; the literal again on the same line stands for none.

    Each is told by its number and the end of its line. A run ends where its writer prints something
    that is known and no hum.
    """
    lanes: dict[tuple[int, bytes, int], list[tuple[int, int]]] = {}
    again: dict[int, int] = {}
    latest: dict[int, int] = {}
    runs: dict[bytes, int] = {}
    lane, stop = b"", -1
    for number, (literal, end) in enumerate(hits):
        if end > stop:
            told = look.lane_of(end)
            if told is None:
                continue
            lane, stop = told
        if literal not in hum:
            runs[lane] = runs.get(lane, 0) + 1
        elif latest.get(literal) == stop:
            again[number] = 0
        else:
            lanes.setdefault((literal, lane, runs.get(lane, 0)), []).append((number, stop))
            latest[literal] = stop
    return lanes, again


def _leaps(
    stops: Sequence[int], moment: Callable[[int], float | None], pause_s: float
) -> Iterator[tuple[int, int]]:
    """Yield pairs of places as far apart as the time between them allows."""
    low, leap = 0, len(stops) - 1
    while low < len(stops) - 1:
        begin = moment(stops[low])

        def fits(size: int, low: int = low, begin: float | None = begin) -> bool:
            last = moment(stops[low + size])
            return begin is not None and last is not None and 0 <= last - begin <= pause_s

        leap = _longest(leap, len(stops) - 1 - low, fits)
        yield low, low + leap
        low += leap


def _longest(guess: int, most: int, fits: Callable[[int], bool]) -> int:
    """Find about the longest leap that fits, at least 1, beginning at a guess."""
    good, bad = 1, most + 1
    size = min(guess, most)
    while bad - good > 1 + good // 8:
        if not good < size < bad:
            size = (good + bad) // 2
        if fits(size):
            good, size = size, size + max(size // 4, 1)
        else:
            bad = size
    return good
