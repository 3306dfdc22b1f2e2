"""What was installed or upgraded, by apt's history.log; `dnf_log` reads dnf's and yum's."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tools.evidence import Instant, Item, Record, Span
from tools.late_patterns import compile_late
from tools.request import Request
from tools.source import Source
from tools.stamps import Dating
from tools.writers import writer_of

_APT = compile_late(r"^Start-Date: (\d{4}-\d\d-\d\d)  ?(\d\d:\d\d:\d\d)", re.MULTILINE)
_ACTION = compile_late(r"^(Install|Upgrade|Remove|Purge|Downgrade|Reinstall): (.*)$", re.MULTILINE)
_PACKAGE = compile_late(r"([^\s,()]+) \(([^)]*)\)")


class PackageHistoryReader:
    """Yields a record per transaction, whole, on channel service."""

    name = "package-history"
    source = "host"

    def score(self, head: bytes, hint: str) -> float:
        """Look for a transaction's first line."""
        apt = b"Start-Date: " in head and (b"\nCommandline: " in head or b"\nUpgrade: " in head)
        installed = b"Start-Date: " in head and b"\nInstall: " in head
        return 0.95 if apt or installed else 0.0

    def read(self, source: Source, request: Request) -> Iterator[Item]:
        """Read all transactions."""
        data = source.whole()
        text = data.decode("utf-8", "replace").replace("\r\n", "\n")
        host = writer_of(source.capture, source.name).host or source.capture.target
        dating = Dating(request, source.reference(request.now))
        times: list[Instant] = []
        for part in re.split(r"\n(?=Start-Date: )", text):
            record = _transaction(part, host, source.evidence, dating)
            if record is not None:
                line = text.count("\n", 0, text.find(part)) + 1
                times += [record.time] if record.time else []
                yield replace(record, line=line)
        first, last = (times[0], times[-1]) if times else (None, None)
        lines = data.count(b"\n")
        yield Span(source.evidence, 0, len(data), lines, first, last, host, "service", "apt")


def _transaction(part: str, host: str, evidence: str, dating: Dating) -> Record | None:
    match = _APT.search(part)
    if match is None:
        return None
    time = dating.iso(f"{match.group(1)} {match.group(2)}", host)
    actions = dict(_ACTION.findall(part))
    names = ",".join(name for text in actions.values() for name, _ in _PACKAGE.findall(text))
    fields = {"actions": ",".join(actions), "packages": names[:4000]}
    # A package manager stamps by its host's own wall clock, whichever zone that keeps.
    clock = f"host:{host}" if host and time is not None else f"file:{evidence}"
    return Record(evidence, "service", part.strip(), 0, time, clock, host, "apt", fields)


READER = PackageHistoryReader()
