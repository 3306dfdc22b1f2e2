"""Reads line logs of any dialect: finds literals in large blocks, parses only the lines around."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tools.dialect import Dialect, Line, Setting
from tools.evidence import Channel, Gap, Instant, Item, Record, Span
from tools.masks import masked
from tools.messages import (
    MAX_CHARS,
    MAX_LINES,
    Shape,
    continues,
    shape_continued_by,
    shape_started_by,
)
from tools.request import Request
from tools.scan import Block, read_blocks, scanner_for
from tools.source import Source, Writer
from tools.stamps import Dating
from tools.writers import channel_of_content, placed, program_of, writer_of

LONG_LINE = 32 << 10
PROBE_LINES = 40
"""How many lines at each end of a block are tried for a stamp."""
SAMPLES = 24
"""Lines per block that are read to learn which hosts and writers it carries."""
MAX_CARRIERS = 4096
SNIFF = 64 << 10
BINARY_SHARE = 0.04
"""Control bytes in a text stay far below this share, in compressed data they are a tenth."""

_ESCAPES = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\n]{0,256}\x07|[@-Z\\-_])")
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
    _carriers: dict[tuple[str, Channel], Carrier] = field(default_factory=dict)
    _barren: int = -1
    """Before this offset the last search for a message's beginning found none."""
    _parsed: dict[int, Line | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Derive what all lines share."""
        self.setting = Setting(
            Dating(self.request, self.source.reference(self.request.now)), host=self.writer.host
        )
        self.setting.boot = self.source.known.boots.get(self.writer.host)
        self._order = list(self.dialects)

    def items(self) -> Iterator[Item]:
        """Yield records for hits, and a span or gap per block."""
        with self.source.open() as stream:
            for block in read_blocks(stream):
                yield from self._block(block)
        if len(self._carriers) > 1:
            for (host, channel), seen in self._carriers.items():
                yield self._witness(host, channel, seen)

    def _witness(self, host: str, channel: Channel, seen: Carrier) -> Span:
        """Say that one writer's lines run through the content; a span of no bytes of its own."""
        return Span(self.source.evidence, 0, 0, 0, seen.first, seen.last, host, channel)

    def _block(self, block: Block) -> Iterator[Item]:
        length = block.stop - block.start
        if not length:
            return
        if is_binary(block.data[block.start : min(block.stop, block.start + SNIFF)]):
            yield self._binary(block)
            self._line += block.data.count(b"\n", block.start, block.stop)
            self._done = 0
            return
        if any(block.data.find(odd, block.start, block.stop) >= 0 for odd in (b"\x1b", b"\0")):
            block = _cleaned(block)
        self._parsed.clear()
        self._barren = -1
        yield from self._records(block)
        yield self._span(block, length)
        self._line += block.data.count(b"\n", block.start, block.stop)
        self._done = max(0, self._done - block.stop)

    def _binary(self, block: Block) -> Gap:
        return Gap(
            source="file",
            target=self.source.name,
            why="binary bytes that no reader knows",
            evidence=self.source.evidence,
            offset=block.offset,
            length=block.stop - block.start,
        )

    def _records(self, block: Block) -> Iterator[Record]:
        data, start = block.data, block.start
        done = start + self._done
        counted, number = start, self._line
        scanner = scanner_for(self.request.literals)
        for _, end in scanner.find(memoryview(data)[start : block.stop]):
            place = start + end - 1
            if place < done:
                continue
            begin = data.rfind(b"\n", 0, place) + 1
            first, done, line = self._message(data, begin, place)
            back = data.count(b"\n", first, counted)
            if first > counted:
                number += data.count(b"\n", counted, first)
                counted = first
            yield self._numbered(line, number - back)
        self._done = max(block.stop, done)

    def _numbered(self, line: Line, number: int) -> Record:
        channel = self._channel(line)
        host = line.host or self.writer.host
        if line.instant is not None:
            self._meet(host, channel, line.instant)
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
        )

    def clock(self, line: Line) -> str:
        """Name the clock that stamped a line.

        A program's own stamps in an unknown zone are a clock by themselves: what is learnt of
        their zone says nothing of the host's other logs.
        """
        own = line.instant is not None and line.instant.zone == "unknown" and not line.host
        if not own and self.writer.clock:
            return self.writer.clock
        host = line.host or self.writer.host
        return f"host:{host}" if host and not own else f"file:{self.source.evidence}"

    def _channel(self, line: Line) -> Channel:
        return self.writer.channel or line.channel or self.channel

    def _meet(self, host: str, channel: Channel, instant: Instant) -> None:
        seen = self._carriers.get((host, channel))
        if seen is None:
            if len(self._carriers) < MAX_CARRIERS:
                self._carriers[host, channel] = Carrier(instant, instant)
        elif instant.utc < seen.first.utc:
            seen.first = instant
        elif instant.utc > seen.last.utc:
            seen.last = instant

    # one message

    def _message(self, data: bytes, begin: int, place: int) -> tuple[int, int, Line]:
        """Assemble the logical line around a hit: (first byte, byte behind it, the line)."""
        end = _end(data, place)
        if end - begin > LONG_LINE:
            return begin, end, self._excerpt(data, begin, place)
        line = self._parse(data, begin, end)
        if line is None and self._stamped(begin):
            begin, line = self._head_of(data, begin)
            end = _end(data, begin)
        if line is None:
            line = Line(_text(data, begin, end))
        begin, line, shape = self._opening(data, begin, line, self._channel(line))
        end = _end(data, begin)
        return self._extend(data, begin, max(end, begin), line, shape)

    def _stamped(self, begin: int) -> bool:
        """Tell whether an unstamped line can belong to a stamped one before it."""
        return begin > 0 and bool(self.dialects) and self.dialects[0].name != "text"

    def _head_of(self, data: bytes, begin: int) -> tuple[int, Line | None]:
        """Walk back from a continuation line to the stamped line that it continues."""
        place = begin
        for _ in range(MAX_LINES):
            if place <= 0 or begin - place > MAX_CHARS:
                break
            previous = data.rfind(b"\n", 0, place - 1) + 1
            if line := self._parse(data, previous, place - 1):
                return previous, line
            place = previous
        return begin, None

    def _opening(
        self, data: bytes, begin: int, line: Line, channel: Channel
    ) -> tuple[int, Line, Shape | None]:
        """Find the first line of the multi-line message that this line is part of."""
        if shape := shape_started_by(line.text, channel):
            return begin, line, shape
        wanted = shape_continued_by(line.text, channel)
        place = begin
        for _ in range(wanted.limit if wanted else 0):
            if place <= max(0, self._barren) or wanted is None:
                break
            previous = data.rfind(b"\n", 0, place - 1) + 1
            before = self._parse(data, previous, place - 1) or self._plain(
                data, previous, place - 1
            )
            if shape_started_by(before.text, channel) is wanted:
                return previous, before, wanted
            if continues(wanted, before.text, channel) is not False:
                break
            place = previous
        self._barren = begin if wanted else self._barren
        return begin, line, None

    def _plain(self, data: bytes, begin: int, end: int) -> Line:
        return Line(_text(data, begin, min(end, begin + 4096)))

    def _extend(
        self, data: bytes, begin: int, end: int, line: Line, shape: Shape | None
    ) -> tuple[int, int, Line]:
        """Join the lines that continue this one, by shape or because they carry no stamp."""
        texts, size = [line.text], len(line.text)
        stamped = line.instant is not None or line.channel == "kernel"
        limit = shape.limit if shape else MAX_LINES
        while len(texts) <= limit and size < MAX_CHARS and end + 1 < len(data):
            stop = _end(data, end + 1)
            following = self._parse(data, end + 1, stop)
            text = following.text if following else _text(data, end + 1, min(stop, end + MAX_CHARS))
            channel = self._channel(line)
            verdict = _belongs(text, shape, following, line, channel, stamped=stamped)
            if verdict is None:
                break
            texts.append(text)
            size += len(text)
            end = stop
            if verdict:
                break
        joined = "\n".join(texts).rstrip("\n")
        return begin, end, line._replace(text=joined) if len(texts) > 1 else line

    def _excerpt(self, data: bytes, begin: int, place: int) -> Line:
        """Cut a window out of a line that is too long to keep."""
        head = self._parse(data, begin, begin + 1024)
        window = _text(data, max(begin, place - 2048), min(_end(data, place), place + 6144))
        return (head or Line(""))._replace(text=window)

    def _parse(self, data: bytes, begin: int, end: int) -> Line | None:
        if begin in self._parsed:
            return self._parsed[begin]
        text = _text(data, begin, end)
        found: Line | None = None
        for place, dialect in enumerate(self._order):
            match = dialect.pattern.match(text)
            if match is None:
                continue
            found = dialect.build(match, self.setting)
            if found is not None:
                found = self._trusted(found, dialect)
                if place:
                    self._order.insert(0, self._order.pop(place))
                break
        self._parsed[begin] = found
        return found

    def _trusted(self, line: Line, dialect: Dialect) -> Line:
        """Refuse a stray line's claim to be the kernel's in what a workload or device wrote."""
        stray = dialect.forgeable and dialect is not self.dialects[0]
        return line._replace(channel=None) if stray and self.channel in {"app", "device"} else line

    # what a block covers

    def _span(self, block: Block, length: int) -> Span:
        data = block.data
        first = self._probe(data, block.start, block.stop)
        last = self._probe_back(data, block.start, block.stop)
        hosts = {line.host for line in (first, last) if line and line.host}
        for line in self._samples(block):
            if line.instant is not None:
                self._meet(line.host or self.writer.host, self._channel(line), line.instant)
            if line.host:
                hosts.add(line.host)
        host = next(iter(hosts)) if len(hosts) == 1 else ""
        return Span(
            self.source.evidence,
            block.offset,
            length,
            data.count(b"\n", block.start, block.stop),
            first.instant if first else None,
            last.instant if last else None,
            host or ("" if hosts else self.writer.host),
            self._channel(first) if first else (self.writer.channel or self.channel),
            self.writer.unit,
        )

    def _samples(self, block: Block) -> Iterator[Line]:
        step = max(1, (block.stop - block.start) // SAMPLES)
        for place in range(block.start, block.stop, step):
            begin = block.data.rfind(b"\n", 0, place) + 1
            line = self._parse(block.data, begin, min(_end(block.data, place), begin + LONG_LINE))
            if line is not None:
                yield line

    def _probe(self, data: bytes, start: int, stop: int) -> Line | None:
        place = start
        for _ in range(PROBE_LINES):
            if place >= stop:
                return None
            end = _end(data, place)
            line = self._parse(data, place, min(end, place + LONG_LINE))
            if line and line.instant:
                return line
            place = end + 1
        return None

    def _probe_back(self, data: bytes, start: int, stop: int) -> Line | None:
        end = stop - 1 if data[stop - 1 : stop] == b"\n" else stop
        for _ in range(PROBE_LINES):
            if end <= start:
                return None
            begin = data.rfind(b"\n", start, end) + 1 or start
            line = self._parse(data, begin, min(end, begin + LONG_LINE))
            if line and line.instant:
                return line
            end = begin - 1
        return None


def _belongs(
    text: str, shape: Shape | None, following: Line | None, opening: Line, channel: Channel,
    *, stamped: bool,
) -> bool | None:  # fmt: skip
    """Tell whether the next line continues the message: None no, False yes, True yes and closes."""
    if shape:
        if following and following.host != opening.host:
            return None
        verdict = continues(shape, text, channel)
        if verdict is not None:
            return verdict
    return False if stamped and following is None and text.strip() else None


def _end(data: bytes, place: int) -> int:
    found = data.find(b"\n", place)
    return len(data) if found < 0 else found


def _text(data: bytes, begin: int, end: int) -> str:
    return data[begin:end].decode("utf-8", "replace").rstrip("\r")


def _cleaned(block: Block) -> Block:
    before = clean(block.data[: block.start])
    fresh = clean(block.data[block.start : block.stop])
    after = clean(block.data[block.stop :])
    start = len(before)
    return Block(before + fresh + after, start, start + len(fresh), block.offset, block.last)


def read_log(
    source: Source, request: Request, dialects: tuple[Dialect, ...], channel: Channel | None = None
) -> Iterator[Item]:
    """Read a line log whose likeliest dialect comes first."""
    writer = placed(writer_of(source.capture, source.name), source.known.nodes)
    own = channel or (dialects[0].channel if dialects else None)
    if own is writer.channel is None and source.capture.source in {"host", "containers"}:
        own, writer = "command", replace(writer, unit=program_of(source.capture.command))
    reading = LogReading(source, request, dialects, writer, own or channel_of_content(source.head))
    for dialect in dialects[:1]:
        if dialect.prepare:
            with source.open() as stream:
                dialect.prepare(stream.read(64 << 20), reading.setting)
    yield from reading.items()
