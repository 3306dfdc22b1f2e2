"""Reads in a second process while this one does everything else.

An only file is read there. Of a large bundle each process takes what the other has not begun: the
second one the first capture, this one the capture that it is asked for, and instead of waiting for
the other it reads ahead from the last. What the
objects tell is read before it starts; where they are too large to be held, it reads only journals,
which need nothing of others. The items come back through a file without a name. Where the second
process fails or stalls, or where there is only one processor, this one reads all: nothing depends
on it.
"""

import gc
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
from tools.source import EvidenceFile

READY = "ready"
"""A text without a secret, to have the rules of masking compiled."""
LEAST = 16 << 20
"""Less evidence, in bytes, is read before a second process is of use."""
MOST_HELD = 16 << 20
"""Objects of more bytes take too much memory to be held."""
MOST_ITEMS = 100_000
"""More are not read ahead, for they wait in memory."""
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
    held: int = 0
    """So many, from the first on, are read before it starts."""


def second_share(files: Sequence[EvidenceFile], turns: Sequence[Turn], least: int = LEAST) -> Share:
    """Choose an only file, or all that need no more of others than where pods run.

    None where there is little to read.
    """
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:  # noqa: PLR2004  # alone it would only wait
        return Share()
    sizes = [_size(file.path) for file in files]
    if sum(sizes) < least:
        return Share()
    if len(files) == 1:
        return Share(0, 1)
    objects, journals, stop = (sum(turn < limit for turn in turns) for limit in list(Turn)[1:])
    if sum(sizes[:objects]) > MOST_HELD:
        return Share(journals, stop) if journals < stop else Share()
    return Share(objects, stop, objects) if objects < stop else Share()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class SecondReader:
    """The other process; `read` takes what it found, or reads here."""

    def __init__(self, readings: Sequence[CaptureReading], share: Share) -> None:
        """Take all readings, in the order in which they will be asked for."""
        self._order = {reading.id: place for place, reading in enumerate(readings)}
        self._readings = tuple(readings)
        self._share = share
        self._board = _Board(len(readings))
        self._found: _Pipe | None = None
        self.held: dict[str, tuple[list[Item], Evidence]] = {}
        """By the capture's id, what was read before it was asked for."""
        self._ahead = share.stop
        """From here on nothing is left to be read ahead."""
        self.pid = 0

    def start(self) -> None:
        """Begin to read; whoever starts it must enter it, which ends it."""
        if self._share.stop:
            for reading in self._readings[: self._share.held]:
                self._hold(reading)
            masked(READY)  # whose rules another thread may be compiling: its lock would stay shut
            self._board.take(self._share.first)  # on its behalf, before this one can
            self._found = pipe = _Pipe.open()
            gc.freeze()  # what the collector touches would be copied for the other process
            self.pid = os.fork()
            if not self.pid:
                self._read_there(pipe.sink)
            gc.unfreeze()

    def __enter__(self) -> Self:
        """Take what is read from here on."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the other process if it still reads."""
        self._give_up()
        if self._found is not None:
            self._found.close()
        self._board.close()

    def read(self, reading: CaptureReading) -> Found:
        """Yield what a capture says, from whichever process reads it.

        What it tells of other captures is in `reading.known` afterwards.
        """
        if reading.id in self.held:
            items, evidence = self.held.pop(reading.id)
            yield from items
            return evidence
        place = self._order[reading.id]
        if self._found is None or self._board.take(place) or not self._await(place, self._found):
            yield from reading.items()
            return reading.evidence()
        found = self._found.source
        found.seek(self._board.offset(place))
        while True:
            part = pickle.load(found)  # noqa: S301  # written by our own process, into a file that nobody else can open
            if isinstance(part, Evidence):
                reading.known = pickle.load(found)  # noqa: S301  # as above
                return part
            yield from part

    def _hold(self, reading: CaptureReading) -> None:
        """Read a capture before it is asked for."""
        self.held[reading.id] = list(reading.items()), reading.evidence()

    def has_read(self, place: int) -> bool:
        """Tell whether the other process has read the capture at a place to its end."""
        return self._board.offset(place) > LEFT

    def _await(self, place: int, pipe: "_Pipe") -> bool:
        """Wait until the other process has read what it took; False where it will not."""
        size, since = -1, time.monotonic()
        while self.pid and not self._board.offset(place):
            ended, _ = os.waitpid(self.pid, os.WNOHANG)
            grown = os.fstat(pipe.source.fileno()).st_size
            if grown != size:
                size, since = grown, time.monotonic()
            if ended or time.monotonic() - since > STALL_S:
                self.pid = 0 if ended else self.pid
                self._give_up()
            if not self._read_ahead(place):
                time.sleep(POLL_S)
        return self.has_read(place)

    def _read_ahead(self, beyond: int) -> bool:
        """Read the last capture that is free and can be held; False where there is none."""
        if sum(len(items) for items, _ in self.held.values()) > MOST_ITEMS:
            return False
        while self._ahead > max(beyond, self._share.first):
            self._ahead -= 1
            reading = self._readings[self._ahead]
            if _size(reading.member.path) <= MOST_HELD and self._board.take(self._ahead):
                self._hold(reading)
                return True
        return False

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

    def _read_there(self, sink: BinaryIO) -> None:
        """Read, write, and end without running anything that the first process means to run."""
        code, parent = 1, os.getppid()
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            self._read_free(sink, parent)
            code = 0
        finally:
            os._exit(code)

    def _read_free(self, sink: BinaryIO, parent: int) -> None:
        sink.write(b"\n" * _FIRST)
        for place in self._free():
            begin = sink.tell()
            try:
                if not _write(self._readings[place], sink, parent):
                    return
            except UNSENDABLE:
                begin = LEFT
            self._board.finish(place, begin)

    def _free(self) -> Iterator[int]:
        """Take one capture after the other that nobody has begun; the first was taken for it."""
        yield self._share.first
        yield from filter(self._board.take, range(self._share.first, self._share.stop))


class _Board:
    """Memory that both processes see: what is taken, and where in the file a capture begins."""

    def __init__(self, captures: int) -> None:
        self._captures = captures
        self._memory = mmap.mmap(-1, COUNTER * 2 * max(captures, 1))

    def take(self, place: int) -> bool:
        """Take a capture if it is free.

        Both processes may take one at the same moment: then it is read twice and used once.
        """
        free = not self._get(self._captures + place)
        if free:
            self._set(self._captures + place, 1)
        return free

    def offset(self, place: int) -> int:
        """Return where a capture begins in the file; 0: not read there, LEFT: left to this one."""
        return self._get(place)

    def finish(self, place: int, begin: int) -> None:
        """Say that a capture was read to its end."""
        self._set(place, begin)

    def close(self) -> None:
        """Give the memory back."""
        self._memory.close()

    def _get(self, slot: int) -> int:
        return int.from_bytes(self._memory[slot * COUNTER : (slot + 1) * COUNTER], "little")

    def _set(self, slot: int, number: int) -> None:
        self._memory[slot * COUNTER : (slot + 1) * COUNTER] = number.to_bytes(COUNTER, "little")


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
    pickle.dump(reading.evidence(), sink, pickle.HIGHEST_PROTOCOL)
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
