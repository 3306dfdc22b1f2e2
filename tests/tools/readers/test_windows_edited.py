"""What an editor on Windows has saved says the same: line ends, UTF-16, tabs turned to spaces."""

from collections.abc import Callable
from functools import cache

import pytest

from tests.tools.readers.conftest import Read, Reads, read_paths
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


NOW = "2025-11-01T00:00:00Z"
Said = tuple[object, ...]


def text_of(name: str) -> str:
    return ALL[name].decode("utf-8", "replace")


def said(reads: Reads) -> Said:
    """Return what was understood, without where it stands and how it is spelt."""
    return (
        [(one.kind, one.line, dict(one.values)) for one in reads.readings],
        [(one.kind, one.name, one.line) for one in reads.states],
        [(one.channel, one.line, one.host, one.unit, one.time) for one in reads.records],
        [(one.query, dict(one.labels), len(one.samples)) for one in reads.series],
    )


@pytest.fixture(scope="module", name="original")
def _original(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Said]:
    """Tell what an original says; each is read once for all its edits."""

    @cache
    def read_original(name: str) -> Said:
        path = tmp_path_factory.mktemp("original") / "evidence"
        path.write_text(text_of(name), "utf-8")
        return said(read_paths(path, now=NOW))

    return read_original


@pytest.mark.parametrize("edit", sorted(EDITS))
@pytest.mark.parametrize("name", sorted(ALL.keys() - BINARY))
def test_an_edited_file_says_what_the_original_says(
    name: str, edit: str, read: Read, original: Callable[[str], Said]
) -> None:
    """Values, lines, hosts and times."""
    text = text_of(name)
    if "\t" in text and edit == "tabs" and text.lstrip().startswith("{"):
        pytest.skip("a tab inside a JSON string is data")
    assert said(read(EDITS[edit](text), now=NOW)) == original(name)
