"""The folder that captures are written to: a bundle from its first line on."""

import errno
import json
import os
import queue
import shutil
import tempfile
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path, PurePosixPath

from tools.capture import Capture
from tools.errors import TargetRefusedError

MANIFEST = "manifest.jsonl"
NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "lustre",
        "ceph",
        "fuse.ceph",
        "glusterfs",
        "fuse.glusterfs",
        "gpfs",
        "beegfs",
        "beegfs_nodev",
        "afs",
        "9p",
        "fuse.sshfs",
        "wekafs",
        "orangefs",
        "fuse.juicefs",
        "panfs",
    }
)
"""File systems that live elsewhere, and so can hang with what is being watched."""
_ROOM = 64 << 20
_WRITE_S = 3.0
_SETTLED = frozenset({"ok", "empty", "absent", "denied"})


class Workspace:
    """A bundle being written. Each capture is on disk, with its manifest line, before the next."""

    def __init__(self, root: Path, size_cap: int = 1 << 30) -> None:
        refuse_bad_target(root)
        root.mkdir(parents=True, exist_ok=True)
        self.root = root
        self._left = size_cap
        self._guard = threading.Lock()
        self._done = {_key(each): each for each in self.captures()}

    def captures(self) -> Iterator[Capture]:
        """Give what is in the manifest; a torn last line is skipped."""
        try:
            lines = (self.root / MANIFEST).read_text().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                yield Capture.model_validate_json(line)
            except ValueError:
                continue

    def finished(self, source: str, command: str, target: str) -> Capture | None:
        """Give the capture of an earlier run that need not be taken again."""
        capture = self._done.get((source, command, target))
        return capture if capture and capture.outcome in _SETTLED else None

    @property
    def full(self) -> bool:
        """Tell whether the size cap is reached."""
        return self._left <= 0

    def limit(self, size_cap: int) -> None:
        """Let the bundle grow by no more than so many bytes from here."""
        with self._guard:
            self._left = size_cap

    def save(self, capture: Capture, content: bytes) -> Capture:
        """Write masked bytes and the manifest line; cut what is over the size cap."""
        with self._guard:
            kept = content[: max(0, self._left)]
            self._left -= len(kept)
        path = self._path(capture.path) if kept else ""
        capture = capture.model_copy(
            update={
                "path": path,
                "sha256": sha256(kept).hexdigest() if kept else "",
                "size": len(kept) if kept else None,
                "truncated": capture.truncated or len(kept) < len(content),
            }
        )
        if kept:
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(kept)
        self.append(capture)
        return capture

    def append(self, capture: Capture) -> None:
        """Add a line to the manifest, safely on disk."""
        line = json.dumps(
            capture.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False
        )
        with self._guard:
            with (self.root / MANIFEST).open("a") as manifest:
                manifest.write(line + "\n")
                manifest.flush()
                os.fsync(manifest.fileno())
            self._done[_key(capture)] = capture

    def _path(self, wanted: str) -> str:
        """Keep a path inside the bundle and apart from what is there already."""
        parts = [part for part in PurePosixPath(wanted).parts if part not in {"/", ".", ".."}]
        path = PurePosixPath(*parts)
        number = 1
        while (self.root / path).exists():
            number += 1
            path = PurePosixPath(*parts).with_name(
                f"{PurePosixPath(*parts).stem}-{number}{path.suffix}"
            )
        return str(path)


def _key(capture: Capture) -> tuple[str, str, str]:
    return capture.source, capture.command, capture.target


def filesystem_of(path: Path, mounts: Path = Path("/proc/self/mounts")) -> tuple[str, str]:
    """Give mount point and type of the file system that holds `path`, without touching it."""
    absolute = os.path.abspath(path)  # noqa: PTH100 (resolve() would look at a mount that may hang)
    best = ("/", "")
    for line in mounts.read_text().splitlines():
        _, point, kind, *_ = line.split(" ")
        point = point.replace("\\040", " ")
        inside = absolute == point or absolute.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best[0]):
            best = (point, kind)
    return best


def _takes_a_file(folder: Path) -> bool:
    """Try to write, from a thread that may hang in our place.

    Raises:
        PermissionError: This user may not write there.
    """
    result: queue.SimpleQueue[OSError | None] = queue.SimpleQueue()
    threading.Thread(target=_try_file, args=(folder, result), daemon=True).start()
    try:
        fault = result.get(timeout=_WRITE_S)
    except queue.Empty:
        return False
    if fault and fault.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder)) from fault
    return fault is None


def _try_file(folder: Path, result: "queue.SimpleQueue[OSError | None]") -> None:
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
            file.flush()
        result.put(None)
    except OSError as fault:
        result.put(fault)


def refuse_bad_target(path: Path, mounts: Path = Path("/proc/self/mounts")) -> None:
    """Refuse a place that lies on the network or is full.

    Raises:
        TargetRefusedError: With the reason and what to do.
        PermissionError: This user may not write there.
    """
    point, kind = filesystem_of(path, mounts)
    if kind in NETWORK:
        message = (
            f"{path} lies on {point}, a network file system ({kind}) that can hang; "
            "give a folder on a local disk with --out"
        )
        raise TargetRefusedError(message)
    there = next(
        folder for folder in (path.absolute(), *path.absolute().parents) if folder.exists()
    )
    if not _takes_a_file(there):
        message = (
            f"{there} does not take a file within {_WRITE_S:.0f} s: it hangs or refuses; "
            "give another folder with --out"
        )
        raise TargetRefusedError(message)
    free = shutil.disk_usage(there).free
    if free < _ROOM:
        message = f"{point} has only {free >> 20} MiB free; give a folder with room with --out"
        raise TargetRefusedError(message)
