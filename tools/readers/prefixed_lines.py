"""Logs whose every line begins with what is not its own: `pdsh`, `srun`, mails, chats."""

from collections.abc import Iterator
from dataclasses import replace

from tools.evidence import Item, Span
from tools.lines import clean
from tools.prefixes import LINES, POD, TASK, Prefix, is_stamped, numbered, prefix_of
from tools.regrouped import MOST, Group, read_groups
from tools.request import Request
from tools.sniffing import SURE as KNOWN
from tools.sniffing import all_dialects, all_readers
from tools.source import Source
from tools.writers import writer_of

PREFIXED = 0.93
FEW = 3
BEGINNING = 16 << 10
"""So many bytes show what the first lines share."""


class PrefixedReader:
    """Yields what the lines of each host, file or pod say once nothing stands before them."""

    name = "prefixed"
    source = "file"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for a prefix that the first lines share."""
        return PREFIXED if _prefix_in(head) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read writer after writer."""
        whole = source.whole(MOST)
        prefix = _prefix_in(source.head)
        groups = _groups(clean(whole), prefix, source) if prefix else []
        yield from read_groups(groups, source, request)
        yield Span(source.evidence, 0, len(whole), 0)


def _prefix_in(head: bytes) -> Prefix | None:
    lines = clean(head[:BEGINNING]).split(b"\n", 2 * LINES)
    if len(lines) > 1 and (len(head) > BEGINNING or len(lines) > 2 * LINES):
        lines.pop()
    prefix = prefix_of(lines, _Knowing())
    whole = prefix is POD and all(map(_is_sure, lines[:FEW]))
    return None if whole else prefix


class _Knowing:
    """Asks the readers of all formats."""

    def is_line(self, text: str) -> bool:
        return any(dialect.pattern.match(text) for dialect in all_dialects())

    def is_document(self, data: bytes) -> bool:
        return any(reader.score(data, "") >= KNOWN for reader in all_readers())


def _is_sure(line: bytes) -> bool:
    """Tell whether a line needs nothing taken off."""
    text = line.decode("utf-8", "replace")
    return any(one.pattern.match(text) for one in all_dialects() if one.name == "container-log")


def _groups(data: bytes, prefix: Prefix, source: Source) -> list[Group]:
    """Sort the lines by whose they are; the tool's own, and those without prefix, stay together."""
    groups: dict[str, Group] = {}
    for number, line in numbered(data):
        taken = prefix.taken_off(line)
        key, text = taken or (prefix.beside, line)
        if key not in groups:
            groups[key] = _group(key, prefix, source)
        groups[key].add(text, number)
    if not prefix.pasted:
        for group in groups.values():
            stamped = any(is_stamped(_text(line), _Knowing()) for line in group.lines[:LINES])
            group.pasted = source.pasted or not stamped
    return list(groups.values())


def _group(key: str, prefix: Prefix, source: Source) -> Group:
    """Begin the lines of one writer; what is known of the whole holds for its parts."""
    told = prefix.writer(key, source.known.nodes) if key else None
    outer = source.writer
    if told and prefix is TASK:
        outer = outer or source.known.ranks.get(source.name)
        outer = outer or writer_of(source.capture, source.name)
        told = replace(told, fields={**outer.fields, **told.fields})
    if told and outer:
        told = replace(told, host=told.host or outer.host)
    pasted = source.pasted or prefix.pasted
    return Group(key, told or outer, pasted, prefix.chosen, of_job=prefix is TASK)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "replace")


COLLECTOR = PrefixedReader()
