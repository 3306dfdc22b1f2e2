"""Opens compressed files and archives by their first bytes, and survives damaged ones."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, cast

import zstandard

from tools.errors import ArchiveBrokenError

DAMAGE = (
    EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, tarfile.TarError,
    zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError,
)  # fmt: skip
"""What the decompressors raise on broken input."""
MAX_LAYERS = 3
MAX_MEMBERS = 200_000
MAX_UNPACKED = 64 << 30
TAR_MAGIC = slice(257, 262)


class Content(io.RawIOBase):
    """Decompressed bytes of a file; damage ends the stream and is told in `damage`."""

    def __init__(self, path: Path) -> None:
        """Open `path` and as many layers of compression as it has."""
        self.count = 0
        self.damage = ""
        self._stream: BinaryIO = path.open("rb")
        self._closing: list[BinaryIO] = [self._stream]
        for _ in range(MAX_LAYERS):
            head = self._peek()
            if (layer := _layer(head, self._stream)) is None:
                break
            self._stream = layer
            self._closing.append(layer)

    def _peek(self) -> bytes:
        if not isinstance(self._stream, io.BufferedReader):
            self._stream = io.BufferedReader(cast("io.RawIOBase", self._stream), 1 << 20)
        try:
            return self._stream.peek(8)[:8]
        except DAMAGE as error:
            self.damage = _words(error)
            return b""

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Read up to `size` bytes; fewer only at the end."""
        if self.damage:
            return b""
        try:
            data = self._stream.read(size)
        except DAMAGE as error:
            data = b""
            self.damage = _words(error)
        self.count += len(data)
        return data

    def close(self) -> None:
        """Close all layers."""
        for stream in reversed(self._closing):
            stream.close()
        super().close()


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _layer(head: bytes, stream: BinaryIO) -> BinaryIO | None:
    if head.startswith(b"\x1f\x8b"):
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 31).stream_reader(
            stream, read_across_frames=True
        )
        return cast("BinaryIO", reader)
    if head.startswith(b"\xfd7zXZ\0"):
        return cast("BinaryIO", lzma.LZMAFile(stream))
    if head.startswith(b"BZh"):
        return cast("BinaryIO", bz2.BZ2File(stream))
    return None


def is_archive(path: Path) -> bool:
    """Tell whether a file holds other files."""
    with Content(path) as content:
        head = content.read(512)
    return head[TAR_MAGIC] == b"ustar" or head.startswith(b"PK\x03\x04")


def unpack(path: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    """Copy an archive's files into `folder` under names of our own; yield (name inside, copy).

    Raises:
        ArchiveBrokenError: after the files that could be saved.
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
                raise ArchiveBrokenError(f"{path}: more than a bundle may hold; unpack it by hand")
    except DAMAGE as error:
        raise ArchiveBrokenError(f"{path}: the archive is damaged: {_words(error)}") from error


def _tar_members(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    with Content(path) as content, tarfile.open(fileobj=content, mode="r|") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield member.name.removeprefix("./"), cast("BinaryIO", stream)
        if content.damage:
            raise ArchiveBrokenError(f"{path}: the archive is damaged: {content.damage}")


def _zip_members(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                with closing(archive.open(member)) as stream:
                    yield member.filename, cast("BinaryIO", stream)


def _copy(stream: BinaryIO, target: Path) -> int:
    size = 0
    with target.open("wb") as out:
        while part := stream.read(1 << 20):
            size += out.write(part)
    return size
