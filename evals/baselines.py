"""What anyone could do without a diagnosis: the bar that must be cleared.

Neither knows time, topology or causes. They answer in the same shape and are scored alike.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from evals.answer import Answer, NamedRoot
from knowledge.catalog import Catalog
from knowledge.page import TextSignature
from tools.scan import LiteralScanner

XID = re.compile(rb"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:]+)[^)]*\): (\d+),")
ALARMING = re.compile(rb"(?i)error|fail|timeout|not responding|killed|fatal|evict")


@dataclass(frozen=True)
class Corpus:
    """All bytes of a bundle, file by file."""

    folder: Path

    def texts(self) -> list[bytes]:
        """Return every file but the manifest and the report."""
        skip = {"manifest.jsonl", "incident.yaml"}
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return [path.read_bytes() for path in files if path.name not in skip]


def name_loudest(folder: Path, catalog: Catalog) -> Answer:
    """Name the condition whose literal stands in most alarming lines."""
    pages = [
        (signature.literal.encode(), page.id)
        for page in catalog.pages.values()
        for signature in page.signatures
        if isinstance(signature, TextSignature) and signature.literal and page.role != "benign"
    ]
    scanner = LiteralScanner([literal for literal, _ in pages])
    counts: Counter[str] = Counter()
    for text in Corpus(folder).texts():
        counts.update(pages[index][1] for index, _ in scanner.find(text))
    alarming = any(ALARMING.search(text) for text in Corpus(folder).texts())
    if not alarming or not counts:
        return Answer("healthy", "LIKELY")
    return _named(counts.most_common(1)[0][0], "", catalog)


def look_up_xid(folder: Path, catalog: Catalog) -> Answer:
    """Name the page of the Xid that is seen most; no Xid, no fault."""
    seen: Counter[tuple[str, str]] = Counter()
    for text in Corpus(folder).texts():
        seen.update((m[1].decode(), m[2].decode()) for m in XID.finditer(text))
    for (address, code), _ in seen.most_common():
        page = next((p.id for p in catalog.pages.values() if f"Xid {code}" in p.codes), "")
        if page:
            return _named(page, address, catalog)
    return Answer("healthy", "LIKELY")


def _named(page_id: str, entity: str, catalog: Catalog) -> Answer:
    page = catalog.pages[page_id]
    root = NamedRoot(
        page=page.id,
        kind=page.entity.kind,
        ids=frozenset({entity}),
        layer=page.layer,
        plane=page.plane,
        observed=True,
        confidence="LIKELY",
    )
    return Answer("fault", "LIKELY", roots=(root,))


BASELINES = {"loudest-alarm": name_loudest, "xid-lookup": look_up_xid}
