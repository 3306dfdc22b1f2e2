"""Cuts a text at its prompts and at the outputs in it that are known by their headings."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tools.capture import Capture
from tools.prompts import Prompt, capture_of, prompts_of
from tools.quotations import is_persons_text
from tools.sections import Section
from tools.sniffing import all_dialects
from tools.source import HEAD, Source
from tools.tables import Table, may_hold_table, tables_of, unquoted
from tools.writers import program_of

_LOGS = {"dmesg", "journalctl"}


@dataclass(frozen=True)
class Part:
    """What stands between two prompts: one output, or what was written above the first."""

    begin: int
    end: int
    prompt: Prompt | None = None
    tables: tuple[Table, ...] = ()

    def rest(self, data: bytes) -> bytes:
        """Return the part with its tables, and what they were asked by, blotted out."""
        return blotted(data[self.begin : self.end], self.begin, self.tables)


def parts_of(data: bytes) -> list[Part]:
    """Cut a text at its prompts, where it is a session, and find the tables in each part."""
    prompts = list(prompts_of(data))
    above = data[: prompts[0].begin] if prompts else data
    if not prompts or not _is_persons(above):
        return [Part(0, len(data), None, given_tables(data, prompts))]
    parts = [Part(0, len(above), None, tuple(tables_of(data, 0, len(above))))] if above else []
    for prompt, following in pairwise([*prompts, None]):
        end = following.begin if following else len(data)
        if prompt is not None:
            tables = tuple(tables_of(data, prompt.end, end))
            parts.append(Part(prompt.end, end, prompt, tables))
    return parts


def _is_persons(text: bytes) -> bool:
    return not text.strip() or is_persons_text(Source("", "", io.BytesIO, text[:HEAD]))


def given_tables(data: bytes, prompts: Sequence[Prompt]) -> tuple[Table, ...]:
    """Find the tables that a person put into a text; a program's log may print anything.

    In a log only those below a prompt were put there. The prompt right above counts to a table.
    """
    asked = {prompt.end: prompt.begin for prompt in prompts}
    tables = [
        replace(table, asked=asked.get(table.begin, table.begin))
        for table in tables_of(data, 0, len(data))
    ]
    if _is_persons(blotted(data, 0, tables)):
        return tuple(tables)
    return tuple(table for table in tables if table.top < table.begin)


def is_mixed(parts: Sequence[Part], data: bytes) -> bool:
    """Tell whether a text needs more than one reader, or a prompt tells where it was printed."""
    if any(part.prompt and part.prompt.host for part in parts):
        return True
    if sum(1 for part in parts if data[part.begin : part.end].strip()) > 1:
        return True
    tables = [table for part in parts for table in part.tables]
    kinds = {table.name for table in tables}
    quoted = any(table.is_quoted for table in tables)
    rest = any(part.rest(data).strip() for part in parts)
    printed = not tables and may_hold_table(data) and any(tables_of(data, 0, len(data)))
    return printed or (bool(tables) and (len(kinds) > 1 or rest or quoted))


def blotted(data: bytes, begin: int, tables: Sequence[Table]) -> bytes:
    """Put spaces for tables: what is left keeps its lines and its places."""
    for table in tables:
        low, high = table.top - begin, table.end - begin
        lines = data[low:high].split(b"\n")
        data = data[:low] + b"\n".join(b" " * len(line) for line in lines) + data[high:]
    return data


def sections_of(part: Part, data: bytes, capture: Capture) -> Iterator[tuple[Section, int]]:
    """Yield each section of a part, and how many bytes of the whole are its own."""
    title = ""
    if part.prompt:
        before = data.count(b"\n", 0, part.prompt.begin)
        typed = data[part.prompt.begin : part.prompt.end]
        yield Section(typed, part.prompt.begin, before, is_heading=True), len(typed)
        capture = capture_of(part.prompt, capture)
        title = _title(part.prompt.typed)
    lines = data.count(b"\n", 0, part.begin)
    for cut in _cut(part, data):
        text = cut.rest(data)
        size = len(text)
        of_letter = cut is not part and cut.begin > part.begin
        told = Capture() if of_letter else capture
        text = _bare(text) if part.prompt and part.prompt.is_quoted else text
        before = lines + data.count(b"\n", part.begin, cut.begin)
        named, blank = "" if of_letter else title, not text.strip()
        section = Section(text, cut.begin, before, named, told, is_heading=blank)
        yield replace(section, is_log=part.prompt is None), size
    for table in part.tables:
        text = data[table.begin : table.end]
        text = _bare(text) if table.is_quoted else text
        if table.name != "date":
            before = data.count(b"\n", 0, table.begin)
            yield Section(text, table.begin, before, title, capture, is_table=True), 0


def _cut(part: Part, data: bytes) -> Iterator[Part]:
    """Cut off what a person wrote below the lines of a log."""
    stop = part.end
    if part.prompt and not part.tables and program_of(part.prompt.typed) in _LOGS:
        stop = part.begin + _logged(data[part.begin : part.end])
    yield replace(part, end=stop)
    if stop < part.end:
        yield replace(part, begin=stop)


def _logged(text: bytes) -> int:
    """Find the end of the last line that bears the stamp of a log, or goes on with such a line."""
    place, last = 0, 0
    patterns = [dialect.pattern for dialect in all_dialects()]
    for line in text.splitlines(keepends=True):
        place += len(line)
        said = unquoted(line.decode("utf-8", "replace"))
        if said[:1] in {" ", "\t"} or any(pattern.match(said) for pattern in patterns):
            last = place
    return last or len(text)


def _bare(text: bytes) -> bytes:
    """Take off what a mail puts before the lines that it repeats; the lines stay as many."""
    lines = text.decode("utf-8", "replace").split("\n")
    return "\n".join(map(unquoted, lines)).encode()


def _title(typed: str) -> str:
    """Name a section by its program; of `ps` also by the columns that were asked for."""
    program = program_of(typed)
    return typed.partition("|")[0].replace("/", " ") if program == "ps" else f"$ {program}"
