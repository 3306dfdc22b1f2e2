"""What a person pasted: a terminal session, or a letter or log in which outputs of programs stand.

It is cut at its prompts and at the outputs that are known by their headings. Each part is read by
its own reader; what is left of a part, without its tables, is read as the text that it is.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import BinaryIO, cast

from tools.evidence import Gap, Item, ObjectState, Reading, Record, Span
from tools.lines import clean
from tools.printed_dates import printed_date
from tools.prompts import may_hold_prompt, prompts_of
from tools.request import Request
from tools.sections import SESSION, Section, read_section
from tools.session_parts import Part, given_tables, is_mixed, parts_of, sections_of
from tools.sniffing import LogReader, sniff
from tools.source import HEAD, Source
from tools.tables import may_hold_table, unquoted

MOST = 4 << 20
"""A longer text was written by a program; only the tables in its beginning are taken out."""
COLLECTED = 0.985
"""Reports that a script collects are surer of themselves, and each single output less."""


class SessionReader:
    """Yields what the readers of its parts yield."""

    name = SESSION
    source = "file"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Tell whether the beginning is made of several outputs."""
        # A row that is cut off is no text beside its table.
        whole = head[: head.rfind(b"\n") + 1] if len(head) >= HEAD else head
        head = clean(whole or head)
        if not (may_hold_table(head) or may_hold_prompt(head)):
            return 0.0
        return COLLECTED if is_mixed(parts_of(head), head) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read part after part."""
        with source.open() as stream:
            data = stream.read(MOST + 1)
        if len(data) > MOST:
            yield from _large(source, request)
            return
        size, data = len(data), clean(data)
        if size > len(data):  # A terminal's colours, recorded with the words.
            yield Span(source.evidence, len(data), size - len(data), 0)
        parts = [_on_node(part, source.known.nodes) for part in parts_of(data)]
        request, latest = _dated(data, parts, request)
        words = {True: 0, False: 0}
        for part in parts:
            for section, own in sections_of(part, data, source.capture):
                told = False
                section = _told(section, source, latest)  # noqa: PLW2901  # the same, with what is known
                items = read_section(section, source, request)
                for item in _sized(items, section, own, source.evidence):
                    told = told or _tells(item)
                    yield item
                words[told] += 0 if section.is_heading else len(section.data.split())
        if words[False] > words[True]:
            why = "most of this file was not read: no reader knows what stands there"
            yield Gap(source="file", target=source.name, why=why, evidence=source.evidence)


def _on_node(part: Part, nodes: Mapping[str, str]) -> Part:
    """Put what was typed in a pod on the node where the pod runs: its prompt shows the pod."""
    if part.prompt is None or not part.prompt.host:
        return part
    for pod, node in nodes.items():
        if pod.rpartition("/")[2] == part.prompt.host:
            return replace(part, prompt=replace(part.prompt, host=node))
    return part


def _told(section: Section, source: Source, latest: datetime | None) -> Section:
    """Tell a section what is known of the whole."""
    writer = None if section.capture.source else source.writer
    return replace(section, modified=latest, pasted=source.pasted, writer=writer)


def _sized(items: Iterator[Item], section: Section, size: int, evidence: str) -> Iterator[Item]:
    """Let the parts of a section add up to the bytes that it has in the file."""
    if len(section.data) == size:
        yield from items
        return
    for item in items:
        if isinstance(item, Span):
            item = replace(item, offset=section.offset, length=0)  # noqa: PLW2901  # the same, placed
        elif isinstance(item, Gap):
            item = item.model_copy(update={"offset": section.offset, "length": 0})  # noqa: PLW2901  # the same, placed
        yield item
    if size:
        yield Span(evidence, section.offset, size, 0)


def _tells(item: Item) -> bool:
    """Tell whether an item says that its section was understood."""
    if isinstance(item, Span):
        return item.channel not in {"text", "command"}
    return isinstance(item, Record | Reading | ObjectState)


def _dated(data: bytes, parts: Sequence[Part], request: Request) -> tuple[Request, datetime | None]:
    """Take year and zone from what `date` printed, as far as nothing else tells them."""
    for table in (one for part in parts for one in part.tables if one.name == "date"):
        text = unquoted(data[table.begin : table.end].decode("utf-8", "replace"))
        if found := printed_date(text.strip(), request):
            latest, zone = found
            return request.model_copy(update={"zone": request.zone or zone}), latest
    return request, None


class _Spliced(io.RawIOBase):
    """A stream of which the beginning was changed."""

    def __init__(self, begin: bytes, stream: BinaryIO) -> None:
        self._begin, self._stream = io.BytesIO(begin), stream
        stream.read(len(begin))

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        return self._begin.read(size) or self._stream.read(size)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _large(source: Source, request: Request) -> Iterator[Item]:
    """Read the tables in the beginning, and all the rest as one text."""
    whole = source.head[: source.head.rfind(b"\n") + 1]
    part = Part(0, len(whole), None, given_tables(whole, tuple(prompts_of(whole))))
    for table in part.tables:
        text = whole[table.begin : table.end]
        before = whole.count(b"\n", 0, table.begin)
        section = Section(text, table.begin, before, is_table=True)
        yield from _sized(read_section(section, source, request), section, 0, source.evidence)
    head = part.rest(whole)

    def reopened() -> BinaryIO:
        return cast("BinaryIO", _Spliced(head, source.open()))

    text_only = replace(source, head=head, open=reopened, file=None)
    reader = next(one for one in sniff(text_only) if isinstance(one, LogReader))
    yield from reader.read(text_only, request)


COLLECTOR = SessionReader()
