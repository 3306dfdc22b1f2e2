"""Real journal files from export text, for the real journalctl."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

from evals.errors import ReplayError

REMOTE = "/lib/systemd/systemd-journal-remote"
_MACHINE = b"_MACHINE_ID="


def is_available() -> bool:
    """Tell whether journal files can be built here."""
    return Path(REMOTE).exists()


def build(exports: Iterable[Path], directory: Path) -> Path:
    """Build one journal file a host, in a folder of its machine id, and return `directory`.

    `journalctl -D DIRECTORY` then reads all hosts in the order of their time stamps.

    Raises:
        ReplayError: an export was refused.
    """
    for export in exports:
        folder = directory / name_machine(export)
        folder.mkdir(parents=True, exist_ok=True)
        argv = [REMOTE, "-o", str(folder / "system.journal"), str(export)]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ReplayError(f"systemd-journal-remote refused {export}: {done.stderr.strip()}")
    return directory


def name_machine(export: Path) -> str:
    """Return the machine id of an export.

    Raises:
        ReplayError: it names none.
    """
    with export.open("rb") as stream:
        for line in stream:
            if line.startswith(_MACHINE):
                return line[len(_MACHINE) :].strip().decode()
    raise ReplayError(f"{export} holds no entry with a machine id")
