"""Scans the journal's export text: hits in raw blocks, entries taken apart only around them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import BinaryIO, ClassVar

from tools.boots import BANNER, MOST_BEFORE, MOST_LAST, Boots, Said, endings
from tools.error_levels import JOURNAL_MARKS, MARKS, hum_of, is_called_error
from tools.evidence import Channel, Instant, Item, Record, Span
from tools.hum import Stretch, thinned
from tools.journal_entry import FIELDS, entry_record, entry_time, unit_of
from tools.late_patterns import compile_late
from tools.messages import Shape, continues, shape_continued_by, shape_started_by
from tools.request import Request
from tools.scan import Block, read_ahead, scanner_for

BORDER = b"\n\n"
START = b"\n\n__"
FIRST_FIELDS = (b"CURSOR=", b"SEQNUM=", b"REALTIME_TIMESTAMP=", b"MONOTONIC_TIMESTAMP=")
"""What an entry begins with, behind the blank line and two underscores."""
SAMPLES = 32
MAX_ENTRY = 1 << 20
OTHERS_BETWEEN = 64
"""How many entries of other writers may stand between the parts of one message."""

_WORKLOAD_FIELDS = (b"CONTAINER_NAME", b"K8S_POD_NAME", b"_SYSTEMD_USER_UNIT")
_WORKLOAD_GROUP = compile_late(
    rb"_SYSTEMD_CGROUP[^\n]*?(?:/user\.slice/|/user@|slurmstepd|/job_|kubepods)"
)
"""What an entry of a workload carries: of those, one name stands for many writers."""

_WANTED = {name.encode(): name for name in (*FIELDS, "__REALTIME_TIMESTAMP")}


def parse_entry(data: bytes) -> dict[str, str]:
    """Take one entry apart; a binary value is decoded with replacement."""
    entry: dict[str, str] = {}
    # Of a repeated field the first value counts, so it is written last.
    for line in reversed(data.rstrip(b"\n").split(b"\n")):
        key, equals, value = line.partition(b"=")
        if not equals:
            return _parse_binary(data)
        if name := _WANTED.get(key):
            entry[name] = value.decode("utf-8", "replace")
    return entry


def _parse_binary(data: bytes) -> dict[str, str]:
    """Take an entry apart of which a value has a length before it."""
    entry: dict[str, str] = {}
    place, size = 0, len(data)
    while place < size:
        end = data.find(b"\n", place)
        end = size if end < 0 else end
        key, equals, value = data[place:end].partition(b"=")
        place = end + 1
        if not equals and key:
            length = int.from_bytes(data[place : place + 8], "little")
            value = data[place + 8 : min(place + 8 + length, size)]
            place = min(place + 9 + length, size)
        if key in _WANTED:
            entry.setdefault(_WANTED[key], value.decode("utf-8", "replace"))
    return entry


def bounds(data: bytes, place: int) -> tuple[int, int]:
    """Find begin and end of the entry around `place`; blank lines inside values are no border."""
    low = max(0, place - MAX_ENTRY)
    begin, high = -1, place
    while (found := data.rfind(START, low, high)) >= 0:
        if data.startswith(FIRST_FIELDS, found + len(START)):
            begin = found + 2
            break
        high = found
    end = place
    while (end := data.find(START, end)) >= 0:
        if data.startswith(FIRST_FIELDS, end + len(START)):
            break
        end += 1
    return (begin if begin >= 0 else low), (len(data) if end < 0 else end + 1)


@dataclass
class ExportReading:
    """One pass over one export text."""

    evidence: str
    request: Request
    spans: bool = True
    """False where the text is a program's output and the file's own bytes are counted elsewhere."""
    seen: dict[tuple[str, Channel], tuple[Instant, Instant]] = field(default_factory=dict)
    border: ClassVar[bytes] = BORDER
    kernel_mark: ClassVar[bytes] = b"\n_TRANSPORT=kernel\n"
    host_mark: ClassVar[bytes] = b"\n_HOSTNAME="
    """Its first byte also ends its value."""
    time_mark: ClassVar[bytes] = b"\n__REALTIME_TIMESTAMP="
    tag_mark: ClassVar[bytes] = b"\nSYSLOG_IDENTIFIER="
    _line: int = 1
    _barren: int = -1
    """Before this offset the last search for a message's beginning found none."""
    _base: int = 0
    _used: set[int] = field(default_factory=set)
    _boots: Boots = field(default_factory=Boots)

    def items(self, stream: BinaryIO) -> Iterator[Item]:
        """Read a whole text, then say whose lines run from when to when."""
        words: list[tuple[str, Said]] = []
        for block in read_ahead(stream, self.border):
            yield from self._block(block)
            if block.last:
                words += self._last(block.data, block.stop, MOST_LAST)
        for host, ending in endings(words).items():
            yield Span(self.evidence, 0, 0, 0, host=host, channel="service", ending=ending)
        for (host, channel), (first, last) in self.seen.items():
            yield Span(self.evidence, 0, 0, 0, first, last, host, channel)

    def literals(self) -> tuple[str, ...]:
        """Spell the literals as the text does, in the request's order."""
        return self.request.literals

    def marks(self) -> tuple[str, ...]:
        """Return what stands in entries that their writers call errors."""
        return (*JOURNAL_MARKS, *MARKS) if self.request.errors else ()

    def bounds(self, data: bytes, place: int) -> tuple[int, int]:
        """Find begin and end of the entry around `place`."""
        return bounds(data, place)

    def parse(self, data: bytes) -> dict[str, str]:
        """Take one entry apart."""
        return parse_entry(data)

    def message_at(self, data: bytes, begin: int, stop: int) -> int:
        """Find the line that holds the message."""
        return max(data.find(b"\nMESSAGE", max(begin - 1, 0), stop) + 1, begin)

    def _block(self, block: Block) -> Iterator[Item]:
        before = self._line
        yield from self._records(block)
        first, last = self._sample(block)
        lines = self._line - before
        if self.spans and block.stop > block.start:
            hosts = {host for host, _ in self.seen}
            host = next(iter(hosts)) if len(hosts) == 1 else ""
            length = block.stop - block.start
            yield Span(self.evidence, block.offset, length, lines, first, last, host, "service")

    # records

    def _records(self, block: Block) -> Iterator[Record]:
        data, done = block.data, block.start
        counted, number = block.start, self._line
        self._base = block.offset - block.start
        self._used = {place for place in self._used if place >= block.offset}
        self._barren = -1
        region = memoryview(data)[block.start : block.stop]
        known, marks = self.literals(), self.marks()
        hits = scanner_for((*known, *marks)).find(region)
        look = Stretch(partial(self._lane, block), partial(self._moment, block))
        hum = self._hum() | hum_of(marks, len(known))
        for literal, end, count in thinned(hits, hum, look, len(known)):
            place = block.start + end - 1
            if place < done:
                continue
            begin, stop = self.bounds(data, place)
            record = self._record(data, begin, stop)
            if record is None or not self._wanted(literal, record, len(known)):
                continue
            done = stop
            if self._base + begin in self._used:
                continue
            if record.channel == "kernel" and record.text.startswith(BANNER):
                record = self._booted(data, begin, record)
            begin, record = self._whole(data, begin, stop, record)
            where = self.message_at(data, begin, stop)
            number += data.count(b"\n", counted, where) - data.count(b"\n", where, counted)
            counted = where
            yield _placed(record, number, count)
        self._line = number + data.count(b"\n", counted, block.stop)

    def _hum(self) -> dict[int, float]:
        hum = self.request.hum
        return {n: hum[text] for n, text in enumerate(self.request.literals) if text in hum}

    def _lane(self, block: Block, end: int) -> tuple[bytes, int] | None:
        """Tell host and tag of an entry; what workloads write is read line by line."""
        data = block.data
        begin, stop = self.bounds(data, block.start + end - 1)
        host = _value(data, self.host_mark, begin, stop)
        if not host:
            return None
        if data.find(self.kernel_mark, begin, stop) >= 0:
            return host, stop - block.start
        tag = _value(data, self.tag_mark, begin, stop)
        if not tag or _is_workloads(data, begin, stop):
            return None
        return host + b" " + tag, stop - block.start

    def _moment(self, block: Block, end: int) -> float | None:
        begin, stop = self.bounds(block.data, block.start + end - 1)
        stamp = _value(block.data, self.time_mark, max(begin - 1, 0), stop)
        return float(stamp) / 1e6 if stamp.isdigit() else None

    def _wanted(self, literal: int, record: Record, marked: int) -> bool:
        """Tell whether the message has the literal, not another field of the entry.

        From index `marked` on, literals only hint that an entry is called an error.
        """
        known, text = self.request.literals, record.text
        if literal < len(known):
            return known[literal] in text
        if literal >= marked:
            return is_called_error(text, record.fields)
        return any(each in text for each in known)

    def _record(self, data: bytes, begin: int, stop: int) -> Record | None:
        record = entry_record(self.evidence, self.parse(data[begin:stop]))
        if record and record.time:
            self._see(record.host, record.channel, record.time)
        return record

    def _booted(self, data: bytes, begin: int, record: Record) -> Record:
        """Say of a boot's first line for how long its host had been silent."""
        if record.time is None:
            return record
        before = self._before(data, begin, record.host)
        told = self._boots.silence(record.host, record.time, before)
        return replace(record, fields={**record.fields, **told})

    def _before(self, data: bytes, begin: int, host: str) -> Iterator[Said]:
        return (said for name, said in self._last(data, begin, MOST_BEFORE) if name == host)

    def _last(self, data: bytes, begin: int, limit: int) -> Iterator[tuple[str, Said]]:
        """Yield what hosts said before an offset, the last first."""
        for _ in range(limit):
            if begin <= 0:
                return
            begin, stop = self.bounds(data, max(begin - 3, 0))
            if one := entry_record(self.evidence, self.parse(data[begin:stop])):
                yield one.host, Said(one.time, one.channel, one.text, one.unit)

    def _whole(self, data: bytes, begin: int, stop: int, record: Record) -> tuple[int, Record]:
        """Join the entries of one message."""
        shape = shape_started_by(record.text, record.channel)
        if shape is None and (wanted := shape_continued_by(record.text, record.channel)):
            opening = self._opening(data, begin, record, wanted)
            if opening is not None:
                begin, stop, record = opening
                shape = wanted
        if shape is None:
            return begin, record
        return begin, self._extended(data, stop, record, shape)

    def _opening(
        self, data: bytes, begin: int, record: Record, shape: Shape
    ) -> tuple[int, int, Record] | None:
        steps = members = 0
        here = begin
        while begin > max(0, self._barren) and steps < OTHERS_BETWEEN and members < shape.limit:
            begin, stop = self.bounds(data, begin - 3)
            before = self._record(data, begin, stop)
            steps += 1
            if before is None or not _same_writer(before, record):
                continue
            members += 1
            if shape_started_by(before.text, record.channel) is shape:
                return begin, stop, before
            if continues(shape, before.text, record.channel) is not False:
                break
        self._barren = here
        return None

    def _extended(self, data: bytes, stop: int, record: Record, shape: Shape) -> Record:
        texts = [record.text]
        steps = 0
        while stop + 2 < len(data) and steps < OTHERS_BETWEEN and len(texts) <= shape.limit:
            begin, stop = self.bounds(data, stop + len(START) - 1)
            after = self._record(data, begin, stop)
            steps += 1
            if after is None or not _same_writer(after, record):
                continue
            closes = continues(shape, after.text, record.channel)
            if closes is None:
                break
            texts.append(after.text)
            self._used.add(self._base + begin)
            if closes:
                break
        return replace(record, text="\n".join(texts)) if len(texts) > 1 else record

    # coverage

    def _sample(self, block: Block) -> tuple[Instant | None, Instant | None]:
        data, times = block.data, []
        step = max(1, (block.stop - block.start) // SAMPLES)
        places = [*range(block.start, block.stop, step), max(block.start, block.stop - 4)]
        for found in (data.find, data.rfind):
            kernel = found(self.kernel_mark, block.start, block.stop)
            if kernel >= 0:
                places.append(kernel)
        for place in places:
            begin, stop = self.bounds(data, place)
            entry = self.parse(data[begin:stop])
            if moment := entry_time(entry):
                times.append(moment)
                kind: Channel = "kernel" if unit_of(entry) == "kernel" else "service"
                self._see(entry.get("_HOSTNAME", ""), kind, moment)
        ordered = sorted(times, key=lambda moment: moment.utc)
        return (ordered[0], ordered[-1]) if ordered else (None, None)

    def _see(self, host: str, channel: Channel, moment: Instant) -> None:
        first, last = self.seen.get((host, channel), (moment, moment))
        if moment.utc < first.utc:
            first = moment
        elif moment.utc > last.utc:
            last = moment
        self.seen[host, channel] = (first, last)


def _is_workloads(data: bytes, begin: int, stop: int) -> bool:
    named = any(data.find(name, begin, stop) >= 0 for name in _WORKLOAD_FIELDS)
    return named or _WORKLOAD_GROUP.search(data, begin, stop) is not None


def _value(data: bytes, mark: bytes, begin: int, stop: int) -> bytes:
    """Take the value behind a mark, of which the first byte also ends it."""
    place = data.find(mark, begin, stop)
    if place < 0:
        return b""
    place += len(mark)
    return data[place : data.find(mark[:1], place, stop)]


def _placed(record: Record, line: int, count: int) -> Record:
    """Say where a record stands; written out, because `replace` costs four times as much."""
    return Record(
        record.evidence,
        record.channel,
        record.text,
        line,
        record.time,
        record.clock,
        record.host,
        record.unit,
        record.fields,
        count,
    )


def _same_writer(one: Record, other: Record) -> bool:
    return (one.host, one.channel, one.unit) == (other.host, other.channel, other.unit)
