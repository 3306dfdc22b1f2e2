"""`kubectl cluster-info dump`: objects and, between marks, the logs of their containers."""

import re
from collections.abc import Iterator
from itertools import pairwise

from tools.capture import Capture
from tools.evidence import Item
from tools.late_patterns import compile_late
from tools.request import Request
from tools.sections import Section, read_section
from tools.source import Source

START = b"==== START logs for container "
_MARK = compile_late(
    rb"^==== (?P<what>START|END) logs for container (?P<container>\S+) of pod "
    rb"(?P<namespace>[^/\s]+)/(?P<pod>\S+) ====\r?\n?",
    re.MULTILINE,
)
_DOCUMENT = compile_late(rb"^(?:[{\[]|---)(?=[\r\n])", re.MULTILINE)
"""How an object begins, as JSON and, behind another, as YAML."""


class ClusterDumpReader:
    """Yields the lines of each container's log, and the objects around them."""

    name = "cluster-dump"
    source = "kubernetes"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for the mark that opens a log; a dump that begins with objects is theirs."""
        return 0.97 if _MARK.match(head.lstrip(b"\xef\xbb\xbf\r\n")) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read part after part."""
        yield from dump_items(source.whole(), source, request)


def is_dump(data: bytes) -> bool:
    """Tell whether logs stand between the objects."""
    return data.find(b"\n" + START) >= 0


def dump_items(data: bytes, source: Source, request: Request) -> Iterator[Item]:
    """Read each document and each log of a dump."""
    place, lines = 0, 0
    for mark in (*_MARK.finditer(data), None):
        stop = mark.start() if mark else len(data)
        for section in _between(data, place, stop, lines, source.capture):
            yield from read_section(section, source, request)
        lines += data.count(b"\n", place, stop)
        if mark is None:
            return
        heading = Section(mark.group(), stop, lines, is_heading=True)
        yield from read_section(heading, source, request)
        lines += mark.group().count(b"\n")
        place = mark.end()
        if mark["what"] == b"START":
            end = _MARK.search(data, place)
            close = end.start() if end else len(data)
            capture = log_capture(mark, source)
            log = Section(data[place:close], place, lines, "", capture, is_log=True)
            yield from read_section(log, source, request)
            lines += data.count(b"\n", place, close)
            place = close


def _between(data: bytes, place: int, stop: int, lines: int, capture: Capture) -> Iterator[Section]:
    """Cut what stands between two logs into its documents."""
    starts = [match.start() for match in _DOCUMENT.finditer(data, place, stop)]
    for begin, end in pairwise([place, *(one for one in starts if one > place), stop]):
        if begin < end:
            before = lines + data.count(b"\n", place, begin)
            yield Section(data[begin:end], begin, before, "", capture)


def log_capture(mark: "re.Match[bytes]", source: Source) -> Capture:
    """Describe a log as the command that prints it."""
    words = {name: part.decode("utf-8", "replace") for name, part in mark.groupdict().items()}
    command = f"kubectl logs -n {words['namespace']} {words['pod']} -c {words['container']}"
    update = {
        "source": "kubernetes", "command": command,
        "target": f"{words['namespace']}/{words['pod']}",
    }  # fmt: skip
    return source.capture.model_copy(update=update)


READER = ClusterDumpReader()
