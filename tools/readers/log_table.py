"""Log lines as rows: a CSV that a log store gave out, or a table in a person's text.

Each row becomes the line that it once was, stamp and host and program before its message, and is
read with the other lines of its host.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from tools.errors import ReaderError
from tools.evidence import Item, Span
from tools.exported_logs import MILLION, moment_us
from tools.late_patterns import compile_late
from tools.lines import clean
from tools.prefixes import numbered
from tools.quotations import TAG
from tools.regrouped import MOST, Group, read_groups
from tools.request import Request
from tools.sniffing import all_dialects
from tools.source import Source, Writer
from tools.stamps import from_epoch

TABLE = 0.94
LINES, LONGEST, BEGINNING = 60, 4096, 16 << 10
COLUMNS: Mapping[str, frozenset[str]] = {
    meaning: frozenset(names.split())
    for meaning, names in {
        "time": "timestamp @timestamp _time time date datetime ts when 时间",
        "host": "host hostname host.name node nodename instance server machine _hostname 主机 节点",
        "tag": "app appname application program process process.name unit ident tag service "
        "syslog_identifier systemd_unit 程序",
        "text": "message msg log line text _raw event content 日志 消息",
    }.items()
}
"""What log stores and people call the columns."""
DELIMITERS = ",;\t"
_RULE = compile_late(rb"\s*\|(?:\s*:?-{2,}:?\s*\|)+\s*$")
_ISO = compile_late(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d\S*)(?: ?(Z|UTC|[+-]\d\d:?\d\d))?$")
_SHOWN = "%b %d, %Y @ %H:%M:%S.%f"
"""How Kibana prints a time where nobody told it otherwise; in whose zone it does not say."""
_WORD = compile_late(r"[^\s\[\]:=]+")
LEAST_EPOCH = 10
"""Digits of a time that counts from 1970."""


class Table(NamedTuple):
    """Where the rows are, and what is in them."""

    columns: Mapping[str, int]
    """Each meaning and its place in a row."""
    delimiter: str
    """Empty: a table of bars."""
    head: int
    """The number of the line with the columns' names."""


class LogTableReader:
    """Yields what the rows of each host say."""

    name = "log-table"
    source = "file"

    def score(self, head: bytes, hint: str) -> float:  # the content decides
        """Look for a heading that names a message and its time or host."""
        return TABLE if _table_in(head) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read host after host."""
        whole = source.whole(MOST)
        table = _table_in(source.head)
        if table is None:
            raise ReaderError(f"{source.name}: no table of lines")
        data = clean(whole)
        groups = _from_csv(data, table, source) if table.delimiter else _from_bars(data, table)
        yield from read_groups(groups, source, request)
        yield Span(source.evidence, 0, len(whole), 0)


def _table_in(head: bytes) -> Table | None:
    head = head[:BEGINNING]
    lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", LINES)[:LINES]
    first = lines[0][:LONGEST].decode("utf-8", "replace")
    for delimiter in DELIMITERS:
        if found := _columns(first.split(delimiter)):
            return Table(found, delimiter, 1)
    if b"\n|" not in head and not head.startswith(b"|"):
        return None
    for number, (line, rule) in enumerate(pairwise(lines), 1):
        if _RULE.match(rule) and (found := _columns(_cells(line))):
            return Table(found, "", number)
    return None


def _columns(names: Sequence[str]) -> dict[str, int]:
    """Find what each column means; nothing without a message, or with neither time nor host."""
    plain = [name.strip(' "*`\r').lower() for name in names]
    found = {
        meaning: place
        for meaning, known in COLUMNS.items()
        for place in reversed(range(len(plain)))
        if plain[place] in known
    }
    return found if "text" in found and {"time", "host"} & found.keys() else {}


def _from_csv(data: bytes, table: Table, source: Source) -> list[Group]:
    text = data.decode("utf-8", "replace").replace("\r", "")
    lines = (f"{line}\n" for line in text.split("\n"))
    rows = csv.reader(lines, delimiter=table.delimiter, skipinitialspace=True)
    groups: dict[str, Group] = {}
    begin = 1
    try:
        for row in rows:
            if begin > table.head and row:
                told = _row(row, table)
                claimed = "tag" not in told and not _is_line(told.get("text", ""))
                _add(groups, told, begin, pasted=claimed)
            begin = rows.line_num + 1
    except csv.Error as error:
        raise ReaderError(f"{source.name}: line {begin} of the table: {error}") from error
    return list(groups.values())


def _from_bars(data: bytes, table: Table) -> list[Group]:
    """Take the rows of one table out; what else a text holds is read without it."""
    beside = Group(pasted=True)
    groups: dict[str, Group] = {}
    ended = False
    for number, line in numbered(data):
        row = number >= table.head and line.lstrip().startswith(b"|")
        ended = ended or (number > table.head and not row)
        if ended or not row:
            beside.add(line, number)
        elif number > table.head + 1:
            _add(groups, _row(_cells(line), table), number, pasted=True)
    return [beside, *groups.values()]


def _cells(line: bytes) -> list[str]:
    text = line.decode("utf-8", "replace").strip().removeprefix("|").removesuffix("|")
    return [cell.strip(" `").replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", text)]


def _row(cells: Sequence[str], table: Table) -> dict[str, str]:
    places = table.columns.items()
    return {name: cells[at].strip() for name, at in places if at < len(cells)}


def _add(groups: dict[str, Group], row: Mapping[str, str], number: int, *, pasted: bool) -> None:
    host = row.get("host", "")
    if host not in groups:
        groups[host] = Group(host, Writer(host=host) if host else None, pasted)
    groups[host].add(_line(row).encode(), number)


def _line(row: Mapping[str, str]) -> str:
    """Write a row as the line of a log; a message that is a whole line stays as it is."""
    text, stamp = row.get("text", ""), _stamp(row.get("time", ""))
    if not stamp or _is_line(text):
        return text
    tag = _WORD.match(row.get("tag", ""))
    program = tag.group() if tag else "kernel" if TAG.match(text) else ""
    host = row.get("host", "")
    return f"{stamp} {host} {program}: {text}" if host and program else f"{stamp} {text}"


def _is_line(text: str) -> bool:
    return any(dialect.pattern.match(text) for dialect in all_dialects())


def _stamp(text: str) -> str:
    """Bring a time to the form of logs; empty where it has no date."""
    if match := _ISO.match(text):
        day, clock, zone = match.groups()
        return f"{day}T{clock}{'Z' if zone == 'UTC' else zone or ''}"
    if text.isdigit() and len(text) >= LEAST_EPOCH and (found := moment_us(text)) is not None:
        instant = from_epoch(found / MILLION)
        return instant.utc.isoformat() if instant else ""
    try:
        return datetime.strptime(text, _SHOWN).isoformat()  # noqa: DTZ007  # it says no zone
    except ValueError:
        return ""


COLLECTOR = LogTableReader()
