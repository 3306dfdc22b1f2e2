"""`dcgmi diag`: what DCGM's tests found on each GPU, printed as a table."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

if TYPE_CHECKING:
    from tools.gpu_values import Value

_HEAD = compile_late(rb"^\| Diagnostic +\| Result +\|", re.MULTILINE)
_CATEGORY = compile_late(r"^[|+]-{3,9} {1,9}(\S.{0,40}?) {1,9}-+\+-")
_ROW = compile_late(r"^\|(.{27})\|(.{48})\|$")
_RESULT = compile_late(
    r"(?:(?P<entity>GPU|CPU|NvSwitch) ?(?P<number>\d+): )?(?P<result>Pass|Fail|Warn|Skip|Not Run)\b"
    r"(?: - (?:(?P<all>All)|(?:GPUs?|CPUs?):? ?(?P<ids>[\d, ]+)))?\s*$",
    re.IGNORECASE,
)
_OF_GPU = compile_late(r"\b(?:GPU:? ?)(\d+)\b")
_CELL = slice(1, 46)
"""A cell's text is cut at 45 characters, in the middle of words."""
_NOTES = {"warning", "error", "info"}
_META = {"dcgm version": "version", "driver version detected": "driver"}


@dataclass
class Test:
    """One test: its results by GPU (None: all), and what was said of them."""

    name: str
    category: str
    line: int
    results: list[tuple[int | None, str, int]] = field(default_factory=list)
    notes: list[tuple[str, str, int]] = field(default_factory=list)
    """Kind, words and line."""


def recognise(head: bytes) -> float:
    """Look for the table's heading."""
    return 0.95 if _HEAD.search(head[:8192]) else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read versions, and each test's result on each GPU with what is said of it."""
    tests, versions = read_table(printed.text)
    lines = printed.text.splitlines()
    if versions:
        yield Typed("dcgm", dict(versions))
    for test in tests:
        for gpu, result, line in test.results:
            values: dict[str, Value] = {
                "test": test.name, "category": test.category, "result": result.lower(),
            }  # fmt: skip
            values |= {"gpu": gpu} if gpu is not None else {}
            notes = [note for note in test.notes if _speaks_of(note[1], gpu, test)]
            if notes and result.lower() != "pass":
                values["detail"] = "; ".join(words for _, words, _ in notes)
            quotes = {"result": (line, lines[line - 1].strip())}
            quotes |= {"detail": (notes[0][2], notes[0][1])} if "detail" in values else {}
            yield Typed("dcgm_diag", values, line, quotes)


def _speaks_of(words: str, gpu: int | None, test: Test) -> bool:
    named = _OF_GPU.match(words)
    return named is None or gpu is None or int(named.group(1)) == gpu or len(test.results) == 1


def read_table(text: str) -> tuple[list[Test], dict[str, "Value"]]:
    """Collect the tests of a table; a cell that was wrapped is whole again."""
    table = _Table()
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _CATEGORY.match(line):
            table.category, table.wraps = heading.group(1), False
        elif row := _ROW.match(line):
            table.add(row.group(1).strip(), row.group(2)[_CELL], number)
    for test in table.tests:
        test.notes = [(kind, words.strip(), line) for kind, words, line in test.notes]
        if not test.results:
            test.results = [(None, kind, line) for kind, _, line in test.notes[:1]]
    return table.tests, table.versions


@dataclass
class _Table:
    tests: list[Test] = field(default_factory=list)
    versions: dict[str, "Value"] = field(default_factory=dict)
    category: str = ""
    wraps: bool = False
    """The row before was a note, which may go on."""

    def add(self, name: str, cell: str, number: int) -> None:
        """Take a row."""
        result = _RESULT.match(cell.strip())
        if name.lower() in _META:
            self.versions[_META[name.lower()]] = cell.strip()
        elif name.lower() in _NOTES:
            self.tests = self.tests or [Test(self.category, self.category, number)]
            self.tests[-1].notes.append((name, cell, number))
            self.wraps = True
        elif result and (name or self.tests):
            if name:
                self.tests.append(Test(name, self.category, number))
            self.tests[-1].results += _results(result, number)
            self.wraps = False
        elif not name and self.wraps:
            kind, words, first = self.tests[-1].notes[-1]
            self.tests[-1].notes[-1] = kind, words + cell, first


def _results(match: "re.Match[str]", line: int) -> list[tuple[int | None, str, int]]:
    if match["number"]:
        return [(int(match["number"]), match["result"], line)]
    ids = re.findall(r"\d+", match["ids"] or "")
    return [(int(one), match["result"], line) for one in ids] or [(None, match["result"], line)]


READER = CommandReader("dcgmi-diag", recognise, parse)
