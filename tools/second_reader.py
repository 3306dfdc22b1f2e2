"""Reads in a second process while this one does everything else.

An only file is read there. Of a large bundle each process takes the captures that the other has not
begun: this one from the first on, in the order in which they are asked for, the second from the
last journal back. The items come back through a file without a name. Where the second process
fails or stalls, or where there is only one processor, this one reads all: nothing depends on it.
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
from typing import BinaryIO, NamedTuple, Self

from tools.capture_reading import CaptureReading
from tools.evidence import Evidence, Item, Span
from tools.masks import masked
from tools.reading_order import Turn
from tools.source import EvidenceFile, Known

READY = "ready"
"""A text without a secret, to have the rules of masking compiled."""
LEAST = 16 << 20
"""Less evidence, in bytes, is read before a second process is of use."""
STALL_S = 10.0
"""So long it may add nothing: a journal says something for every few megabytes."""
POLL_S = 0.005
BATCH = 2000
COUNTER = 8
LEFT, _FIRST = 1, 2
"""Of a capture that cannot be sent; the least offset of one that was."""
UNSENDABLE = (pickle.PicklingError, AttributeError, TypeError)
"""What pickling raises for what only this process can hold."""

Found = Generator[Item, None, Evidence]
"""Yields what a capture says and returns its Evidence, still without a digest."""


class Share(NamedTuple):
    """Which captures the second process may take, by place; none where `stop` is 0."""

    first: int = 0
    stop: int = 0
    alone: int = 0
    """From here on they need nothing of others; those before need what the objects tell."""


def second_share(files: Sequence[EvidenceFile], turns: Sequence[Turn], least: int = LEAST) -> Share:
    """Choose an only file, or all that need no more of others than where pods run.

    None where there is little to read.
    """
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:  # noqa: PLR2004  # alone it would only wait
        return Share()
    if sum(_size(file.path) for file in files) < least:
        return Share()
    if len(files) == 1:
        return Share(0, 1)
    first, alone, stop = (sum(turn < limit for turn in turns) for limit in list(Turn)[1:])
    return Share(first, stop, alone) if first < stop else Share()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class SecondReader:
    """The other process; `read` takes what it found, or reads here."""

    def __init__(self, readings: Sequence[CaptureReading], share: Share, known: Known) -> None:
        """Take all readings in order; what objects tell is in `known` when they are read."""
        self._order = {reading.id: place for place, reading in enumerate(readings)}
        self._readings = tuple(readings)
        self._share = share
        self._known = known
        self._board = _Board(len(readings))
        self.pid = 0
        self._found = _Pipe.open()
        self._told = _Pipe.open()

    def start(self) -> None:
        """Begin to read; whoever starts it must enter it, which ends it."""
        if self._share.stop:
            masked(READY)  # whose rules another thread may be compiling: its lock would stay shut
            self._board.claim(self._share.stop - 1)
            self.pid = os.fork()
            if not self.pid:
                self._read_there()

    def __enter__(self) -> Self:
        """Take what is read from here on."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the other process if it still reads."""
        self._give_up()
        self._found.close()
        self._told.close()
        self._board.close()

    def read(self, reading: CaptureReading) -> Found:
        """Yield what a capture says, from whichever process reads it.

        What it tells of other captures is in `reading.known` afterwards.
        """
        place = self._order[reading.id]
        self._board.stand_at(place)
        if place == self._share.first and self._share.stop:
            self._tell()
        if not self._await(place):
            yield from reading.items()
            return reading.evidence("")
        found = self._found.source
        found.seek(self._board.offset(place))
        while True:
            part = pickle.load(found)  # noqa: S301  # written by our own process, into a file that nobody else can open
            if isinstance(part, Evidence):
                reading.known = pickle.load(found)  # noqa: S301  # as above
                return part
            yield from part

    def has_read(self, place: int) -> bool:
        """Tell whether the other process has read the capture at a place to its end."""
        return self._board.offset(place) > LEFT

    def _tell(self) -> None:
        """Let the other process know what the objects told."""
        pickle.dump(self._known.own(), self._told.sink, pickle.HIGHEST_PROTOCOL)
        self._told.sink.flush()
        self._board.told = True

    def _await(self, place: int) -> bool:
        """Wait until the other has read what it took; False where it will not, or did not take it.

        Both may take the same at the same moment: then it is read twice and used once.
        """
        size, since = -1, time.monotonic()
        while self.pid and self._board.claimed <= place and not self._board.offset(place):
            ended, _ = os.waitpid(self.pid, os.WNOHANG)
            grown = os.fstat(self._found.source.fileno()).st_size
            if grown != size:
                size, since = grown, time.monotonic()
            if ended or time.monotonic() - since > STALL_S:
                self.pid = 0 if ended else self.pid
                self._give_up()
            time.sleep(POLL_S)
        return self.has_read(place)

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

    def _read_there(self) -> None:
        """Read, write, and end without running anything that the first process means to run."""
        code, parent = 1, os.getppid()
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._read_back(self._found.sink, parent)
            code = 0
        finally:
            os._exit(code)

    def _read_back(self, sink: BinaryIO, parent: int) -> None:
        sink.write(b"\n" * _FIRST)
        for place in reversed(range(self._share.first, self._share.stop)):
            if place < self._share.alone and not self._learn(parent):
                return
            if place <= self._board.here:
                return
            self._board.claim(place)
            begin = sink.tell()
            try:
                if not _write(self._readings[place], sink, parent):
                    return
            except UNSENDABLE:
                begin = LEFT
            self._board.finish(place, begin)

    def _learn(self, parent: int) -> bool:
        """Wait for what the objects told; False where nobody waits any more."""
        while not self._board.told:
            if os.getppid() != parent:
                return False
            time.sleep(POLL_S)
        if not self._told.source.tell():
            self._known.join(pickle.load(self._told.source))  # noqa: S301  # by our own process
        return True


class _Board:
    """Memory that both processes see: who is where, and where in the file a capture begins."""

    def __init__(self, captures: int) -> None:
        self._memory = mmap.mmap(-1, COUNTER * (captures + _FIXED))
        self._set(_CLAIMED, captures)

    @property
    def claimed(self) -> int:
        """The first capture, by place, that the second process has taken."""
        return self._get(_CLAIMED)

    def claim(self, place: int) -> None:
        """Take a capture in the second process."""
        self._set(_CLAIMED, place)

    @property
    def here(self) -> int:
        """The last capture that was asked for; -1: none yet."""
        return self._get(_HERE) - 1

    def stand_at(self, place: int) -> None:
        """Say that a capture is asked for: the second process begins none before it."""
        self._set(_HERE, place + 1)

    @property
    def told(self) -> bool:
        """Whether what the objects say was told."""
        return bool(self._get(_TOLD))

    @told.setter
    def told(self, done: bool) -> None:
        self._set(_TOLD, int(done))

    def offset(self, place: int) -> int:
        """Return where a capture begins in the file; 0: not read there, LEFT: left to this one."""
        return self._get(_FIXED + place)

    def finish(self, place: int, begin: int) -> None:
        """Say that a capture was read to its end."""
        self._set(_FIXED + place, begin)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()

    def _get(self, slot: int) -> int:
        return int.from_bytes(self._memory[slot * COUNTER : (slot + 1) * COUNTER], "little")

    def _set(self, slot: int, number: int) -> None:
        self._memory[slot * COUNTER : (slot + 1) * COUNTER] = number.to_bytes(COUNTER, "little")


_CLAIMED, _HERE, _TOLD, _FIXED = range(4)


class _Pipe(NamedTuple):
    """A file without a name that one process writes and the other reads, wherever it wants."""

    sink: BinaryIO
    source: BinaryIO

    @classmethod
    def open(cls) -> Self:
        """Open it twice, because the place in a file is shared across a fork."""
        handle, name = tempfile.mkstemp(prefix="firstfault-")
        found = cls(os.fdopen(handle, "wb"), Path(name).open("rb"))  # noqa: SIM115  # closed by `close`
        Path(name).unlink()
        return found

    def close(self) -> None:
        self.sink.close()
        self.source.close()


def _write(reading: CaptureReading, sink: BinaryIO, parent: int) -> bool:
    """Write what a capture says; False where nobody waits any more."""
    for part in _parts(reading.items()):
        if os.getppid() != parent:
            return False
        pickle.dump(part, sink, pickle.HIGHEST_PROTOCOL)
        sink.flush()
    pickle.dump(reading.evidence(""), sink, pickle.HIGHEST_PROTOCOL)
    pickle.dump(reading.known.own(), sink, pickle.HIGHEST_PROTOCOL)
    sink.flush()
    return True


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
