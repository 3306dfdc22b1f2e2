"""Opens compressed files and archives by their first bytes, and survives damaged ones."""

import bz2
import codecs
import gzip
import io
import lzma
import os
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Protocol, cast

import zstandard

from tools.encodings import SAMPLE, is_gb
from tools.errors import BrokenArchiveError

DAMAGE = (
    EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, tarfile.TarError,
    zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
"""What the decompressors raise on broken input."""
MAX_LAYERS = 3
MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF8)
"""What Windows tools put before a text."""
PIECE = 4 << 20
MAX_MEMBERS = 200_000
MAX_UNPACKED = 64 << 30
TAR_MAGIC = slice(257, 262)


class Reads1(Protocol):
    """A stream that gives what it has, without filling up what was asked for."""

    def read1(self, size: int, /) -> bytes:
        """Read once."""

    def close(self) -> None:
        """Close."""


class Peekable:
    """Lets the first bytes be looked at. Reads once a call: bytes before damage are not lost."""

    def __init__(self, stream: Reads1) -> None:
        """Wrap a stream."""
        self._stream, self._ahead = stream, b""

    @property
    def held(self) -> bytes:
        """What was looked at and not read yet."""
        return self._ahead

    def peek(self, size: int) -> bytes:
        """Look at the next bytes."""
        while len(self._ahead) < size and (piece := self._stream.read1(size - len(self._ahead))):
            self._ahead += piece
        return self._ahead[:size]

    def read1(self, size: int = 1 << 16, /) -> bytes:
        """Read once."""
        if not self._ahead:
            return self._stream.read1(size)
        piece, self._ahead = self._ahead[:size], self._ahead[size:]
        return piece

    read = read1

    def close(self) -> None:
        """Close the stream below."""
        self._stream.close()


class Transcoded:
    """Text of another encoding, given as UTF-8."""

    def __init__(self, stream: Reads1, encoding: str) -> None:
        """Begin at the text's beginning, with its mark if it has one."""
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")

    def read1(self, size: int, /) -> bytes:
        """Read once; as UTF-8 the text may be longer."""
        while piece := self._stream.read1(max(size // 2, 2)):
            if text := self._decoder.decode(piece):
                return text.encode("utf-8", "replace")
        return b""

    def close(self) -> None:
        """Close the stream below."""
        self._stream.close()


class Guessed:
    """Unpacked text that is given as UTF-8 where its beginning shows the older Chinese encoding."""

    def __init__(self, stream: Peekable) -> None:
        """Begin at the text's beginning; nothing is read before it is asked for."""
        self._stream: Reads1 = stream
        self._ahead: Peekable | None = stream
        self._damage: BaseException | None = None

    def read1(self, size: int, /) -> bytes:
        """Read once; damage behind the beginning is told once what lies before it was given."""
        if self._ahead is not None:
            self._begin(self._ahead)
        piece = self._stream.read1(size)
        if not piece and self._damage:
            raise self._damage
        return piece

    def _begin(self, ahead: Peekable) -> None:
        self._ahead = None
        try:
            head = ahead.peek(SAMPLE)
        except DAMAGE as error:
            head, self._damage = ahead.held, error
        if is_gb(head):
            self._stream = Transcoded(ahead, "gb18030")

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


class Unmarked:
    """UTF-8 text without the mark that Windows tools put before it."""

    def __init__(self, stream: Reads1) -> None:
        """Drop the mark."""
        self._stream = stream
        left = len(codecs.BOM_UTF8)
        while left and (piece := stream.read1(left)):
            left -= len(piece)

    def read1(self, size: int, /) -> bytes:
        """Read once."""
        return self._stream.read1(size)

    def close(self) -> None:
        """Close the stream below."""
        self._stream.close()


class Unbuffered:
    """Reads a file straight into what is handed on: large blocks are copied nowhere."""

    def __init__(self, file: io.FileIO) -> None:
        """Begin at the file's beginning."""
        self._file = file
        file.seek(0)

    def read1(self, size: int, /) -> bytes:
        """Read once."""
        return self._file.read(size) or b""

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Content(io.RawIOBase):
    """Decompressed bytes of a file; damage ends the stream and is told in `damage`."""

    def __init__(self, path: Path) -> None:
        """Open `path` and as many layers of compression as it has."""
        self.count = 0
        self.damage = ""
        file = path.open("rb", buffering=0)
        stream = Peekable(io.BufferedReader(file))
        self.plain = False
        """Whether the bytes are those of the file itself."""
        self._layers = [stream]
        self._stream: Reads1 = stream
        try:
            while len(self._layers) <= MAX_LAYERS:
                layer = _layer(stream.peek(6), stream)
                if layer is None:
                    break
                self._stream = stream = Peekable(layer)
                self._layers.append(stream)
            if len(self._layers) > 1:
                self._stream = Guessed(stream)
            elif file.seekable():
                plain = Unbuffered(file)
                chinese = is_gb(os.pread(file.fileno(), SAMPLE, 0))
                self._stream = Transcoded(plain, "gb18030") if chinese else plain
                self.plain = not chinese
        except DAMAGE as error:
            self.damage = _words(error)

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes; fewer only at the end or before damage."""
        pieces: list[bytes] = []
        left = size if size >= 0 else sys.maxsize
        while left and not self.damage:
            try:
                piece = self._stream.read1(min(left, PIECE))
            except DAMAGE as error:
                self.damage = _words(error)
                break
            if not piece:
                break
            pieces.append(piece)
            left = max(left - len(piece), 0)
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self.count += len(data)
        return data

    def close(self) -> None:
        """Close all layers."""
        for stream in reversed(self._layers):
            stream.close()
        super().close()


def _without_mark(head: bytes, stream: Peekable) -> Reads1:
    if head.startswith(codecs.BOM_UTF8):
        return Unmarked(stream)
    return Transcoded(stream, "utf-16")  # its mark tells the order of bytes


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _layer(head: bytes, stream: Peekable) -> Reads1 | None:
    below = cast("BinaryIO", stream)
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=below)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(
            below, read_across_frames=True
        )
        return cast("Reads1", reader)
    if head.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMAFile(below)
    if head.startswith(MARKS):
        return _without_mark(head, stream)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(below)
    return None


def is_archive(head: bytes) -> bool:
    """Tell from its beginning whether a content holds other files."""
    return head[TAR_MAGIC] == b"ustar" or head.startswith(b"PK\x03\x04")


def unpack(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Copy an archive's files into `folder` under names of our own; yield (name inside, copy).

    Raises:
        BrokenArchiveError: after the files that could be saved.
    """
    try:
        with Content(path) as content:
            zipped = content.read(4) == b"PK\x03\x04"
        members = _zip_members(path) if zipped else _tar_members(path)
        total = 0
        for number, (name, stream) in enumerate(members):
            copy = folder / f"{number:06d}"
            total += _copy(stream, copy)
            yield name, copy
            if number >= MAX_MEMBERS or total > MAX_UNPACKED:
                raise BrokenArchiveError(f"{path}: more than a bundle may hold; unpack it by hand")
    except DAMAGE as error:
        raise BrokenArchiveError(f"{path}: the archive is damaged: {_words(error)}") from error


def _tar_members(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    with Content(path) as content, tarfile.open(fileobj=content, mode="r|") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name.removeprefix("./"), cast("BinaryIO", stream)
        if content.damage:
            raise BrokenArchiveError(f"{path}: the archive is damaged: {content.damage}")


def _zip_members(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    with zipfile.ZipFile(path) as archive:
        for member in (each for each in archive.infolist() if not each.is_dir()):
            with closing(archive.open(member)) as stream:
                yield member.filename, cast("BinaryIO", stream)


def _copy(stream: BinaryIO, target: Path) -> int:
    size = 0
    with target.open("wb") as out:
        while part := stream.read(1 << 20):
            size += out.write(part)
    return size
