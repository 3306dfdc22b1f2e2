"""The journal's export format: blocks of KEY=value, binary values with a length before them."""

from collections.abc import Iterator

from tools.evidence import Item
from tools.journal_text import ExportReading
from tools.request import Request
from tools.source import Source


class JournalExportReader:
    """Finds hits in the raw export and takes apart only the entries around them."""

    name = "journal-export"
    source = "journal"

    def score(self, head: bytes, hint: str) -> float:
        """Look for the fields that every entry has."""
        if b"\n__REALTIME_TIMESTAMP=" in b"\n" + head[:8192]:
            return 1.0
        return 0.95 if head.startswith(b"__CURSOR=") else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read entries with hits; a span per block."""
        with source.open() as stream:
            yield from ExportReading(source.evidence, request).items(stream)


READER = JournalExportReader()
