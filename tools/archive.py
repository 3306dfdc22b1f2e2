"""A bundle as one file: packed for the way, unpacked with distrust."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO

import zstandard

from tools.capture import Capture
from tools.masking import mask_bytes
from tools.workspace import MANIFEST, Workspace

_MOST_BYTES = 1 << 30
_MAGIC = b"\x28\xb5\x2f\xfd"


def pack(root: Path, out: IO[bytes]) -> None:
    """Write a bundle folder as .tar.zst, the manifest first, so that a cut archive still tells."""
    with (
        zstandard.ZstdCompressor(level=3).stream_writer(out, closefd=False) as compressed,
        tarfile.open(fileobj=compressed, mode="w|") as archive,
    ):
        files = sorted(file for file in root.rglob("*") if file.is_file())
        files.sort(key=lambda file: file.name != MANIFEST)
        for file in files:
            archive.add(file, str(file.relative_to(root)), recursive=False)


def unpack(content: bytes, workspace: Workspace, host: str) -> Iterator[Capture]:
    """Merge a packed bundle that `host` sent into a workspace.

    What comes from another machine is masked again; paths that leave the bundle, links and devices
    are left out; an archive that was cut gives what was whole.
    """
    files = dict(_members(content))
    for line in files.get(MANIFEST, b"").splitlines():
        try:
            capture = Capture.model_validate_json(line)
        except ValueError:
            continue
        body = mask_bytes(files.get(capture.path, b""))
        whole = capture.path in files or not capture.path
        update: dict[str, object] = {"target": capture.target or host}
        if not whole:
            update |= {"outcome": "failed", "detail": f"cut on the way from {host}"}
        yield workspace.save(capture.model_copy(update=update), body)


def _members(content: bytes) -> Iterator[tuple[str, bytes]]:
    stream: IO[bytes] = io.BytesIO(content)
    if content.startswith(_MAGIC):
        stream = zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    try:
        with tarfile.open(fileobj=stream, mode="r|*") as archive:
            yield from _safe_files(archive)
    except (tarfile.TarError, zstandard.ZstdError, EOFError):
        return  # cut on the way: what was whole has been given


def _safe_files(archive: tarfile.TarFile) -> Iterator[tuple[str, bytes]]:
    """Yield the files that stay below the folder they are unpacked into, up to a size."""
    left = _MOST_BYTES
    for member in archive:
        path = PurePosixPath(member.name)
        outside = path.is_absolute() or ".." in path.parts
        if not member.isfile() or outside or member.size > left:
            continue
        left -= member.size
        body = archive.extractfile(member)
        if body is not None:
            yield str(path), body.read()
