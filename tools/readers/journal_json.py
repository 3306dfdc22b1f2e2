"""The journal as JSON: one object per line, pretty-printed, or one array."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, cast

import msgspec

from tools.documents import json_data, json_values, lines_before, text_start
from tools.error_levels import JOURNAL_JSON_MARKS, MARKS, is_called_error
from tools.evidence import Gap, Item, Record
from tools.journal_entry import FIELDS, entry_record
from tools.journal_text import ExportReading
from tools.json_places import Finder
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source

_TIME = b'"__REALTIME_TIMESTAMP"'
_WANTED = frozenset((*FIELDS, "__REALTIME_TIMESTAMP"))
_LINES = compile_late(rb"^\{[^\n]*\}\r?$", re.MULTILINE)
_BYTES = ('"MESSAGE":[', '"MESSAGE" : [', '"MESSAGE": [')


class JournalJsonReader:
    """Scans lines for literals and decodes only those; other shapes are decoded whole."""

    name = "journal-json"
    source = "journal"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the field that every entry has."""
        start = text_start(head)
        return 0.98 if start.startswith((b"{", b"[")) and _TIME in start else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read entries with hits."""
        if _LINES.match(text_start(source.head)):
            with source.open() as stream:
                yield from JsonReading(source.evidence, request).items(stream)
            return
        data = json_data(source)
        finder = Finder(data, lines_before(source.head))
        for value in json_values(source, data):
            if isinstance(value, Gap):
                yield value
                continue
            record = entry_record(source.evidence, plain(value))
            if record and _is_asked(record, request):
                yield replace(record, line=finder.line_of(record.text))


class JsonReading(ExportReading):
    """One pass over a journal with one entry per line."""

    border: ClassVar[bytes] = b"\n"
    kernel_mark: ClassVar[bytes] = b'"_TRANSPORT":"kernel"'
    host_mark: ClassVar[bytes] = b'"_HOSTNAME":"'
    time_mark: ClassVar[bytes] = b'"__REALTIME_TIMESTAMP":"'
    tag_mark: ClassVar[bytes] = b'"SYSLOG_IDENTIFIER":"'

    def literals(self) -> tuple[str, ...]:
        """Escape the literals as JSON does; messages that are arrays of bytes are hits too."""
        escaped = (json.dumps(each, ensure_ascii=False)[1:-1] for each in self.request.literals)
        return (*escaped, *_BYTES)

    def marks(self) -> tuple[str, ...]:
        """Return what stands in entries that their writers call errors."""
        return (*JOURNAL_JSON_MARKS, *MARKS) if self.request.errors else ()

    def bounds(self, data: bytes, place: int) -> tuple[int, int]:
        """Find the line around `place`."""
        end = data.find(b"\n", place)
        return data.rfind(b"\n", 0, max(place, 0)) + 1, len(data) if end < 0 else end

    def parse(self, data: bytes) -> dict[str, str]:
        """Decode one line; a damaged one says nothing."""
        try:
            content: object = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeError):
            return {}
        known = isinstance(content, Mapping)
        return plain(cast("Mapping[str, object]", content)) if known else {}

    def message_at(self, data: bytes, begin: int, stop: int) -> int:
        """Find the line that holds the message."""
        return begin


def _is_asked(record: Record, request: Request) -> bool:
    if any(literal in record.text for literal in request.literals):
        return True
    return request.errors and is_called_error(record.text, record.fields)


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
        if all(isinstance(part, int) and 0 <= part < 256 for part in value):  # noqa: PLR2004  # journald writes binary fields as bytes
            return bytes(value).decode("utf-8", "replace")
        return _text(value[0])
    return str(value) if isinstance(value, int) else None


READER = JournalJsonReader()
