"""Assembles logical lines: a hit, the stamped line it continues, the lines that continue it."""

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import NamedTuple

from tools.boots import BANNER, MOST_BEFORE, Boots, Said
from tools.carriers import SYSTEM, Quoting, is_of_system
from tools.dialect import Dialect, Line, Setting
from tools.evidence import Channel, Instant
from tools.messages import (
    MAX_CHARS,
    MAX_LINES,
    Shape,
    continues,
    shape_continued_by,
    shape_started_by,
    stands_alone,
)
from tools.quotations import MARKS, TAG, is_kernels, unmarked
from tools.scan import Block

LONG_LINE = 32 << 10
BEFORE, AFTER = 2048, 6144
"""Of an overlong line, so many bytes around a hit are kept."""
OTHERS_BETWEEN = 40
"""How many lines of other writers may stand between the parts of one message."""


class Message(NamedTuple):
    """A logical line and where it lies in its block."""

    first: int
    done: int
    """Offset behind its contiguous part."""
    line: Line


class Joiner:
    """Parses and joins the lines of one block after another."""

    def __init__(
        self,
        dialects: tuple[Dialect, ...],
        setting: Setting,
        channel: Channel,
        fixed: Channel | None = None,
        *,
        speaks_for_system: Callable[[], bool] = lambda: False,
        quotes: Callable[[], Quoting] = lambda: "nothing",
    ) -> None:
        """Take the likeliest dialect first; `fixed` overrules what lines claim of their writer.

        `speaks_for_system` is asked once, when the first line claims to be the kernel's; if it
        does not, `quotes` tells which lines may be the kernel's by claim.
        """
        self.dialects, self.setting = dialects, setting
        self.channel, self.fixed = channel, fixed
        self.data = b""
        self._order = list(dialects)
        self._parsed: dict[int, Line | None] = {}
        self._used: set[int] = set()
        self._boots = Boots()
        self._base = 0
        self._barren = -1
        self._stop = 0
        self._shown = 0
        self._carried: Line | None = None
        """The head of an overlong line that began before the bytes at hand."""
        self._speaks_for_system, self._quotes = speaks_for_system, quotes

    @cached_property
    def _believed(self) -> bool:
        return self._speaks_for_system()

    @cached_property
    def _quoting(self) -> Quoting:
        return "nothing" if self._believed else self._quotes()

    def turn_to(self, block: Block) -> None:
        """Go on with the next block of the text."""
        self._carried = self._left_open(block)
        self.data, self._stop = block.data, block.stop
        self._base = block.offset - block.start
        self._used = {place for place in self._used if place >= block.offset}
        self._parsed.clear()
        self._barren = -1

    def _left_open(self, block: Block) -> Line | None:
        """Keep who wrote a line that is cut by the end of a block, for its further pieces."""
        if not self._stop or self.data[self._stop - 1 : self._stop] == b"\n":
            return None
        begin = self.data.rfind(b"\n", 0, self._stop) + 1
        if self._base + begin >= block.offset - block.start:
            return None
        return (self._carried if not begin else None) or self.parse(begin, begin + 1024)

    def channel_of(self, line: Line) -> Channel:
        """Tell who wrote a line."""
        return self.fixed or line.channel or self.channel

    def is_used(self, begin: int) -> bool:
        """Tell whether a line is already part of a message that began before others' lines."""
        return self._base + begin in self._used

    def line_at(self, begin: int) -> Line:
        """Read the line that begins at `begin`, stamped or not."""
        end = min(end_of(self.data, begin), begin + LONG_LINE)
        return self.parse(begin, end) or Line(text_of(self.data, begin, end))

    def message_at(self, place: int) -> Message:
        """Assemble the logical line around an offset."""
        data = self.data
        own = begin = data.rfind(b"\n", 0, place) + 1
        end = end_of(data, place)
        if end - begin > LONG_LINE:
            return Message(begin, min(end, place + AFTER), self._excerpt(begin, place))
        line = self.parse(begin, end)
        if line is None and self._may_continue(begin):
            begin, line = self._head_of(begin, end)
        if line is None:
            line = Line(text_of(data, begin, end))
        begin, line, shape = self._opening(begin, line)
        if line.text.startswith(BANNER):
            line = self._booted(begin, line)
        message = self._extended(begin, line, shape)
        if message.done >= place or self.is_used(own):
            return message
        return Message(own, end, self.line_at(own))

    def _booted(self, begin: int, line: Line) -> Line:
        """Say of a boot's first line for how long its host had been silent."""
        if line.instant is None or self.channel_of(line) != "kernel":
            return line
        lines = (self.line_at(place) for place in self._naming(line.host, begin))
        own = (one for one in lines if one.host == line.host)
        told = self._boots.silence(line.host, line.instant, map(self._said, own))
        return line._replace(fields={**(line.fields or {}), **told})

    def last(self, limit: int) -> Iterator[tuple[str, Said]]:
        """Yield what hosts say at the end of the block at hand, the last first."""
        end = self._stop - (self.data[self._stop - 1 : self._stop] == b"\n")
        for begin, stop in self._back(end + 1, limit):
            if line := self.parse(begin, min(stop, begin + LONG_LINE)):
                yield line.host or self.setting.host, self._said(line)

    def _said(self, line: Line) -> Said:
        return Said(line.instant, self.channel_of(line), line.text, line.unit)

    def _naming(self, host: str, begin: int) -> Iterator[int]:
        """Yield where lines before begin that name a host, nearest first: others' may be many."""
        if not host:
            yield from (place for place, _ in self._back(begin, MOST_BEFORE))
            return
        for _ in range(MOST_BEFORE):
            found = self.data.rfind(host.encode(), 0, max(begin - 1, 0))
            if found < 0:
                return
            begin = self.data.rfind(b"\n", 0, found) + 1
            yield begin

    def _may_continue(self, begin: int) -> bool:
        """Tell whether an unstamped line can belong to a stamped one before it."""
        return begin > 0 and bool(self.dialects) and self.dialects[0].name != "text"

    def _head_of(self, begin: int, end: int) -> tuple[int, Line | None]:
        """Walk back from a line without a stamp to the one that begins its message."""
        own = begin
        for previous, stop in ((begin, end), *self._back(begin, MAX_LINES)):
            if own - previous > MAX_CHARS:
                break
            if line := self.parse(previous, stop):
                # What a person writes below a quotation is not the kernel's.
                strange = line.channel == "quoted" and previous != own
                return (own, None) if strange else (previous, line)
            if stands_alone(text := text_of(self.data, previous, stop)):
                line = self._between(previous, stop, text)
                return (previous, line) if line else (own, None)
        return own, None

    def _between(self, begin: int, end: int, text: str) -> Line | None:
        """Date a line without a stamp: not before the one above, not after the one below."""
        stamped = (self.parse(*place) for place in self._back(begin, MAX_LINES))
        above = next((line for line in stamped if line), None)
        if above is None or above.instant is None or above.channel == "quoted":
            return None
        below, place = None, end + 1
        for _ in range(MAX_LINES):
            if below or place >= len(self.data):
                break
            stop = end_of(self.data, place)
            below, place = self.parse(place, min(stop, place + LONG_LINE)), stop + 1
        instant = halfway(above.instant, below.instant if below else None)
        return above._replace(text=text, instant=instant, fields=None)

    def _back(self, begin: int, limit: int) -> Iterator[tuple[int, int]]:
        """Yield begin and end of the lines before, nearest first."""
        for _ in range(limit):
            if begin <= 0:
                return
            previous = self.data.rfind(b"\n", 0, begin - 1) + 1
            yield previous, begin - 1
            begin = previous

    def _opening(self, begin: int, line: Line) -> tuple[int, Line, Shape | None]:
        """Find the first line of the multi-line message that this line is part of."""
        channel = self.channel_of(line)
        if shape := shape_started_by(line.text, channel):
            return begin, line, shape
        wanted = shape_continued_by(line.text, channel)
        if wanted is None:
            return begin, line, None
        for previous, _ in self._back(begin, wanted.limit + OTHERS_BETWEEN):
            if previous <= self._barren:
                break
            before = self.line_at(previous)
            if not self._same_writer(before, line):
                continue
            if shape_started_by(before.text, channel) is wanted:
                return previous, before, wanted
            if continues(wanted, before.text, channel) is not False:
                break
        self._barren = begin
        return begin, line, None

    def _same_writer(self, one: Line, other: Line) -> bool:
        if one.instant is None or other.instant is None:
            return True
        same = (one.host, one.unit) == (other.host, other.unit)
        return same and self.channel_of(one) == self.channel_of(other)

    def _extended(self, begin: int, line: Line, shape: Shape | None) -> Message:
        """Join the lines that continue this one, by shape or because they carry no stamp."""
        data, end = self.data, end_of(self.data, begin)
        texts, size, others, done = [line.text], len(line.text), 0, end
        limit = shape.limit if shape else MAX_LINES
        while len(texts) <= limit and size < MAX_CHARS and end + 1 < len(data):
            start, end = end + 1, end_of(data, end + 1)
            following = self.parse(start, min(end, start + LONG_LINE))
            if following and shape and not self._same_writer(following, line):
                others += 1
                if others > OTHERS_BETWEEN:
                    break
                continue
            text = (
                following.text if following else text_of(data, start, min(end, start + MAX_CHARS))
            )
            verdict = self._belongs(text, shape, following, line)
            if verdict is None:
                break
            texts.append(text)
            size += len(text)
            if others:
                self._used.add(self._base + start)
            else:
                done = end
            if verdict:
                break
        joined = "\n".join(texts).rstrip("\n")
        return Message(begin, done, line._replace(text=joined) if len(texts) > 1 else line)

    def _belongs(
        self, text: str, shape: Shape | None, following: Line | None, opening: Line
    ) -> bool | None:
        """Tell whether a line continues the message: None no, False yes, True yes and closes."""
        if shape:
            verdict = continues(shape, text, self.channel_of(opening))
            if verdict is not None:
                return verdict
        if following is None and stands_alone(text):
            return None
        if opening.channel == "quoted":
            return None
        loose = opening.instant is not None or opening.channel == "kernel"
        return False if loose and following is None and text.strip() else None

    def _excerpt(self, begin: int, place: int) -> Line:
        """Cut a window out of a line that is too long to keep; no two windows overlap."""
        data = self.data
        head = None if begin else self._carried
        head = head or self.parse(begin, begin + 1024)
        low = max(begin, place - BEFORE, self._shown - self._base)
        high = min(end_of(data, place), place + AFTER)
        self._shown = self._base + high
        return (head or Line(""))._replace(text=text_of(data, low, high))

    def parse(self, begin: int, end: int) -> Line | None:
        """Read a line's carrier; None for a line without any."""
        if begin in self._parsed:
            return self._parsed[begin]
        text = text_of(self.data, begin, end)
        marked = MARKS.match(text) is not None
        # A stamp is found behind a mark too, but whose line it is only without the mark.
        found = (marked and self._quotation(text)) or self._read(text) or self._quotation(text)
        self._parsed[begin] = found
        return found

    def _read(self, text: str) -> Line | None:
        for place, dialect in enumerate(self._order):
            match = dialect.pattern.match(text)
            if match is None:
                continue
            found = dialect.build(match, self.setting)
            if found is not None:
                if place:
                    self._order.insert(0, self._order.pop(place))
                return self._trusted(found, dialect)
        return None

    def _quotation(self, text: str) -> Line | None:
        """Read a line of the kernel that a person copied, with or without its stamp."""
        if self.fixed or not is_kernels(text) or self._quoting != "anything":
            return None
        own = unmarked(text)
        if TAG.match(own):
            return Line(own, None, "", "kernel", "quoted")
        for dialect in filter(is_of_system, self.dialects):
            match = dialect.pattern.match(own)
            line = dialect.build(match, self.setting) if match else None
            if line and line.channel == "kernel":
                return line._replace(channel="quoted")
        return None

    def _trusted(self, line: Line, dialect: Dialect) -> Line:
        """Refuse a claim to be the system's in what is no log of the system."""
        if self.fixed or line.channel not in SYSTEM or not self._doubtful(line, dialect):
            return line
        if line.channel == "kernel" and self._quoting != "nothing":
            return line._replace(channel="quoted")
        if is_of_system(self.dialects[0]):
            return line._replace(channel="text")
        return line._replace(channel=None, host="", unit="")

    def _doubtful(self, line: Line, dialect: Dialect) -> bool:
        if not is_of_system(dialect):
            return False
        stray = not is_of_system(self.dialects[0])
        return (stray or line.channel == "kernel") and not self._believed


def halfway(above: Instant, below: Instant | None) -> Instant:
    """Return a moment that lies between two stamps, as surely as both are far apart."""
    if below is None or below.zone != above.zone or below.utc < above.utc:
        return above
    half = (below.utc - above.utc) / 2
    return Instant(
        above.utc + half, above.uncertainty_s + half.total_seconds(), above.zone, above.original
    )


def end_of(data: bytes, place: int) -> int:
    """Find where the line around `place` ends."""
    found = data.find(b"\n", place)
    return len(data) if found < 0 else found


def text_of(data: bytes, begin: int, end: int) -> str:
    """Decode a line; bytes that are no UTF-8 are replaced."""
    return data[begin:end].decode("utf-8", "replace").rstrip("\r")
