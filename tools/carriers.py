"""Tells whether a text is a system's own log, whose lines may speak for the kernel.

Anybody can print a line that looks like the kernel's. In a log of the system only the system's own
programs write, so there the tag is proof; in any other text it is a quotation at best.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import BinaryIO, Literal

from tools.dialect import Dialect, Line, Setting
from tools.late_patterns import compile_late
from tools.quotations import is_loose, is_persons_text
from tools.source import Source, Writer
from tools.stamps import MONTH_SIGNS
from tools.writers import is_daemon

SYSTEM = frozenset({"kernel", "service"})
MAJORITY = 0.6
"""Part of the lines that must be of a system's dialect; quotations stay far below."""
_REPORT = compile_late(rb"Start of NVIDIA bug report log file|NVIDIA bug report")
"""How a report begins that collects the system's own logs; said later, it may be a quotation."""
_SIGNS = "|".join(MONTH_SIGNS)
_INDENTED = compile_late(f"[ \t](?![1-9](?:{_SIGNS}) )".encode())
"""Some locales put a space before a month of one digit."""
FEW, MANY = 60, 2000
DEEP = 8 << 20
PIECE, DEEPEST = 1 << 20, 1 << 30
LONGEST = 512
"""Stamp, host and tag stand at a line's beginning."""


def is_of_system(dialect: Dialect) -> bool:
    """Tell whether a dialect is that of syslog, the journal or the ring buffer."""
    return dialect.channel in SYSTEM


def is_system_log(source: Source, dialects: Sequence[Dialect], setting: Setting) -> bool:
    """Tell from a sample of its lines whether a content is a system's own log."""
    if source.pasted:
        return False
    if _REPORT.match(source.head.lstrip(b"\xef\xbb\xbf_=\r\n ")):
        return True
    if not dialects or not is_of_system(dialects[0]):
        return False
    carriers = [dialect for dialect in dialects if is_of_system(dialect)]
    if _speaks_for_system(_sample(source.head, FEW), carriers, setting):
        return True
    with source.open() as stream:
        data = _without_long_lines(stream)
    return _speaks_for_system(_sample(data, MANY), carriers, setting)


def _without_long_lines(stream: BinaryIO) -> bytes:
    """Read the beginning of a text; of a line without end only begin and end, not what it hides."""
    data, read = bytearray(), 0
    while len(data) < DEEP and read < DEEPEST and (piece := stream.read(PIECE)):
        read += len(piece)
        if not data or b"\n" in piece:
            data += piece
    return bytes(data)


Quoting = Literal["nothing", "carried", "anything"]
"""Which lines may be the kernel's by claim: none, those with a syslog's own head, or any."""


def quoting_of(
    source: Source, writer: Writer, dialects: Sequence[Dialect], setting: Setting
) -> Quoting:
    """Tell what a content that is no system's log may hold of one: a claim, no proof.

    A person's text may quote anything. Of syslog lines whose programs nobody knows one program
    might have written all, but a collected syslog looks the same.
    """
    if not is_loose(source, writer):
        return "nothing"
    if source.pasted:
        return "anything"
    carriers = [dialect for dialect in dialects if is_of_system(dialect)]
    lines = _sample(source.head, FEW)
    found = [line for text in lines for line in _parsed(text, carriers, setting)]
    if len(found) < MAJORITY * len(lines) or all(line.channel == "kernel" for line in found):
        return "anything" if is_persons_text(source) else "nothing"
    return "carried" if all(line.host and line.unit for line in found) else "nothing"


def _sample(data: bytes, most: int) -> list[str]:
    """Take whole lines evenly; indented ones go on with the line before."""
    lines = [line for line in data.split(b"\n") if line.strip() and not _INDENTED.match(line)]
    step = max(1, len(lines) // most)
    return [line[:LONGEST].decode("utf-8", "replace").rstrip("\r") for line in lines[::step]]


def _speaks_for_system(lines: Sequence[str], carriers: Sequence[Dialect], setting: Setting) -> bool:
    found = [line for text in lines for line in _parsed(text, carriers, setting)]
    if len(found) < MAJORITY * len(lines):
        return False
    kernel = sum(1 for line in found if line.channel == "kernel")
    daemons = Counter(line.unit for line in found if line.unit and is_daemon(line.unit))
    del daemons["kernel"]
    own = kernel + daemons.total()
    return bool(own) and (bool(daemons) or 2 * own >= len(found))


def _parsed(text: str, carriers: Sequence[Dialect], setting: Setting) -> Iterator[Line]:
    for dialect in carriers:
        match = dialect.pattern.match(text)
        line = dialect.build(match, setting) if match else None
        if line:
            yield line
            return
