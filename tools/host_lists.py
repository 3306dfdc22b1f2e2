"""Slurm's host lists, ``gpu[001-004,007]``, as the hosts that they name."""

import itertools
import math
from collections.abc import Iterator

from tools.late_patterns import compile_late
from tools.numerals import whole

MOST_HOSTS = 65536
_PART = compile_late(r"(?:[^,\[\]]|\[[^\]]*\])+")
_PIECE = compile_late(r"\[([^\]]*)\]|([^\[\]]+)")
_LIST = compile_late(r"[A-Za-z0-9][\w.-]*\[\d[\d,-]*\][\w.\[\],-]*|[\w.-]+(?:,[\w.-]+)+")


def is_host_list(text: str) -> bool:
    """Tell whether a word names several hosts in brackets or behind commas."""
    return _LIST.fullmatch(text) is not None


def count_hosts(text: str) -> int:
    """Return how many hosts a list names, without naming them."""
    return sum(
        math.prod(sum(map(len, _ranges(inner))) for inner, _ in _PIECE.findall(part) if inner)
        for part in _PART.findall(text.strip())
    )


def expand_hosts(text: str, most: int = MOST_HOSTS) -> tuple[str, ...]:
    """Return the hosts of a list in its order; what is no list, or too long, stays as it is."""
    if not 0 < count_hosts(text) <= most:
        return (text,)
    named = itertools.chain.from_iterable(_expand(part) for part in _PART.findall(text.strip()))
    return tuple(named)


def _expand(part: str) -> Iterator[str]:
    pieces = [list(_choices(inner)) if inner else [plain] for inner, plain in _PIECE.findall(part)]
    return ("".join(chosen) for chosen in itertools.product(*pieces))


def _choices(inner: str) -> Iterator[str]:
    for item, numbers in zip(inner.split(","), _ranges(inner), strict=True):
        width = len(item.partition("-")[0])
        yield from (f"{n:0{width}d}" for n in numbers) if isinstance(numbers, range) else numbers


def _ranges(inner: str) -> Iterator[range | tuple[str]]:
    """Yield the numbers of each range; what is none, or too long, is a word."""
    for item in inner.split(","):
        first, dash, last = item.partition("-")
        low, high = whole(first), whole(last) if dash else None
        wide = low is not None and high is not None and 0 <= high - low < MOST_HOSTS
        yield range(low or 0, (high or 0) + 1) if wide else (item,)
