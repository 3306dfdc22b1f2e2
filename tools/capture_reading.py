"""Reads one file of evidence: picks the reader, counts every byte, closes with its Evidence."""

import hashlib
import io
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, cast

import msgspec

from tools.capture import Capture
from tools.errors import ReaderError
from tools.evidence import (
    Evidence,
    Gap,
    Instant,
    Item,
    Outcome,
    Reading,
    Record,
    Series,
    Span,
    Window,
)
from tools.late_patterns import compile_late
from tools.printed import is_printed
from tools.request import Request
from tools.sniffing import sniff
from tools.source import EvidenceFile, Known, Reader, Source
from tools.unpacking import Content
from tools.writers import program_of

UNREADABLE = (
    ReaderError, msgspec.MsgspecError, ValueError, KeyError, TypeError, AttributeError, OSError,
    EOFError, zlib.error, RecursionError, OverflowError, IndexError,
)  # fmt: skip
"""What damaged content makes readers raise; the content is then read as plain text."""

_SECONDS = compile_late(r"(\d+(?:\.\d+)?) ?s\b")
_IN_UTC = "env TZ=UTC "
NOT_SERVED = "the server could not find the requested resource"
"""What kubectl says of a list of a group that is not installed."""


@dataclass
class CaptureReading:
    """One pass over one file; `evidence` is complete once `items` is exhausted."""

    id: str
    member: EvidenceFile
    request: Request
    known: Known = field(default_factory=Known)
    hashes: bool = False
    """Whether to compute the file's digest on the way; it costs less than to read it again."""
    digest: str = ""
    """SHA-256 of the file, where its bytes were read to the end as they lie there."""
    _first: datetime | None = None
    _last: datetime | None = None
    _counted: int = 0
    _size: int = 0
    _damage: str = ""
    _yielded: bool = False
    _reader: Reader | None = None
    _refused: int = 0
    """Readers that met what they could not read."""
    _textual: bool = False
    """Whether it was read as lines of no known writer."""
    _hosts: set[str] = field(default_factory=set)
    _spool: Path | None = None

    def items(self) -> Iterator[Item]:
        """Yield all that the content says, with a span or gap for each byte."""
        capture = self.member.capture
        if capture.outcome not in {"ok", "empty"}:
            yield from _not_ok(self.id, capture)
        source = self._source()
        if not source.head:
            with source.open() as stream:
                stream.read(1)
            yield from self._rest()
            return
        try:
            yield from self._read(source)
        finally:
            if self._spool is not None:
                self._spool.unlink(missing_ok=True)
        yield from self._rest()

    def _read(self, source: Source) -> Iterator[Item]:
        for reader in sniff(source):
            self._reader = reader
            try:
                for item in reader.read(source, _as_asked(self.request, self.member.capture)):
                    yield self._note(item)
            except UNREADABLE as error:
                self._refused += 1
                yield self._unread(reader, error)
                if self._yielded:
                    return
                continue
            if not self._counted and self._size:
                yield self._note(self._whole_span())
            return

    def _unread(self, reader: Reader, error: Exception) -> Gap:
        why = f"damaged {reader.name}, searched as plain text: {str(error) or type(error).__name__}"
        return Gap(
            source=self._source_name(), target=self.member.name, why=why[:400], evidence=self.id
        )

    def _whole_span(self) -> Span:
        host = self._only_host() or self.member.capture.target
        return Span(self.id, 0, self._size, 0, _stated(self._first), _stated(self._last), host)

    def _only_host(self) -> str:
        hosts = self._hosts - {""}
        return next(iter(hosts)) if len(hosts) == 1 else ""

    def _note(self, item: Item) -> Item:
        """Learn from an item what the capture covers."""
        if isinstance(item, Record):  # first, because there may be a million
            self._yielded = True
            self._hosts.add(item.host)
            self._cover(item.time)
            return item
        self.known.learn(item)
        if isinstance(item, Span | Gap) and item.evidence == self.id:
            self._counted += item.length or 0
            self._yielded = self._yielded or bool(item.length)
        if isinstance(item, Span | Reading):
            self._hosts.add(item.host)
        if isinstance(item, Span):
            self._textual = item.channel == "text" and item.lines > 0
            self._cover(item.first)
            self._cover(item.last)
        elif isinstance(item, Series):
            for sample in (item.samples[0], item.samples[-1]) if item.samples else ():
                self._cover(Instant(sample.at))
        elif not isinstance(item, Gap):
            self._yielded = True
        return item

    def _cover(self, moment: Instant | None) -> None:
        if moment is not None and moment.dated:
            self._first = min(self._first or moment.utc, moment.utc)
            self._last = max(self._last or moment.utc, moment.utc)

    def _rest(self) -> Iterator[Gap]:
        """Account for what no reader took."""
        missing = self._size - self._counted
        if missing > 0:
            why = "the rest could not be read in its format"
            yield self._gap(why, self._counted, missing)
        if self._textual and self._first is None and is_printed(self.member.head):
            why = "looks like what a command printed, and no reader knows which: nobody judged it"
            yield Gap(source="file", target=self.member.name, why=why, evidence=self.id)
        if self._damage:
            yield self._gap(
                f"compressed data is damaged, what follows is lost: {self._damage}",
                self._size,
                None,
            )

    def _gap(self, why: str, offset: int, length: int | None) -> Gap:
        return Gap(
            source=self._source_name(), target=self.member.name, why=why,
            evidence=self.id, offset=offset, length=length,
        )  # fmt: skip

    def _source(self) -> Source:
        return Source(
            evidence=self.id,
            name=self.member.name,
            open=self._open,
            head=self.member.head,
            capture=self.member.capture,
            modified=_modified(self.member.path),
            file=self._file,
            known=self.known,
        )

    def _open(self) -> BinaryIO:
        return cast("BinaryIO", _Counted(self, Content(self.member.path)))

    def _file(self) -> Path:
        """Offer a real file with the decompressed content."""
        with Content(self.member.path) as content, self.member.path.open("rb") as raw:
            if content.read(16) == raw.read(16):
                self._size = self.member.path.stat().st_size
                return self.member.path.absolute()
        with tempfile.NamedTemporaryFile(prefix="firstfault-", delete=False) as spool:
            self._spool = Path(spool.name)
            with self._open() as stream:
                shutil.copyfileobj(cast("io.BufferedIOBase", stream), spool, 1 << 20)
        return self._spool

    def saw(self, size: int, damage: str) -> None:
        """Note how far a stream was read."""
        self._size = max(self._size, size)
        self._damage = damage or self._damage

    @property
    def as_sniffed(self) -> bool:
        """Tell whether the first reader that knew the format could read it, once it was read."""
        return self._refused == 0

    def evidence(self) -> Evidence:
        """Close the capture."""
        capture = self.member.capture
        empty = capture.outcome == "ok" and not self._size and not self._damage
        return Evidence(
            id=self.id,
            source=self._source_name(),
            command=capture.command or self.member.name,
            target=capture.target or self._only_host(),
            cluster=capture.cluster,
            observed_at=capture.ended or capture.started,
            window=Window(since=self._first, until=self._last),
            outcome="empty" if empty else self._outcome(),
            detail=capture.detail,
            path=self.member.name,
            size=self._size,
            sha256=self.digest,
            truncated=capture.truncated or bool(self._damage),
            live=capture.live,
            modified=None if capture.ended or capture.started else _modified(self.member.path),
        )

    def _outcome(self) -> Outcome:
        broken = bool(self._damage) and not self._size
        return (
            "failed"
            if broken and self.member.capture.outcome == "ok"
            else (self.member.capture.outcome)
        )

    def _source_name(self) -> str:
        return self.member.capture.source or (self._reader.source if self._reader else "file")


class _Counted(io.RawIOBase):
    """Tells the reading how many bytes a stream gave, and their digest at the end."""

    def __init__(self, reading: CaptureReading, content: Content) -> None:
        self._reading, self._content = reading, content
        self._hash = hashlib.sha256() if reading.hashes and content.plain else None

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._content.read(size)
        self._reading.saw(self._content.count, self._content.damage)
        if self._hash is not None:
            self._hash.update(data)
            ended = size < 0 or (size > 0 and not data)
            if ended and not self._content.damage:
                self._reading.digest = self._hash.hexdigest()
        return data

    def close(self) -> None:
        self._content.close()
        super().close()


def _modified(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return None


def _stated(moment: datetime | None) -> Instant | None:
    return Instant(moment) if moment else None


def outcome_items(number: str, capture: Capture) -> Iterator[Evidence | Item]:
    """Yield what a capture without bytes says: that it hung, was denied, or found nothing."""
    yield from _not_ok(number, capture)
    lost = capture.outcome == "ok" and bool(capture.path)
    if lost:
        why = f"the manifest names {capture.path}, which is not there"
        yield Gap(source=capture.source, target=capture.target, why=why, evidence=number)
    moment = capture.ended or capture.started
    yield Evidence(
        id=number,
        source=capture.source or "file",
        command=capture.command,
        target=capture.target,
        cluster=capture.cluster,
        observed_at=moment,
        window=Window(since=capture.started, until=capture.ended),
        outcome="absent" if lost else capture.outcome,
        detail=capture.detail,
        path=capture.path,
        sha256=capture.sha256,
        truncated=capture.truncated,
        live=capture.live,
    )


def _as_asked(request: Request, capture: Capture) -> Request:
    """Let a command that was run in UTC state the zone of what it printed."""
    if _IN_UTC not in capture.command:
        return request
    return request.model_copy(update={"zone": "UTC", "host_zones": {}})


def _is_not_served(capture: Capture) -> bool:
    """Tell whether the API server has no such kind: then there is nothing that was not seen."""
    return capture.outcome == "absent" and NOT_SERVED in capture.detail


def _not_ok(number: str, capture: Capture) -> Iterator[Item]:
    if capture.outcome == "hung":
        yield hung_record(number, capture)
    elif capture.outcome not in {"ok", "empty"} and not _is_not_served(capture):
        why = f"{capture.outcome}: {capture.detail or capture.command}"
        yield Gap(source=capture.source, target=capture.target, why=why, evidence=number)


def hung_record(number: str, capture: Capture) -> Record:
    """Say that a command did not come back: an observation, often the decisive one."""
    after = _waited(capture)
    host = capture.target
    return Record(
        number,
        "command",
        f"HUNG after {after} s: {capture.command}",
        0,
        Instant(capture.started) if capture.started else None,
        f"host:{host}" if host else f"file:{number}",
        host,
        program_of(capture.command),
        {"outcome": "hung", "after_s": after, "command": capture.command},
    )


def _waited(capture: Capture) -> str:
    if match := _SECONDS.search(capture.detail):
        return f"{float(match.group(1)):g}"
    if capture.started and capture.ended:
        return f"{(capture.ended - capture.started).total_seconds():g}"
    return "0"
