"""Knows outputs that people paste into texts: where one begins, and which lines belong to it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tools.late_patterns import compile_late
from tools.printed_dates import PATTERN
from tools.readers import (
    df,
    kubectl_describe,
    kubectl_table,
    nvidia_smi_csv,
    ps,
    sinfo,
    squeue,
)

_QUOTE = r"(?:>[ \t]?)*"
QUOTES = compile_late(_QUOTE)
_WEEKDAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_CTIME = compile_late(rf"{_WEEKDAY} \w{{3}} +\d\d? \d\d:\d\d:\d\d \d{{4}}\s*$")
_DESCRIBED = compile_late(
    rf"\s|{kubectl_describe.AT_MARGIN}|"
    r"[A-Z][A-Za-z /.-]{0,40}:(?:\s{2,}\S.*|\s*)$|"
    r"(?:Name|Namespace|Node|Status|Priority|Roles|Labels|Annotations|Reason|Message): +\S"
)
_BESIDE = compile_late(r"(?:Namespace|Roles|Labels|Annotations|Priority|CreationTimestamp):")
_SMI_LINE = compile_late(r"\s|GPU [0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+\s*$|[A-Z][\w /().-]*? {2,}: ")
_START = compile_late(
    rf"^{_QUOTE}(?:Filesystem +\S[^\n]*(?:%|Capacity) +Mounted on"
    r"|(?:NAMESPACE|NAME|LAST SEEN|TYPE) +[A-Z]|Name: +\S|=+NVSMI LOG=+|\| NVIDIA-SMI [\d.]+ "
    r"|(?:index|timestamp|uuid|name|gpu_\w+|pci\.bus_id|driver_version), [a-z]"
    r"| *(?:USER|UID|PID|S|STAT|F) [^\n]*\bC(?:MD|OMMAND)\b"
    r"| *JOBID[ |][^\n]*\bST(?:ATE)?\b|NODELIST +NODES +PARTITION|PARTITION +AVAIL +TIMELIMIT"
    rf"|{_WEEKDAY},? [^\n]{{15,40}}$|\d{{4}}年[^\n]{{15,60}}$)".encode(),
    re.MULTILINE,
)
"""How any of them may begin."""
_WORDS = tuple(
    word.encode()
    for word in (
        *("index, ", "timestamp, ", "uuid, ", "name, ", "pci.bus_id, ", "driver_version, "),
        *("Mounted on", "NVSMI LOG", "NVIDIA-SMI", "NAME ", "LAST SEEN ", "TYPE ", "Name: "),
        *(
            "JOBID",
            "NODELIST",
            " CMD",
            " COMMAND",
            "Mon",
            "Tue",
            "Wed",
            "Thu",
            "Fri",
            "Sat",
            "Sun",
            "年",
        ),
    )
)
"""One of these stands in each: a look for them costs next to nothing."""
ABOVE, BESIDE = 3, 4
"""Lines before and behind a heading that are looked at."""

Fits = Callable[[str], bool]


_PLAIN: tuple[tuple[str, Fits, Fits], ...] = (
    ("df", lambda head: head.startswith("Files") and df.recognise(head.encode()) > 0, df.is_row),
    ("smi -q", lambda head: "NVSMI LOG" in head, lambda line: _SMI_LINE.match(line) is not None),
    ("smi", lambda head: head.startswith("| NVIDIA-SMI"), lambda line: line[:1] in {"|", "+"}),
    ("date", lambda head: PATTERN.match(head) is not None, lambda _: False),
)
"""Name, how the heading is known, and how each line below it."""
_BELOW_TIME = frozenset({"smi", "squeue", "sinfo"})
"""Whose first line is the time at which they were printed."""
_HEADED: tuple[tuple[str, Fits, Callable[[str], Fits]], ...] = (
    ("squeue", lambda head: bool(squeue.names_of(head)), squeue.rows_below),
    ("sinfo", sinfo.is_heading, sinfo.rows_below),
)
"""Name, how the heading is known, and what tells by it how each line below is known."""


@dataclass(frozen=True)
class Table:
    """A run of whole lines that one program printed."""

    name: str
    begin: int
    end: int
    is_quoted: bool
    asked: int = -1
    """Where the prompt right above it begins, in a text that is no session."""

    @property
    def top(self) -> int:
        """Where it begins with its prompt."""
        return self.begin if self.asked < 0 else self.asked


def may_hold_table(head: bytes) -> bool:
    """Tell quickly whether a text can hold any of the outputs known here."""
    return any(word in head for word in _WORDS) and _START.search(head) is not None


def tables_of(data: bytes, begin: int, end: int) -> Iterator[Table]:
    """Find the outputs in a part of a text."""
    done = begin
    for match in _START.finditer(data, begin, end):
        if match.start() < done:
            continue
        lines = _Lines(data, match.start(), end)
        found = _form_of(lines)
        if found is None:
            continue
        name, fits = found
        start = (
            _head_of(data, done, match.start(), lines.quoted)
            if name in _BELOW_TIME
            else lines.begin
        )
        done = lines.end_of(fits)
        yield Table(name, start, done, lines.quoted)


class _Lines:
    """The lines from a heading on, without what quotes them."""

    def __init__(self, data: bytes, begin: int, end: int) -> None:
        self.data, self.begin, self.stop = data, begin, end
        self.head, self.behind, self.quoted = self._line(begin)

    def _line(self, begin: int) -> tuple[str, int, bool]:
        found = self.data.find(b"\n", begin, self.stop)
        end = self.stop if found < 0 else found
        text = self.data[begin:end].decode("utf-8", "replace").rstrip("\r")
        bare = unquoted(text)
        return bare, min(end + 1, self.stop), bare is not text and bare != text

    def next(self, count: int) -> Sequence[str]:
        """Return the lines behind the heading."""
        found, place = list[str](), self.behind
        while len(found) < count and place < self.stop:
            text, place, _ = self._line(place)
            found.append(text)
        return found

    def end_of(self, fits: Fits) -> int:
        """Find the end of the last line that belongs to the heading."""
        last = place = self.behind
        while place < self.stop:
            text, place, quoted = self._line(place)
            if quoted != self.quoted:
                break
            if not text.strip():
                continue
            if not fits(text):
                break
            last = place
        return last


def unquoted(text: str) -> str:
    """Take off the marks with which mails repeat lines."""
    return text[QUOTES.match(text).end() :] if text.startswith(">") else text  # type: ignore[union-attr]  # it matches the empty text as well


def _form_of(lines: _Lines) -> tuple[str, Fits] | None:
    """Name the output that a heading opens, and tell how its lines are known."""
    head = lines.head
    for name, begins, fits in _PLAIN:
        if begins(head):
            return name, fits
    if head.startswith("Name:") and any(_BESIDE.match(line) for line in lines.next(BESIDE)):
        return "describe", lambda line: _DESCRIBED.match(line) is not None
    if cells := len(nvidia_smi_csv.header_of(head)):
        return "smi csv", lambda line: len(line.split(", ")) == cells
    for name, begins, below in _HEADED:
        if begins(head):
            return name, below(head)
    columns = kubectl_table.columns_of(head)
    if kind := kubectl_table.kind_of(columns):
        return "kubectl", lambda line: kubectl_table.row_of(line, kind, columns) is not None
    listed = head.isupper() and ps.recognise(head.encode()) > 0
    return ("ps", ps.rows_below(head)) if listed else None


def _head_of(data: bytes, low: int, begin: int, quoted: bool) -> int:  # noqa: FBT001  # of the line
    """Go up from a title to the frame above it, and to the time above that."""
    for _ in range(ABOVE):
        previous = data.rfind(b"\n", 0, max(begin - 1, 0)) + 1
        if begin <= low or previous < low:
            break
        text = data[previous:begin].decode("utf-8", "replace").strip()
        bare = unquoted(text) if quoted else text
        if not (bare.startswith("+") or _CTIME.match(bare)):
            break
        begin = previous
    return begin
