"""Binary journal files, read through `journalctl` with every filter pushed down."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from tools.evidence import Gap, Item, Span
from tools.journal_text import ExportReading
from tools.request import Request
from tools.source import Source

MAGIC = b"LPKSHHRH"
EXIT_WAIT_S = 10.0
LOOK_S = 30.0


def command_for(path: Path, request: Request) -> list[str]:
    """Build the journalctl call for one file.

    All fields are printed: choosing some costs journalctl more than it saves, and a pattern of all
    literals costs it twenty times as much as scanning what it prints.
    """
    argv = ["journalctl", f"--file={path}", "--no-pager", "--quiet", "--all", "--output=export"]
    if request.window.since:
        argv.append(f"--since=@{request.window.since.timestamp():.6f}")
    if request.window.until:
        argv.append(f"--until=@{request.window.until.timestamp():.6f}")
    if request.nodes:
        wanted = {node.partition(".")[0] for node in request.nodes}
        found = [host for host in hosts_of(path) if host.partition(".")[0] in wanted]
        argv += [f"_HOSTNAME={host}" for host in found]
    return argv


def _start(argv: list[str], complaints: IO[bytes]) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"}
    return subprocess.Popen(
        argv,
        stdout=subprocess.PIPE,
        stderr=complaints,
        stdin=subprocess.DEVNULL,
        env=environment,
    )


def hosts_of(path: Path) -> list[str]:
    """Ask which hosts a journal speaks of."""
    argv = ["journalctl", f"--file={path}", "--no-pager", "--quiet", "--field=_HOSTNAME"]
    done = subprocess.run(argv, capture_output=True, check=False, timeout=LOOK_S)
    return done.stdout.decode("utf-8", "replace").split()


class JournalReader:
    """Runs journalctl and scans what it prints."""

    name = "journal"
    source = "journal"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the file's signature."""
        return 1.0 if head.startswith(MAGIC) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read entries with hits; one span or gap for the file's bytes."""
        assert source.file is not None  # noqa: S101  # the bundle always offers one
        path = source.file()
        size = path.stat().st_size
        reading = ExportReading(source.evidence, request, spans=False)
        with tempfile.TemporaryFile() as complaints:
            try:
                process = _start(command_for(path, request), complaints)
            except FileNotFoundError:
                why = "journalctl is not installed here; export the journal where it is"
                yield self._gap(source, size, why)
                return
            with process:
                assert process.stdout is not None  # noqa: S101  # it is a pipe
                yield from reading.items(cast("BinaryIO", process.stdout))
                process.wait(EXIT_WAIT_S)
            complaints.seek(0)
            complaint = complaints.read(4096).decode("utf-8", "replace").strip()[:300]
        if process.returncode or (complaint and not reading.seen):
            yield self._gap(source, size, f"journalctl could not read it: {complaint}")
            return
        if complaint:
            yield self._gap(source, 0, f"journalctl skipped a part: {complaint}")
        yield self._span(source, size, reading)

    def _span(self, source: Source, size: int, reading: ExportReading) -> Span:
        times = [moment for pair in reading.seen.values() for moment in pair]
        hosts = {host for host, _ in reading.seen}
        first = min(times, key=lambda moment: moment.utc) if times else None
        last = max(times, key=lambda moment: moment.utc) if times else None
        host = next(iter(hosts)) if len(hosts) == 1 else ""
        return Span(source.evidence, 0, size, 0, first, last, host, "service")

    def _gap(self, source: Source, size: int, why: str) -> Gap:
        return Gap(
            source="journal", target=source.name, why=why, evidence=source.evidence,
            offset=0 if size else None, length=size or None,
        )  # fmt: skip


READER = JournalReader()
