"""Reads line logs of any dialect: finds literals in large blocks, parses only the lines around."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from tools.boots import MOST_LAST, endings
from tools.carriers import is_system_log, quoting_of
from tools.dialect import Dialect, Line, Setting
from tools.error_levels import MARKS, hum_of, is_called_error
from tools.evidence import Channel, Gap, Instant, Item, Record, Span
from tools.hum import Stretch, thinned
from tools.joining import LONG_LINE, Joiner, end_of
from tools.late_patterns import compile_late
from tools.masks import masked
from tools.request import Request
from tools.scan import Block, read_ahead, scanner_for
from tools.source import Source, Writer
from tools.stamps import Dating
from tools.writers import placed, program_of, writer_of
from tools.writers_by_content import channel_of_content, service_of_content, stem_of

PROBE_LINES = 40
"""How many lines at each end of a block are tried for a stamp."""
SAMPLES = 24
"""Lines per block that are read to learn which hosts and writers it carries."""
KERNEL_TAG = b" kernel: "
MAX_CARRIERS = 4096
SNIFF = 64 << 10
BINARY_SHARE = 0.04
"""Control bytes in a text stay far below this share, in compressed data they are a tenth."""
BACK = 1024
"""No literal is longer."""
ANCHOR_BYTES = 64 << 20

SPACE = 0x20
MAX_TAG = 160
"""Within so many bytes stand a line's stamp, host and tag."""
NO_COLUMN, ONE_WRITER = -1, -2
_IN_THE_LANE = {"boot_s", "pid"}
"""Fields that do not tell writers apart, or that stand in what is compared: a tag with its pid."""

_ESCAPES = compile_late(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\n]{0,256}\x07|[@-Z\\-_])")
_CONTROLS = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x0b\x0c\x1b\x08")


def clean(data: bytes) -> bytes:
    """Take out colours and filler bytes; line breaks stay where they are."""
    if b"\x1b" in data:
        data = _ESCAPES.sub(b"", data)
    return data.replace(b"\0", b"") if b"\0" in data else data


def is_binary(data: bytes) -> bool:
    """Tell whether bytes are no text at all; runs of filler in a text do not count."""
    sample = data.replace(b"\0\0", b"")
    if not sample:
        return bool(data)
    return len(sample) - len(sample.translate(None, _CONTROLS)) > BINARY_SHARE * len(sample)


@dataclass
class Carrier:
    """One writer of a content and the time over which it was seen to write."""

    first: Instant
    last: Instant


@dataclass
class LogReading:
    """One pass over one content."""

    source: Source
    request: Request
    dialects: tuple[Dialect, ...]
    """Likeliest first; the first is the file's own."""
    writer: Writer = field(default_factory=Writer)
    channel: Channel = "text"
    _line: int = 1
    _done: int = 0
    _column: int = 0
    _rubbish: tuple[int, int] | None = None
    """Begin and end of the binary blocks just passed."""
    _carriers: dict[tuple[str, Channel], Carrier] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Derive what all lines share."""
        capture, known = self.source.capture, self.source.known
        dating = Dating(
            self.request,
            self.source.reference(self.request.now),
            capture.ended or capture.started,
        )
        self.setting = Setting(dating, host=self.writer.host)
        self.setting.undated = known.latest or self.request.now or datetime.now(UTC)
        self.setting.boot = known.boots.get(self.writer.host)
        self.setting.stamped = known.stamped
        self._literals = self.request.literals
        if any(dialect.escaped for dialect in self.dialects[:1]):
            self._literals = tuple(dict.fromkeys((*self._literals, *map(_escaped, self._literals))))
        hum = self.request.hum
        self._hum = {n: hum[text] for n, text in enumerate(self._literals) if text in hum}
        self._known = len(self._literals)
        if self.request.errors:
            self._hum |= hum_of(MARKS, self._known)
            self._literals += MARKS
        self.lines = Joiner(
            self.dialects,
            self.setting,
            self.channel,
            self.writer.channel,
            speaks_for_system=lambda: is_system_log(self.source, self.dialects, self.setting),
            quotes=lambda: quoting_of(self.source, self.writer, self.dialects, self.setting),
        )

    def items(self) -> Iterator[Item]:
        """Yield records for hits, and a span or gap per block."""
        with self.source.open() as stream:
            for block in read_ahead(stream):
                yield from self._block(block)
        yield from self._flush()
        # Spans of no bytes of their own: whose lines run through the content, and how they end.
        evidence = self.source.evidence
        if len(self._carriers) > 1:
            for (host, channel), seen in self._carriers.items():
                yield Span(evidence, 0, 0, 0, seen.first, seen.last, host, channel)
        for host, ending in endings(self.lines.last(MOST_LAST)).items():
            yield Span(evidence, 0, 0, 0, host=host, channel="service", ending=ending)

    def _block(self, block: Block) -> Iterator[Item]:
        length = block.stop - block.start
        if not length:
            return
        if is_binary(block.data[block.start : min(block.stop, block.start + SNIFF)]):
            self._rubbish = (self._rubbish or (block.offset, 0))[0], block.offset + length
            self._line += block.data.count(b"\n", block.start, block.stop)
            self._done = 0
            return
        if any(block.data.find(odd, block.start, block.stop) >= 0 for odd in (b"\x1b", b"\0")):
            block = _cleaned(block)
        yield from self._flush()
        self.lines.turn_to(block)
        before = self._line
        yield from self._records(block)
        yield self._span(block, length, self._line - before)
        self._done = max(0, self._done - block.stop)

    def _flush(self) -> Iterator[Gap]:
        """Tell of the binary blocks passed, as one gap."""
        if self._rubbish:
            begin, end = self._rubbish
            self._rubbish = None
            why = "binary bytes that no reader knows"
            yield Gap(
                source="file", target=self.source.name, why=why,
                evidence=self.source.evidence, offset=begin, length=end - begin,
            )  # fmt: skip

    def _records(self, block: Block) -> Iterator[Record]:
        data, start, lines = block.data, block.start, self.lines
        done = start + self._done
        counted, number = start, self._line
        hits = self._hits(block)
        look = Stretch(partial(self._lane, start), partial(self._moment, start))
        self._column = 0
        for literal, end, count in thinned(hits, self._hum, look, self._known):
            place = start + end - 1
            begin = data.rfind(b"\n", 0, place) + 1
            if place < done or lines.is_used(begin):
                continue
            if literal >= self._known and not self._is_called_error(begin):
                continue
            first, done, line = lines.message_at(place)
            back = data.count(b"\n", first, counted)
            if first > counted:
                number += data.count(b"\n", counted, first)
                counted = first
            yield self._record(line, number - back, count)
            if self.request.neighbours:
                yield from self._neighbours(first, done, line, number - back)
        self._line = number + data.count(b"\n", counted, block.stop)
        self._done = max(block.stop, done)

    def _is_called_error(self, begin: int) -> bool:
        line = self.lines.line_at(begin)
        return is_called_error(line.text, line.fields or {})

    def _hits(self, block: Block) -> list[tuple[int, int]]:
        """Find the literals; one that the cut through an overlong line parts is found whole."""
        low = start = block.start
        if start and block.data[start - 1 : start] != b"\n":
            low = max(0, start - BACK)
        hits = scanner_for(self._literals).find(memoryview(block.data)[low : block.stop])
        if low == start:
            return hits
        return [(n, end + low - start) for n, end in hits if end + low > start]

    def _neighbours(self, first: int, done: int, line: Line, number: int) -> Iterator[Record]:
        """Yield the lines of the same writer around a hit."""
        data, wanted = self.lines.data, self.request.neighbours
        places: list[int] = []
        place = first
        while place > 0 and len(places) < wanted:
            place = data.rfind(b"\n", 0, place - 1) + 1
            places.append(place)
        place = done + 1
        while place < len(data) and len(places) < 2 * wanted:
            places.append(place)
            place = end_of(data, place) + 1
        for begin in places:
            other = self.lines.line_at(begin)
            if (other.host, other.unit) == (line.host, line.unit):
                low, high = min(begin, first), max(begin, first)
                away = data.count(b"\n", low, high)
                yield self._record(other, number + (away if begin > first else -away))

    def _lane(self, start: int, end: int) -> tuple[bytes, int] | None:
        """Find host and unit in the raw line, where they stand right behind the stamp."""
        data = self.lines.data
        if self._column == ONE_WRITER:
            return b"", end_of(data, start + end) - start
        begin = data.rfind(b"\n", 0, start + end) + 1
        if not self._column:
            self._column = self._find_column(begin)
            return self._lane(start, end)
        if self._column == NO_COLUMN:
            return None
        stop = end_of(data, start + end) - start
        place = begin + self._column
        token = data[place : data.find(b":", place, place + MAX_TAG)]
        known = data[place - 1] == SPACE and b" " in token
        return (token, stop) if known else None

    def _find_column(self, begin: int) -> int:
        """Learn from one line where its host stands."""
        line = self.lines.line_at(begin)
        if line.instant is None or (line.fields or {}).keys() - _IN_THE_LANE:
            return NO_COLUMN
        if not line.host:
            fixed = self.writer.channel is not None and not self.dialects[0].escaped
            return ONE_WRITER if fixed else NO_COLUMN
        place = self.lines.data.find(b" " + line.host.encode() + b" ", begin, begin + MAX_TAG)
        return place + 1 - begin if place > 0 else NO_COLUMN

    def _moment(self, start: int, end: int) -> float | None:
        begin = self.lines.data.rfind(b"\n", 0, start + end) + 1
        instant = self.lines.line_at(begin).instant
        return instant.utc.timestamp() if instant else None

    def _tie_clocks(self, line: Line) -> None:
        """Keep a line that names both times: it places the boot clock of another file."""
        seconds = (line.fields or {}).get("boot_s")
        if seconds and line.instant and line.host:
            self.source.known.tie(seconds, line.instant, line.host)

    def _record(self, line: Line, number: int, count: int = 1) -> Record:
        channel = self.lines.channel_of(line)
        host = line.host or self.writer.host
        if line.instant is not None:
            self._meet(host, channel, line.instant)
            self._tie_clocks(line)
        fields = self.writer.fields
        return Record(
            self.source.evidence,
            channel,
            masked(line.text),
            number,
            line.instant,
            self.clock(line),
            host,
            line.unit or self.writer.unit,
            {**fields, **line.fields} if line.fields else fields,
            count,
        )

    def clock(self, line: Line) -> str:
        """Name the clock that stamped a line.

        A program's own stamps without a zone are a clock by themselves: what is learnt of their
        zone, or stated of it, says nothing of the host's other logs.
        """
        own = line.instant is not None and line.instant.zone != "stated" and not line.host
        if not own and self.writer.clock:
            return self.writer.clock
        host = line.host or self.writer.host
        return f"host:{host}" if host and not own else f"file:{self.source.evidence}"

    def _meet(self, host: str, channel: Channel, instant: Instant) -> None:
        seen = self._carriers.get((host, channel))
        if seen is None:
            if len(self._carriers) < MAX_CARRIERS:
                self._carriers[host, channel] = Carrier(instant, instant)
        elif instant.utc < seen.first.utc:
            seen.first = instant
        elif instant.utc > seen.last.utc:
            seen.last = instant

    # what a block covers

    def _span(self, block: Block, length: int, lines: int) -> Span:
        first = next(self._stamped(self._forward(block)), None)
        last = next(self._stamped(self._backward(block)), None)
        hosts = {line.host for line in (first, last) if line and line.host}
        for line in self._samples(block):
            if line.instant is not None:
                self._tie_clocks(line)
                host = line.host or self.writer.host
                self._meet(host, self.lines.channel_of(line), line.instant)
            if line.host:
                hosts.add(line.host)
        host = next(iter(hosts)) if len(hosts) == 1 else ""
        return Span(
            self.source.evidence,
            block.offset,
            length,
            lines,
            first.instant if first else None,
            last.instant if last else None,
            host or ("" if hosts else self.writer.host),
            self.lines.channel_of(first or Line("")),
            self.writer.unit,
        )

    def _samples(self, block: Block) -> Iterator[Line]:
        """Read some lines, and of the kernel's, which may be few, the first and the last."""
        step = max(1, (block.stop - block.start) // SAMPLES)
        ends = (block.data.find, block.data.rfind)
        kernel = [
            found for look in ends if (found := look(KERNEL_TAG, block.start, block.stop)) >= 0
        ]
        for place in (*range(block.start, block.stop, step), *kernel):
            begin = block.data.rfind(b"\n", 0, place) + 1
            end = min(end_of(block.data, place), begin + LONG_LINE)
            if line := self.lines.parse(begin, end):
                yield line

    def _stamped(self, places: Iterator[tuple[int, int]]) -> Iterator[Line]:
        for _, (begin, end) in zip(range(PROBE_LINES), places, strict=False):
            line = self.lines.parse(begin, min(end, begin + LONG_LINE))
            if line and line.instant:
                yield line

    def _forward(self, block: Block) -> Iterator[tuple[int, int]]:
        place = block.start
        while place < block.stop:
            end = end_of(block.data, place)
            yield place, end
            place = end + 1

    def _backward(self, block: Block) -> Iterator[tuple[int, int]]:
        end = block.stop - (block.data[block.stop - 1 : block.stop] == b"\n")
        while end > block.start:
            begin = max(block.data.rfind(b"\n", 0, end) + 1, block.start)
            yield begin, end
            end = begin - 1


def _escaped(literal: str) -> str:
    return json.dumps(literal, ensure_ascii=False)[1:-1]


def _cleaned(block: Block) -> Block:
    before = clean(block.data[: block.start])
    fresh = clean(block.data[block.start : block.stop])
    after = clean(block.data[block.stop :])
    start = len(before)
    return Block(before + fresh + after, start, start + len(fresh), block.offset, block.last)


def _host_text(source: Source, writer: Writer, *, stamped: bool) -> tuple[Channel | None, Writer]:
    """Tell a command's output and a daemon's own log, where no line says which it is."""
    command = source.capture.command
    if unit := service_of_content(source.head, source.name, stamped=stamped):
        return "service", replace(writer, unit=unit)
    if source.capture.source in {"host", "containers"} or writer.host:
        if stamped and not command:
            return "service", replace(writer, unit=stem_of(source.name))
        return "command", replace(writer, unit=program_of(command) or stem_of(source.name))
    return None, writer


def read_log(source: Source, request: Request, dialects: tuple[Dialect, ...]) -> Iterator[Item]:
    """Read a line log whose likeliest dialect comes first."""
    told = source.writer or writer_of(source.capture, source.name)
    writer = placed(told, source.known.nodes)
    own = None if source.pasted else dialects[0].channel
    if own is writer.channel is None and not source.pasted:
        own, writer = _host_text(source, writer, stamped=dialects[0].name != "text")
    if rank := source.known.ranks.get(source.name):
        writer = replace(rank, host=writer.host or rank.host)
    channel = writer.channel or own or channel_of_content(source.head)
    reading = LogReading(source, request, dialects, writer, channel)
    if anchor := dialects[0].prepare:
        with source.open() as stream:
            anchor(stream.read(ANCHOR_BYTES), reading.setting)
    yield from reading.items()
