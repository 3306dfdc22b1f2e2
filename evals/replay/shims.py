"""Stands in for a node's own commands: prints what was recorded, or hangs as it did.

A folder of small programs goes before everything else on PATH. A hang ignores the polite signals,
as a process in uninterruptible sleep does; only SIGKILL ends it here, so that tests leave nothing.
"""

import os
import shlex
import stat
from collections.abc import Iterable
from pathlib import Path

from evals.bundle_edit import read_lines
from evals.model import Body

MOUNTS = "cat /proc/mounts"
ASKED_AS = {
    "df -lh": ("df -h -l -P",),
    "chronyc tracking": ("chronyc -n tracking",),
    "nvidia-smi": ("nvidia-smi -q",),
}
"""What an operator typed → how the product's probes ask for it."""

SILENT = ("nvidia-smi topo -m", "df -i -l -P")
"""What probes ask that no operator recorded: where the program is there, it prints nothing."""

_PROGRAM = """#!/bin/sh
# Answers as recorded; see the table beside it.
asked="{name} $*"
asked="${{asked% }}"
folder={folder}
while IFS='	' read -r outcome file command; do
  if [ "$command" = "$asked" ]; then
    case "$outcome" in
      hung) trap '' TERM INT HUP; while :; do read -r _ < "$folder/never"; done ;;
      failed) /bin/cat "$folder/$file"; exit 1 ;;
      *) exec /bin/cat "$folder/$file" ;;
    esac
  fi
done < "$folder/{name}.table"
echo "{name}: no recording of: $asked" >&2
exit 127
"""


def list_commands(bundle: Path, host: str) -> list[Body]:
    """Return the manifest lines of the commands that were run on a host."""
    wanted = {"host", "nvml"}
    return [
        entry
        for entry in read_lines(bundle)
        if entry["target"] == host
        and entry["source"] in wanted
        and str(entry["path"]).startswith("host/")
        and str(entry["path"]).endswith(".txt")
    ]


def install(bundle: Path, host: str, folder: Path) -> Path:
    """Write the shims of one host into `folder` and return it, to be put on PATH."""
    folder.mkdir(parents=True, exist_ok=True)
    os.mkfifo(folder / "never")
    recorded = list_commands(bundle, host)
    points = _network_mounts(bundle, recorded)
    tables: dict[str, list[str]] = {}
    for number, entry in enumerate(recorded):
        file = f"{number}.out"
        (folder / file).write_bytes((bundle / str(entry["path"])).read_bytes())
        for command in _forms(entry, points, folder.parent):
            row = f"{entry['outcome']}\t{file}\t{command}"
            tables.setdefault(Path(command.split(maxsplit=1)[0]).name, []).append(row)
    (folder / "silent.out").touch()
    for name, rows in tables.items():
        rows += [f"ok\tsilent.out\t{each}" for each in SILENT if each.startswith(f"{name} ")]
        _write(folder, name, rows)
    return folder


def _forms(entry: Body, points: list[str], root: Path) -> list[str]:
    """Give the recorded command, and the forms in which a probe asks for the same.

    Through an agent the host's mounts lie below `root`.
    """
    command = str(entry["command"])
    if command == "df -h" and entry["outcome"] == "hung":
        return [command, *(f"df -h {place}{point}" for point in points for place in ("", root))]
    return [command, *ASKED_AS.get(command, ())]


def _network_mounts(bundle: Path, recorded: list[Body]) -> list[str]:
    tables = [bundle / str(each["path"]) for each in recorded if each["command"] == MOUNTS]
    rows = [line.split() for table in tables for line in table.read_text().splitlines()]
    return [row[1] for row in rows if row[2].startswith("nfs")]


def _write(folder: Path, name: str, rows: Iterable[str]) -> None:
    (folder / f"{name}.table").write_text("".join(f"{row}\n" for row in rows))
    program = folder / name
    program.write_text(_PROGRAM.format(name=name, folder=shlex.quote(str(folder))))
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
