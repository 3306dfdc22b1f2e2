"""Outputs of many hosts below each host's name between two rules: `dshbak`, `clush -b`."""

import re
from collections.abc import Iterator

from tools.evidence import Item, Span
from tools.late_patterns import compile_late
from tools.lines import clean
from tools.prefixes import NO_HOST
from tools.regrouped import MOST, Group, read_groups
from tools.request import Request
from tools.source import Source, Writer

BLOCKS = 0.95
BEGINNING = 16 << 10
_HEADING = compile_late(
    rb"^-{8,}\r?\n(?!"
    + NO_HOST
    + rb"\s)(?P<hosts>(?=\S*\d)[A-Za-z][\w.,\[\]-]{1,400})(?: \(\d+\))?\r?\n-{8,}\r?\n",
    re.MULTILINE,
)
_ONE_HOST = compile_late(r"[\w.-]+")


class HostBlockReader:
    """Yields what each host printed."""

    name = "host-blocks"
    source = "file"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for a host's name between two rules at the beginning."""
        return BLOCKS if _HEADING.match(clean(head[:BEGINNING]).lstrip()) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read host after host."""
        whole = source.whole(MOST)
        yield from read_groups(list(_groups(clean(whole))), source, request)
        yield Span(source.evidence, 0, len(whole), 0)


def _groups(data: bytes) -> Iterator[Group]:
    """Cut at the headings; what many hosts printed alike names none of them."""
    headings = list(_HEADING.finditer(data))
    ends = [heading.start() for heading in headings[1:]] + [len(data)]
    number, place = 1, 0
    for heading, end in zip(headings, ends, strict=True):
        number += data.count(b"\n", place, heading.end())
        place = heading.end()
        hosts = heading["hosts"].decode()
        writer = Writer(host=hosts) if _ONE_HOST.fullmatch(hosts) else None
        group = Group(hosts, writer)
        group.add(data[place:end].removesuffix(b"\n"), number)
        yield group


COLLECTOR = HostBlockReader()
