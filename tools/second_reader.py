"""Reads in a second process what needs nothing else, while this one does everything else.

That is the only file where there is but one, else the last journals: a large bundle is mostly
journals, and each tells all of itself. The items come back through a file without a name, one
capture after the other. Where the second process fails or stalls, or where there is only one
processor, this one reads all: nothing depends on it.
"""

import mmap
import os
import pickle
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Self, cast

from tools.capture_reading import CaptureReading
from tools.evidence import Evidence, Item, Span
from tools.masks import masked
from tools.readers.journal_export import READER as EXPORT
from tools.readers.journal_json import READER as JSON
from tools.source import EvidenceFile

READY = "ready"
"""A text without a secret, to have the rules of masking compiled."""
LEAST = 16 << 20
"""Less evidence, in bytes, is read before a second process is of use."""
STALL_S = 10.0
"""So long it may add nothing: a journal says something for every few megabytes."""
POLL_S = 0.005
BATCH = 2000
COUNTER = 8

Found = Generator[Item, None, Evidence]
"""Yields what a capture says and returns its Evidence, still without a digest."""


def is_journal(head: bytes) -> bool:
    """Tell whether a content is a journal's text, in which every entry tells all of itself."""
    return bool(EXPORT.score(head, "") or JSON.score(head, ""))


def second_share(files: Sequence[EvidenceFile], least: int = LEAST) -> range:
    """Choose an only file, or the places of the last journals of up to half of all bytes.

    None where there is little to read.
    """
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:  # noqa: PLR2004  # alone it would only wait
        return range(0)
    sizes = [_size(file.path) for file in files]
    places = [number for number, file in enumerate(files) if is_journal(file.head)]
    if sum(sizes) < least:
        return range(0)
    if len(files) == 1:
        return range(1)
    if not places:
        return range(0)
    first = stop = places[-1] + 1
    left = sum(sizes) / 2
    while first - 1 in places and sizes[first - 1] <= left:
        first -= 1
        left -= sizes[first]
    return range(first, stop)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class SecondReader:
    """The other process; `read` takes what it found, or reads here."""

    def __init__(self, readings: Sequence[CaptureReading]) -> None:
        """Take what is to be read there, in the order in which it will be asked for."""
        self._order = {reading.id: place for place, reading in enumerate(readings)}
        self._readings = tuple(readings)
        self._done = mmap.mmap(-1, COUNTER)
        self.pid = 0
        self._found: BinaryIO | None = None

    def start(self) -> None:
        """Begin to read; whoever starts it must enter it, which ends it."""
        if self._readings:
            masked(READY)  # whose rules another thread may be compiling: its lock would stay shut
            handle, name = tempfile.mkstemp(prefix="firstfault-")
            self._found = Path(name).open("rb")  # noqa: SIM115  # closed by `__exit__`
            Path(name).unlink()
            self.pid = os.fork()
            if not self.pid:
                self._read_all(handle)
            os.close(handle)

    def __enter__(self) -> Self:
        """Take what is read from here on."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the other process if it still reads."""
        self._give_up()
        if self._found is not None:
            self._found.close()
        self._done.close()

    def read(self, reading: CaptureReading) -> Found:
        """Yield what a capture says, from whichever process reads it."""
        place = self._order.get(reading.id)
        if place is None or not self._await(place):
            yield from reading.items()
            return reading.evidence("")
        while True:
            part = pickle.load(cast("BinaryIO", self._found))  # noqa: S301  # written by our own process, into a file that nobody else can open
            if isinstance(part, Evidence):
                return part
            yield from part

    def _await(self, place: int) -> bool:
        """Wait until a capture was read to its end; False where that will not happen."""
        size, since = -1, time.monotonic()
        while self.pid and self._count() <= place:
            ended, _ = os.waitpid(self.pid, os.WNOHANG)
            grown = os.fstat(cast("BinaryIO", self._found).fileno()).st_size
            if grown != size:
                size, since = grown, time.monotonic()
            if ended or time.monotonic() - since > STALL_S:
                self.pid = 0 if ended else self.pid
                break
            time.sleep(POLL_S)
        if self._count() > place:
            return True
        self._give_up()
        return False

    def _count(self) -> int:
        return int.from_bytes(self._done[:COUNTER], "little")

    def _give_up(self) -> None:
        """Kill, and wait only a moment: what hangs in the kernel does not die."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            for _ in range(20):
                if os.waitpid(self.pid, os.WNOHANG)[0]:
                    break
                time.sleep(POLL_S)
            self.pid = 0

    # in the other process

    def _read_all(self, handle: int) -> None:
        """Read, write, and end without running anything that the first process means to run."""
        code, parent = 1, os.getppid()
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            with os.fdopen(handle, "wb") as sink:
                done = 0
                while done < len(self._readings) and _write(self._readings[done], sink, parent):
                    done += 1
                    self._done[:COUNTER] = done.to_bytes(COUNTER, "little")
            code = 0
        finally:
            os._exit(code)


def _write(reading: CaptureReading, sink: BinaryIO, parent: int) -> bool:
    """Write what a capture says; False where it was no sound journal, or nobody waits any more."""
    for part in _parts(reading.items()):
        if os.getppid() != parent:
            return False
        pickle.dump(part, sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()
    pickle.dump(reading.evidence(""), sink, pickle.HIGHEST_PROTOCOL)
    sink.flush()
    return reading.as_sniffed


def _parts(items: Iterator[Item]) -> Iterator[list[Item]]:
    """Put items together, up to the end of a block, so that a long silence means something."""
    part: list[Item] = []
    for item in items:
        part.append(item)
        if len(part) >= BATCH or isinstance(item, Span):
            yield part
            part = []
    if part:
        yield part
