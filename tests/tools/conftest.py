"""Real things to look at: a mount that hangs, programs that misbehave."""

import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HOLDER = """#!/bin/sh
# A stand-in where no mount can be frozen: what holds the pipe is in a session of its own.
trap '' TERM
setsid sleep 120 &
wait
"""


def _run(*argv: str) -> bool:
    return subprocess.run(argv, capture_output=True, check=False, timeout=20).returncode == 0


@pytest.fixture(scope="session", name="frozen")
def _frozen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | None]:
    """A mount on which every write hangs in D state, unkillable; None where none can be made."""
    folder = tmp_path_factory.mktemp("frozen")
    image, mount = folder / "image", folder / "mount"
    mount.mkdir()
    able = os.geteuid() == 0 and all(map(shutil.which, ("mkfs.ext4", "fsfreeze", "losetup")))
    if able:
        image.write_bytes(b"")
        os.truncate(image, 8 << 20)
        able = _run("mkfs.ext4", "-q", "-O", "^has_journal", str(image)) and _run(
            "mount", "-o", "loop", str(image), str(mount)
        )
    if not able or not _run("fsfreeze", "-f", str(mount)):
        yield None
        return
    yield mount
    _run("fsfreeze", "-u", str(mount))
    _run("umount", "-l", str(mount))


@pytest.fixture(name="program")
def _program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a program of that name and text first on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def write(name: str, text: str) -> Path:
        file = folder / name
        file.write_text(text)
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file

    return write


@pytest.fixture(name="hanging")
def _hanging(frozen: Path | None) -> str:
    """The text of a program that never comes back, not even when killed where that can be had."""
    if frozen is None:
        return HOLDER
    return f"#!/bin/sh\nexec /bin/sh -c ': > {frozen}/stuck'\n"
