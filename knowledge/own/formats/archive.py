"""Zip archives, read in memory with bounds on all that they claim; nothing is unpacked to disk."""

import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from knowledge.errors import DocumentRefusedError

MARK = b"PK\x03\x04"
MOST_MEMBERS = 10_000
MOST_UNPACKED = 256 << 20
MOST_MEMBER = 32 << 20
_MIB = 1 << 20
_ENCRYPTED = 1
_BROKEN = (BadZipFile, LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError,
           OSError, ValueError)  # fmt: skip


@dataclass
class Archive:
    """An open zip; `left` is how many bytes may still be unpacked from it."""

    held: ZipFile
    left: int = field(default=MOST_UNPACKED)

    def names(self) -> list[str]:
        """Return the names of its files."""
        return [info.filename for info in self.members()]

    def members(self) -> Iterator[ZipInfo]:
        """Yield its files, not its folders."""
        return (info for info in self.held.infolist() if not info.is_dir())

    def read(self, info: ZipInfo, most: int = MOST_MEMBER) -> bytes:
        """Unpack one file; what it says of its size is not believed.

        Raises:
            DocumentRefusedError: it leads outside, is encrypted, a link, damaged or too large.
        """
        _refuse(info)
        most = min(most, self.left)
        try:
            with self.held.open(info) as member:
                content = member.read(most + 1)
        except _BROKEN as error:
            raise DocumentRefusedError(info.filename, f"damaged in its archive: {error}") from error
        self.left -= len(content)
        if len(content) > most:
            raise DocumentRefusedError(info.filename, _too_large(most))
        return content


def open_archive(content: bytes) -> Archive:
    """Open a zip file.

    Raises:
        DocumentRefusedError: it is damaged or has too many files.
    """
    try:
        held = ZipFile(BytesIO(content))
    except _BROKEN as error:
        raise DocumentRefusedError("", f"a damaged archive: {error}") from error
    if len(held.infolist()) > MOST_MEMBERS:
        raise DocumentRefusedError("", f"an archive of more than {MOST_MEMBERS:,} files; split it")
    return Archive(held)


def _refuse(info: ZipInfo) -> None:
    path = PurePosixPath(info.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        raise DocumentRefusedError(info.filename, "its path leads out of the archive")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise DocumentRefusedError(info.filename, "a symbolic link; these are not followed")
    if info.flag_bits & _ENCRYPTED:
        raise DocumentRefusedError(info.filename, "encrypted; pack it without a password")


def _too_large(most: int) -> str:
    return f"unpacks to more than {max(1, most // _MIB)} MiB; split it"
