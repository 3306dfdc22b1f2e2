"""Log lines that a log store gave out as JSON, read as the logs that they once were.

The entries of one writer become a text again, so that messages are joined, secrets masked and
floods thinned as in any log; what is found in it is cited where it stands in the export.
"""

import io
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from tools.dialect import Dialect, Line, Setting
from tools.evidence import Item, Record, Span
from tools.late_patterns import compile_late
from tools.lines import LogReading
from tools.request import Request
from tools.source import Source, Writer
from tools.stamps import from_epoch
from tools.writers import pod_writer

MILLION = 10**6
LineOf = Callable[[int], int]
"""Entry's number → its line in the export."""
_STAMPED = compile_late(r"@(?P<stamp>-?\d{1,17}) (?P<text>.*)", re.DOTALL)
_CARRIER = compile_late(
    r"(?:<\d{1,3}>)?(?:\w{3} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\S+) (?P<host>[\w.-]+) "
    r"(?P<tag>[\w./-]+)(?:\[(?P<pid>\d+)\])?: (?P<text>.*)",
    re.DOTALL,
)
_RING = compile_late(r"\[ *\d+\.\d{6}\] ")


class Entry(NamedTuple):
    """One line of the store."""

    at_us: int
    """Microseconds since 1970."""
    text: str


class Stream(NamedTuple):
    """Who wrote some entries."""

    writer: Writer
    is_system_log: bool = False
    """They come from a file of the system's, in which a kernel's tag is proof."""


def exported_items(
    entries: Sequence[Entry], stream: Stream, source: Source, request: Request, line_of: LineOf
) -> Iterator[Item]:
    """Yield the records of one writer's entries, in the order in which they were logged."""
    order = sorted(range(len(entries)), key=lambda number: entries[number].at_us)
    starts, lines = list[int](), 1
    for number in order:
        starts.append(lines)
        lines += entries[number].text.count("\n") + 1
    text = "".join(f"@{entries[n].at_us} {entries[n].text}\n" for n in order).encode()
    log = replace(source, open=lambda: io.BytesIO(text), head=text[:4096], file=None)
    dialect = SYSTEM_LOG if stream.is_system_log else EXPORTED
    writer = stream.writer
    channel = writer.channel or ("service" if stream.is_system_log else "text")
    reading = LogReading(log, request, (dialect,), writer, channel)
    for item in reading.items():
        if isinstance(item, Record):
            place = bisect_right(starts, item.line) - 1
            yield replace(item, line=line_of(order[max(place, 0)]))
        elif isinstance(item, Span):
            # The bytes are the export's, which accounts for them once.
            yield replace(item, offset=0, length=0, lines=0)


class Labelled(NamedTuple):
    """An entry, what its store says of who wrote it, and its line in the export."""

    entry: Entry
    labels: Mapping[str, str]
    line: int


def grouped_items(found: Iterable[Labelled], source: Source, request: Request) -> Iterator[Item]:
    """Yield the records of entries that come in any order, writer by writer."""
    writers: dict[tuple[tuple[str, str], ...], list[Labelled]] = defaultdict(list)
    for one in found:
        known = tuple((name, one.labels[name]) for name in sorted(NAMES & one.labels.keys()))
        writers[known].append(one)
    for labels, group in writers.items():
        entries, lines = [one.entry for one in group], [one.line for one in group]
        told = stream_of(dict(labels))
        yield from exported_items(entries, told, source, request, lines.__getitem__)


def moment_us(text: str) -> int | None:
    """Read a stamp into microseconds since 1970; a bare number counts in what its length says."""
    if not text or text.isdigit():
        return int(text[:16].ljust(16, "0")) if len(text) >= len("1715413262") else None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * MILLION)


def _build(match: "re.Match[str]", _: Setting) -> Line | None:
    """Take the store's time, and what a carrier of the time before says of host and tag."""
    instant = from_epoch(int(match["stamp"]) / MILLION)
    if instant is None:
        return None
    text = match["text"]
    if carried := _CARRIER.match(text):
        fields = {"pid": carried["pid"]} if carried["pid"] else None
        said = _RING.sub("", carried["text"], count=1)
        return Line(said, instant, carried["host"], carried["tag"], fields=fields)
    return Line(_RING.sub("", text, count=1), instant)


def _build_believed(match: "re.Match[str]", setting: Setting) -> Line | None:
    line = _build(match, setting)
    return line._replace(channel="kernel") if line and line.unit == "kernel" else line


EXPORTED = Dialect("exported", _STAMPED, _build)
SYSTEM_LOG = Dialect("exported-system-log", _STAMPED, _build_believed)


def stream_of(labels: Mapping[str, str]) -> Stream:
    """Tell who wrote a stream from the names that collectors give it."""
    host = _first(labels, HOSTS).partition(":")[0]
    unit = _first(labels, UNITS).removesuffix(".service")
    fields = {name: _first(labels, keys) for name, keys in PLACES.items()}
    fields = {name: value for name, value in fields.items() if value}
    clock = f"host:{host}" if host else ""
    if "pod" in fields:  # before all else: what a workload says of itself makes it no kernel
        place = fields.get("namespace", ""), fields["pod"], fields.get("container", "")
        return Stream(pod_writer(*place, node=host))
    if _first(labels, TRANSPORTS) in KERNEL or unit in KERNEL:
        return Stream(Writer("kernel", host, "kernel", clock, fields))
    if _SYSTEM_FILE.search(_first(labels, FILES)):
        return Stream(Writer(None, host, "", clock, fields), is_system_log=True)
    return Stream(Writer("service" if unit or host else None, host, unit, clock, fields))


_SYSTEM_FILE = compile_late(r"/var/log/(?:messages|syslog|kern\.log|kern|dmesg)\b")
FILES = ("filename", "log.file.path", "source", "path", "file")


KERNEL = frozenset({"kernel", "kern", "kmsg"})
HOSTS = (
    "host.name", "hostname", "host.hostname", "host", "node_name", "nodename", "node",
    "kubernetes.node.name", "kubernetes.host", "_HOSTNAME", "agent.hostname", "instance",
)  # fmt: skip
UNITS = (
    "unit", "systemd_unit", "systemd.unit", "_SYSTEMD_UNIT", "syslog_identifier",
    "SYSLOG_IDENTIFIER", "syslog.identifier", "process.name", "log.syslog.appname", "program",
    "app_name", "appname", "service_name", "job",
)  # fmt: skip
TRANSPORTS = (
    "transport", "_TRANSPORT", "systemd.transport", "facility", "syslog_facility",
    "log.syslog.facility.name", "facility_label", "syslog_identifier", "SYSLOG_IDENTIFIER",
    "syslog.identifier", "process.name",
)  # fmt: skip
PLACES = {
    "namespace": (
        "namespace", "namespace_name", "kubernetes.namespace", "kubernetes.namespace_name",
    ),
    "pod": ("pod", "pod_name", "kubernetes.pod.name", "kubernetes.pod_name"),
    "container": (
        "container", "container_name", "kubernetes.container.name", "kubernetes.container_name",
    ),
}  # fmt: skip
NAMES = frozenset(
    (*HOSTS, *UNITS, *TRANSPORTS, *FILES, *(n for part in PLACES.values() for n in part))
)
"""All labels that say who wrote."""


def _first(labels: Mapping[str, str], names: Sequence[str]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")
