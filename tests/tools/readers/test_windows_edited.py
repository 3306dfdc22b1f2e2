"""What an editor on Windows has saved says the same: line ends, UTF-16, tabs turned to spaces."""

from collections.abc import Callable

import pytest

from tests.tools.readers.conftest import Read, Reads
from tests.tools.readers.samples import ALL

BINARY = {"export"}
"""The journal's export format counts bytes: no editor can save it."""
Edit = Callable[[str], bytes]
EDITS: dict[str, Edit] = {
    "line ends": lambda text: text.replace("\n", "\r\n").encode(),
    "UTF-16": lambda text: text.replace("\n", "\r\n").encode("utf-16"),
    "UTF-8 with mark": lambda text: text.replace("\n", "\r\n").encode("utf-8-sig"),
    "tabs": lambda text: text.expandtabs(4).encode(),
}


def said(reads: Reads) -> tuple[object, ...]:
    """Return what was understood, without where it stands and how it is spelt."""
    return (
        [(one.kind, one.line, dict(one.values)) for one in reads.readings],
        [(one.kind, one.name, one.line) for one in reads.states],
        [(one.channel, one.line, one.host, one.unit, one.time) for one in reads.records],
        [(one.query, dict(one.labels), len(one.samples)) for one in reads.series],
    )


@pytest.mark.parametrize("edit", sorted(EDITS))
@pytest.mark.parametrize("name", sorted(ALL.keys() - BINARY))
def test_an_edited_file_says_what_the_original_says(name: str, edit: str, read: Read) -> None:
    """Values, lines, hosts and times."""
    text = ALL[name].decode("utf-8", "replace")
    if "\t" in text and edit == "tabs" and text.lstrip().startswith("{"):
        pytest.skip("a tab inside a JSON string is data")
    now = "2025-11-01T00:00:00Z"
    original = said(read(text, now=now))
    assert said(read(EDITS[edit](text), now=now)) == original
