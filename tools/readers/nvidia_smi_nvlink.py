"""`nvidia-smi nvlink --status`: each GPU with its links, a line each with their speed or state."""

import re
from collections.abc import Iterator

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_GPU = compile_late(r"^GPU (\d+): (\S.*?) \(UUID: (GPU-[0-9a-f-]+)\)\s*$")
_LINK = compile_late(r"^\s+Link (\d+): (?:(<inactive>)|[\d.]+ GB/s)\s*$")


def recognise(head: bytes) -> float:
    """Look for nothing but such lines, the last one of the head perhaps cut short."""
    lines = [line for line in head[:65536].decode("utf-8", "replace").splitlines() if line.strip()]
    whole = lines[:-1] or lines
    links = sum(_LINK.match(line) is not None for line in whole)
    cards = sum(_GPU.match(line) is not None for line in whole)
    first = whole and _GPU.match(lines[0])
    return 0.96 if first and links and links + cards == len(whole) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read each GPU with the number of its links that are down, and of all of them."""
    for number, card, links in _cards(printed.text.splitlines()):
        index, name, uuid = card.groups()
        counts = {"nvlinks_down": sum(links), "nvlinks_count": len(links)}
        yield Typed("gpu", {"index": int(index), "name": name, "uuid": uuid, **counts}, number)


def _cards(lines: list[str]) -> list[tuple[int, re.Match[str], list[bool]]]:
    """Gather what stands below each card: whether each of its links is down."""
    cards: list[tuple[int, re.Match[str], list[bool]]] = []
    for number, line in enumerate(lines, 1):
        if card := _GPU.match(line):
            cards.append((number, card, []))
        elif cards and (link := _LINK.match(line)):
            cards[-1][2].append(link[2] is not None)
    return cards


READER = CommandReader("nvidia-smi-nvlink", recognise, parse)
