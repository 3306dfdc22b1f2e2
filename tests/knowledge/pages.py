"""Pages written for tests, as files or as values."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import yaml

from knowledge.catalog import Catalog
from knowledge.page import Page

PLAIN: Mapping[str, object] = MappingProxyType(
    {
        "title": {"en": "A fault", "zh": "故障"},
        "summary": {"en": "Something broke.", "zh": "有东西坏了。"},
        "layer": "system",
        "plane": "storage",
        "role": "root",
        "entity": {"kind": "node"},
        "severity": "error",
        "priority": "P1",
        "checks": [
            {"id": "look", "command": ["uptime"], "tells": {"en": "Is it up?", "zh": "是否在线"}}
        ],
        "traps": [{"en": "Not what it seems.", "zh": "并非表面所见。"}],
        "sources": [{"text": "the kernel's source", "trust": "source-code"}],
    }
)

XID = {
    "id": "line",
    "source": "kernel",
    "literal": "NVRM: Xid (",
    "regex": r"NVRM: Xid \((?:PCI:)?(?P<bdf>[0-9a-f:]+)\): 79, pid=(?P<pid>\d+|'<unknown>')",
    "entity": {"gpu": "{host}/{bdf}"},
    "fields": {"pid": "text"},
    "examples": ["NVRM: Xid (PCI:0000:9b:00): 79, pid=1203, name=python, GPU has fallen off"],
    "not_examples": ["NVRM: Xid (PCI:0000:9b:00): 13, pid=1203, name=python, Graphics"],
}

NFS = {
    "id": "line",
    "source": "kernel",
    "literal": "not responding, still trying",
    "regex": r"nfs: server (?P<server>\S+) not responding, still trying",
    "peer": {"storage_server": "{server}"},
    "ends": {"literal": "nfs: server ", "regex": r"nfs: server (?P<server>\S+) OK"},
    "examples": ["nfs: server 10.0.0.10 not responding, still trying"],
}


def front(**changes: object) -> dict[str, object]:
    """The front matter of a sound page, with changes."""
    return {**PLAIN, **changes}


def page(page_id: str, **changes: object) -> Page:
    """A sound page as a value."""
    return Page.model_validate({**front(**changes), "id": page_id, "family": "test"})


def catalog(*pages: Page) -> Catalog:
    """A catalog of just these pages."""
    return Catalog({page.id: page for page in pages})


def write(folder: Path, page_id: str, **changes: object) -> Path:
    """Write a page file and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(front(**changes), allow_unicode=True)
    path = folder / f"{page_id}.md"
    path.write_text(f"---\n{text}---\n\nProse.\n", encoding="utf-8")
    return path
