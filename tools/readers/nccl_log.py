"""Logs with NCCL's debug lines: read as the log that they are, and NCCL's settings typed.

What a communicator was set up with stands in the lines of its start: version, network, adapters,
transports, and the variables that the environment set.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tools.evidence import Instant, Item, Reading
from tools.gpu_values import Value
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.request import Request
from tools.sniffing import LogReader, log_scores, sample_lines, text_dialect
from tools.source import Reader, Source

BEGINNING = 4 << 20
"""Bytes in which the start of a job is looked for."""
MARK = " NCCL INFO "
ENOUGH = 5
_LINE = compile_late(
    r"(?:^|[\s\]:])(?P<host>[A-Za-z0-9][\w.-]*):\d+:\d+ \[\d+\] NCCL INFO (?P<text>.*)"
)
_ADAPTERS = compile_late(r"NET/IB : Using (?P<list>(?:\[\d+\]\S+ ?)+)")
_ADAPTER = compile_late(r"\[\d+\](\S+)")
_VARIABLE = compile_late(r"(NCCL_[A-Z0-9_]+) set by environment to (\S+?)\.?(?:\s|$)")
_VIA = compile_late(r" via ((?:P2P|SHM|NET|COLL)(?:/\w{1,20}){0,5})")
_RANKS = compile_late(r" rank \d+ n[rR]anks (\d+) ")
_ONES = {
    "version": compile_late(r"NCCL version (\S+)"),
    "network": compile_late(r"Using network (\S+)"),
    "bootstrap": compile_late(r"Bootstrap ?: Using (?:\[\d+\])?([\w.-]+):"),
    "cuda_driver": compile_late(r"cudaDriverVersion (\d+)"),
}  # fmt: skip
_VERSION = compile_late(r"^NCCL version (\S+)", re.MULTILINE)


@dataclass
class Setup:
    """What one host's lines say of its communicators."""

    values: dict[str, Value] = field(default_factory=dict)
    quotes: dict[str, tuple[int, str]] = field(default_factory=dict)
    transports: set[str] = field(default_factory=set)
    ranks: int = 0

    def put(self, name: str, value: Value, number: int, line: str) -> None:
        """Keep the first that is said."""
        if name not in self.values:
            self.values[name], self.quotes[name] = value, (number, line)


class NcclLogReader:
    """Yields the log's lines, and a reading per host of what NCCL was set up with."""

    name = "nccl-log"
    source = "file"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Count NCCL's lines among the first."""
        if MARK.encode() not in head:
            return 0.0
        return 0.9 if sum(MARK in line for line in sample_lines(head)) >= ENOUGH else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read the log by its own dialect, then its beginning for settings."""
        yield from _log_reader(source.head).read(source, request)
        with source.open() as stream:
            text = stream.read(BEGINNING).decode("utf-8", "replace")
        moment = source.capture.ended or source.capture.started
        observed = Instant(moment) if moment else None
        for host, setup in setups(text).items():
            values = {"host": host, **setup.values}
            line = min((number for number, _ in setup.quotes.values()), default=0)
            quotes = {name: (n, masked(said)) for name, (n, said) in setup.quotes.items()}
            yield Reading(source.evidence, "nccl", host, values, observed, line, quotes)


def _log_reader(head: bytes) -> Reader:
    scored = sorted(log_scores(head), key=lambda pair: -pair[0])
    return scored[0][1] if scored else LogReader(text_dialect())


def setups(text: str) -> dict[str, Setup]:
    """Collect by host what its lines of the start say."""
    found: dict[str, Setup] = defaultdict(Setup)
    for number, line in enumerate(text.split("\n"), 1):
        if MARK not in line:
            continue
        if match := _LINE.search(line[:4096]):
            _add(found[match["host"]], match["text"], number, line.strip())
    printed = _VERSION.search(text)
    for setup in found.values():
        if printed and len(found) == 1:
            place = text.count("\n", 0, printed.start()) + 1
            setup.put("version", printed.group(1), place, printed.group())
        if setup.transports:
            setup.values["transports"] = ",".join(sorted(setup.transports))
        if setup.ranks:
            setup.values["ranks"] = setup.ranks
    return {host: setup for host, setup in found.items() if setup.values}


def _add(setup: Setup, text: str, number: int, line: str) -> None:
    for name, pattern in _ONES.items():
        if match := pattern.search(text):
            setup.put(name, match.group(1), number, line)
    if adapters := _ADAPTERS.search(text):
        setup.put("adapters", ",".join(_ADAPTER.findall(adapters["list"])), number, line)
    if variable := _VARIABLE.search(text):
        setup.put(variable.group(1), variable.group(2), number, line)
    if via := _VIA.search(text):
        # Numbers of devices, and whether it reads or writes, tell no two transports apart.
        setup.transports.add("/".join(part for part in via[1].split("/") if part[0].isupper()))
    if ranks := _RANKS.search(text):
        setup.ranks = max(setup.ranks, int(ranks.group(1)))


READER = NcclLogReader()
