"""`journalctl --header`: where a journal lies, how large it is, how far it reaches back."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from tools.command_text import CommandReader, Printed, Typed
from tools.late_patterns import compile_late

_FILE = compile_late(r"^File path: (\S+)$", re.MULTILINE)
_HEAD = compile_late(r"^Head realtime timestamp: .*?\(([0-9a-f]+)\)\s*$", re.MULTILINE)
_TAIL = compile_late(r"^Tail realtime timestamp: .*?\(([0-9a-f]+)\)\s*$", re.MULTILINE)
_SIZE = compile_late(r"^Disk usage: ([\d.]+)([BKMGT])", re.MULTILINE)
_STEPS = "BKMGT"
_VOLATILE = "/run/"


def recognise(head: bytes) -> float:
    """Look for a journal file's header as text."""
    start = head[:4096]
    return 0.95 if b"File path: " in start and b"Head realtime timestamp:" in start else 0.0


def parse(printed: Printed) -> Iterator[Typed]:
    """Read all files as one store; times are microseconds since the epoch, in hexadecimal."""
    text = printed.text
    files = _FILE.findall(text)
    heads, tails = (_times(pattern.findall(text)) for pattern in (_HEAD, _TAIL))
    if not files or not heads:
        return
    oldest, newest = min(heads), max([*tails, *heads])
    seen = printed.observed.utc if printed.observed else newest
    yield Typed(
        "journal_store",
        {
            "files": len(files),
            "persistent": any(not file.startswith(_VOLATILE) for file in files),
            "size_bytes": sum(_bytes(*size) for size in _SIZE.findall(text)),
            "oldest": oldest.isoformat(),
            "reach_s": (seen - oldest).total_seconds(),
        },
    )


def _times(stamps: Sequence[str]) -> list[datetime]:
    """Read the stamps; an empty file has none, which is written as zero."""
    return [datetime.fromtimestamp(int(stamp, 16) / 1e6, UTC) for stamp in stamps if int(stamp, 16)]


def _bytes(number: str, unit: str) -> int:
    return int(float(number) * 1024 ** _STEPS.index(unit))


READER = CommandReader("journal-header", recognise, parse)
