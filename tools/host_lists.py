"""Slurm's host lists, ``gpu[001-004,007]``, as the hosts that they name."""

import itertools
from collections.abc import Iterator

from tools.late_patterns import compile_late

MOST_HOSTS = 65536
_PART = compile_late(r"(?:[^,\[\]]|\[[^\]]*\])+")
_PIECE = compile_late(r"\[([^\]]*)\]|([^\[\]]+)")
_LIST = compile_late(r"[A-Za-z0-9][\w.-]*\[\d[\d,-]*\][\w.\[\],-]*|[\w.-]+(?:,[\w.-]+)+")


def is_host_list(text: str) -> bool:
    """Tell whether a word names several hosts in brackets or behind commas."""
    return _LIST.fullmatch(text) is not None


def expand_hosts(text: str) -> tuple[str, ...]:
    """Return the hosts of a list in its order; what is no list, or too long, stays as it is."""
    named = itertools.chain.from_iterable(_expand(part) for part in _PART.findall(text.strip()))
    found = tuple(itertools.islice(named, MOST_HOSTS + 1))
    return found if 0 < len(found) <= MOST_HOSTS else (text,)


def _expand(part: str) -> Iterator[str]:
    pieces = [list(_choices(inner)) if inner else [plain] for inner, plain in _PIECE.findall(part)]
    return ("".join(chosen) for chosen in itertools.product(*pieces))


def _choices(inner: str) -> Iterator[str]:
    for item in inner.split(","):
        first, dash, last = item.partition("-")
        if not dash:
            yield item
        elif first.isdigit() and last.isdigit() and int(last) - int(first) < MOST_HOSTS:
            yield from (f"{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))
        else:
            yield item
