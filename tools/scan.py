"""Finds many literal strings at once in large blocks of bytes."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import BinaryIO, NamedTuple, cast

BLOCK = 4 << 20
"""Bytes of fresh text per block."""
AHEAD = 64 << 10
"""Bytes kept back at a block's end, so that a message's next lines are there to be joined."""
BEHIND = 32 << 10
"""Bytes kept from the block before, so that a message's first lines are there."""


class LiteralScanner:
    """A compiled set of literals; matching is exact, on bytes, overlapping matches included."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        """Compile `literals`; empty ones are left out, an empty set finds nothing."""
        import hyperscan  # noqa: PLC0415  # a shared library of 10 MB, loaded when first used

        self.literals = tuple(literals)
        chosen = [(number, text) for number, text in enumerate(literals) if text]
        self._database = None
        if chosen:
            self._database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
            self._database.compile(
                expressions=[text for _, text in chosen],
                ids=[number for number, _ in chosen],
                elements=len(chosen),
                literal=True,
            )

    def find(self, block: bytes | bytearray | memoryview) -> list[tuple[int, int]]:
        """List (index of the literal, offset just behind it), by offset."""
        hits: list[tuple[int, int]] = []
        if self._database is not None and len(block):
            append = hits.append

            def note(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
                append((number, end))

            self._database.scan(cast("bytes", block), match_event_handler=note)
        return hits


@lru_cache(maxsize=4)
def scanner_for(literals: tuple[str, ...]) -> LiteralScanner:
    """Compile once per set of literals; a bundle of a thousand files asks a thousand times."""
    return LiteralScanner([text.encode() for text in literals])


class Block(NamedTuple):
    """A stretch of a text: `data[start:stop]` is fresh, the rest is context on both sides."""

    data: bytes
    start: int
    stop: int
    offset: int
    """Offset of `data[start]` in the whole text."""
    last: bool


def read_blocks(stream: BinaryIO, size: int = BLOCK, border: bytes = b"\n") -> Iterator[Block]:
    """Cut a stream into blocks that end with `border`, each with context around it.

    A text without any border within a block is cut all the same: memory stays bounded.
    """
    data, start, offset = b"", 0, 0
    ended = False
    while not ended:
        before = len(data)
        data = _fill(stream, size, data)
        ended = len(data) - before < size
        stop = len(data) if ended else _cut(data, start, border)
        if stop > start or ended:
            yield Block(data, start, stop, offset, ended)
        offset += stop - start
        keep = max(0, stop - BEHIND)
        data, start = data[keep:], stop - keep


def read_ahead(stream: BinaryIO, border: bytes = b"\n") -> Iterator[Block]:
    """Cut a stream into blocks; the next one is read in a thread while this one is worked on."""
    blocks = read_blocks(stream, border=border)
    block = next(blocks, None)
    if block is None or block.last:
        yield from () if block is None else (block,)
        return
    pool = ThreadPoolExecutor(1)
    try:
        while block is not None:
            following = pool.submit(next, blocks, None)
            yield block
            block = following.result()
    finally:
        # Nobody may wait here for a stream that hangs.
        pool.shutdown(wait=False, cancel_futures=True)


def _fill(stream: BinaryIO, size: int, before: bytes) -> bytes:
    """Read `size` bytes behind those at hand; all parts are put together once."""
    parts = [before] if before else []
    missing = size
    while missing:
        part = cast("bytes | None", stream.read(missing))
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _cut(data: bytes, start: int, border: bytes) -> int:
    for limit in (len(data) - AHEAD, len(data)):
        found = data.rfind(border, start, max(limit, start))
        if found >= 0:
            return found + len(border)
    return len(data) - AHEAD if len(data) - start > BLOCK else start
