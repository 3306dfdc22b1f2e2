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
PACE_KEPT = 4
"""For so many leaps on end the last one's size is taken where it fits."""

Hit = tuple[int, int]
"""Index of a literal, offset just behind it."""


class Stretch(NamedTuple):
    """How one writer's lines of one literal are told apart and timed, by offset."""

    lane_of: Callable[[int], tuple[bytes, int] | None]
    """Who wrote the line and where it ends; None where that cannot be told: it is read then."""
    moment_of: Callable[[int], float | None]
    """When the line that ends there was written, in epoch seconds."""


def thinned(
    hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch, marked: int = 1 << 60
) -> Iterator[tuple[int, int, int]]:
    """Yield literal, offset, and how many lines the one that is read stands for.

    `hum` says of a literal's index how long a pause, in seconds, must show. From index `marked` on,
    literals only hint at something: beside others on a line they say nothing of it.
    """
    stands = _stands(hits, hum, look, marked) if hum else {}
    for number, (literal, end) in enumerate(hits):
        if count := stands.get(number, 1):
            yield literal, end, count


_Line = tuple[int, int, int]
"""A line of hum: its hits from the first up to the one beyond, and where it ends."""

_Kind = tuple[int, ...]
"""The literals that stand on a line."""


def _stands(
    hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch, marked: int
) -> dict[int, int]:
    """Find which hits stand for several lines, and which for none."""
    lanes, stands = _by_lane(hits, hum, look, marked)
    for (kind, _, _), lines in lanes.items():
        if len(lines) <= FEW:
            continue
        pause_s = min(hum[literal] for literal in kind)
        for low, high in _leaps(lines, look.moment_of, pause_s):
            for first, beyond, _ in lines[low + 1 : high]:
                stands.update(dict.fromkeys(range(first, beyond), 0))
            first, beyond, _ = lines[high]
            stands.update((n, high - low) for n in range(first, beyond) if stands.get(n, 1))
    return stands


_Lanes = dict[tuple[_Kind, bytes, int], list[_Line]]


def _by_lane(
    hits: Sequence[Hit], hum: Mapping[int, float], look: Stretch, marked: int
) -> tuple[_Lanes, dict[int, int]]:
    """Sort lines by their literals, writer and run; a literal again on its line stands for none.

    A run ends where its writer prints something that is known and no hum. Lines come by the
    hundred thousand: what their literals mean is worked out once for each combination.
    """
    lanes: _Lanes = {}
    again: dict[int, int] = {}
    runs: dict[bytes, int] = {}
    kinds: dict[_Kind, _Kind | None] = {}
    lane_of = look.lane_of
    number, total = 0, len(hits)
    while number < total:
        told = lane_of(hits[number][1])
        if told is None:
            number += 1
            continue
        first, (lane, stop) = number, told
        number += 1
        while number < total and hits[number][1] <= stop:
            number += 1
        shown = tuple([literal for literal, _ in hits[first:number]])
        kind = (
            kinds[shown]
            if shown in kinds
            else kinds.setdefault(shown, _kind_of(shown, hum, marked))
        )
        if kind is None:
            runs[lane] = runs.get(lane, 0) + 1
            continue
        lanes.setdefault((kind, lane, runs.get(lane, 0)), []).append((first, number, stop))
        if len(kind) < len(shown):
            again.update((first + n, 0) for n in range(len(shown)) if shown[n] in shown[:n])
    return lanes, again


def _kind_of(shown: _Kind, hum: Mapping[int, float], marked: int) -> _Kind | None:
    """Name each literal of a line once, marks only where there is nothing else; None: no hum."""
    known = tuple(dict.fromkeys(n for n in shown if n < marked)) or tuple(dict.fromkeys(shown))
    return known if hum.keys() >= set(known) else None


def _leaps(
    lines: Sequence[_Line], moment_of: Callable[[int], float | None], pause_s: float
) -> Iterator[tuple[int, int]]:
    """Yield pairs of places as far apart as the time between them allows."""
    moments: dict[int, float | None] = {}

    def moment(place: int) -> float | None:
        if place not in moments:
            moments[place] = moment_of(lines[place][2])
        return moments[place]

    low, leap, leaps = 0, len(lines) - 1, 0
    while low < len(lines) - 1:
        begin = moment(low)

        def fits(size: int, low: int = low, begin: float | None = begin) -> bool:
            last = moment(low + size)
            return begin is not None and last is not None and 0 <= last - begin <= pause_s

        # A pace is mostly kept; now and then it is asked whether it has quickened.
        leap = _longest(leap, len(lines) - 1 - low, fits, steady=leaps % PACE_KEPT > 0)
        leaps += 1
        yield low, low + leap
        low += leap


def _longest(guess: int, most: int, fits: Callable[[int], bool], *, steady: bool) -> int:
    """Find about the longest leap that fits, at least 1, beginning at a guess.

    If `steady`, a guess that fits is taken as it is: each look costs as much as reading a line.
    """
    good, bad = 1, most + 1
    size = min(guess, most)
    if steady and size > 1 and fits(size):
        return size
    while bad - good > 1 + good // 8:
        if not good < size < bad:
            size = (good + bad) // 2
        if fits(size):
            good, size = size, size + max(size // 4, 1)
        else:
            bad = size
    return good
