"""The journal as JSON: one object per line, pretty-printed, or one array."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

import msgspec

from tools.documents import json_values, text_start
from tools.evidence import Channel, Gap, Instant, Item, Record, Span
from tools.journal_entry import FIELDS, entry_record
from tools.request import Request
from tools.scan import Block, read_blocks, scanner_for
from tools.source import Source

_TIME = b'"__REALTIME_TIMESTAMP"'
_WANTED = frozenset((*FIELDS, "__REALTIME_TIMESTAMP"))
_LINES = re.compile(rb"^\{[^\n]*\}\r?$", re.MULTILINE)
SAMPLES = 32


class JournalJsonReader:
    """Scans lines for literals and decodes only those; other shapes are decoded whole."""

    name = "journal-json"
    source = "journal"

    def score(self, head: bytes, hint: str) -> float:  # noqa: ARG002  # the content decides
        """Look for the field that every entry has."""
        start = text_start(head)
        return 0.98 if start.startswith((b"{", b"[")) and _TIME in start else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read entries with hits."""
        if _LINES.match(text_start(source.head)):
            yield from JsonLines(source.evidence, request).items(source)
            return
        for number, value in enumerate(json_values(source), 1):
            if isinstance(value, Gap):
                yield value
                continue
            record = entry_record(source.evidence, plain(value))
            if record and any(literal in record.text for literal in request.literals):
                yield replace(record, line=number)


class JsonLines:
    """One pass over a journal with one entry per line."""

    def __init__(self, evidence: str, request: Request) -> None:
        self.evidence, self.request = evidence, request
        self._line = 1
        self._literals = tuple(
            json.dumps(literal, ensure_ascii=False)[1:-1] for literal in request.literals
        )
        self._seen: dict[tuple[str, Channel], list[Instant]] = {}

    def items(self, source: Source) -> Iterator[Item]:
        """Read a whole source."""
        with source.open() as stream:
            for block in read_blocks(stream):
                yield from self._block(block)
        for (host, channel), (first, last) in self._seen.items():
            yield Span(self.evidence, 0, 0, 0, first, last, host, channel)

    def _block(self, block: Block) -> Iterator[Item]:
        data, done = block.data, block.start
        counted, number = block.start, self._line
        region = memoryview(data)[block.start : block.stop]
        for _, end in scanner_for(self._literals).find(region):
            place = block.start + end - 1
            if place < done:
                continue
            begin = data.rfind(b"\n", 0, place) + 1
            done = data.find(b"\n", place)
            done = len(data) if done < 0 else done
            number += data.count(b"\n", counted, begin)
            counted = max(begin, counted)
            if record := self._record(data[begin:done]):
                yield replace(record, line=number)
        yield from self._span(block)

    def _record(self, line: bytes) -> Record | None:
        try:
            content: object = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeError):
            return None
        if not isinstance(content, Mapping):
            return None
        record = entry_record(self.evidence, plain(cast("Mapping[str, object]", content)))
        if record and record.time:
            seen = self._seen.setdefault((record.host, record.channel), [record.time] * 2)
            seen[0] = min(seen[0], record.time, key=lambda moment: moment.utc)
            seen[1] = max(seen[1], record.time, key=lambda moment: moment.utc)
        return record

    def _span(self, block: Block) -> Iterator[Span]:
        length = block.stop - block.start
        times = []
        for place in range(block.start, block.stop, max(1, length // SAMPLES)):
            begin = block.data.rfind(b"\n", 0, place) + 1
            end = block.data.find(b"\n", place)
            record = self._record(block.data[begin : end if end >= 0 else len(block.data)])
            times += [record.time] if record and record.time else []
        times.sort(key=lambda moment: moment.utc)
        lines = block.data.count(b"\n", block.start, block.stop)
        hosts = {host for host, _ in self._seen}
        self._line += lines
        if length:
            first, last = (times[0], times[-1]) if times else (None, None)
            host = next(iter(hosts)) if len(hosts) == 1 else ""
            yield Span(self.evidence, block.offset, length, lines, first, last, host, "service")


def plain(content: Mapping[str, object]) -> dict[str, str]:
    """Undo what journalctl does to odd values: arrays of bytes, arrays of repeated fields."""
    return {
        key: text
        for key, value in content.items()
        if key in _WANTED and (text := _text(value)) is not None
    }


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        if all(isinstance(part, int) and 0 <= part < 256 for part in value):  # noqa: PLR2004
            return bytes(value).decode("utf-8", "replace")
        return _text(value[0])
    return str(value) if isinstance(value, int) else None


READER = JournalJsonReader()
