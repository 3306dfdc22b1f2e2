"""Binary journal files, read through `journalctl` with every filter pushed down."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.evidence import Gap, Item, Span
from tools.journal_entry import FIELDS
from tools.journal_text import ExportReading
from tools.request import Request
from tools.source import Source

MAGIC = b"LPKSHHRH"
EXIT_WAIT_S = 10.0


def command_for(path: Path, request: Request) -> list[str]:
    """Build the journalctl call for one file."""
    argv = ["journalctl", f"--file={path}", "--no-pager", "--quiet", "--all", "--output=export"]
    argv.append("--output-fields=" + ",".join(FIELDS))
    if request.window.since:
        argv.append(f"--since=@{request.window.since.timestamp():.6f}")
    if request.window.until:
        argv.append(f"--until=@{request.window.until.timestamp():.6f}")
    return argv


class JournalReader:
    """Runs journalctl and scans what it prints."""

    name = "journal"
    source = "journal"

    def score(self, head: bytes, hint: str) -> float:  # noqa: ARG002  # the content decides
        """Look for the file's signature."""
        return 1.0 if head.startswith(MAGIC) else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read entries with hits; one span or gap for the file's bytes."""
        assert source.file is not None  # noqa: S101  # the bundle always offers one
        path = source.file()
        size = path.stat().st_size
        reading = ExportReading(source.evidence, request, spans=False)
        argv = command_for(path, request)
        try:
            process = subprocess.Popen(
                argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"},
            )  # fmt: skip
        except FileNotFoundError:
            yield self._gap(source, size, "journalctl is not installed here; export the journal")
            return
        with process:
            assert process.stdout and process.stderr  # noqa: S101, PT018  # both are pipes
            yield from reading.items(process.stdout)  # type: ignore[arg-type]  # a BufferedReader
            complaint = process.stderr.read(4096).decode("utf-8", "replace").strip()
            process.wait(EXIT_WAIT_S)
        if process.returncode or (complaint and not reading.seen):
            yield self._gap(source, size, f"journalctl could not read it: {complaint[:300]}")
            return
        if complaint:
            yield self._gap(source, 0, f"journalctl skipped a part: {complaint[:300]}")
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
