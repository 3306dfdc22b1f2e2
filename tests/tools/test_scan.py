"""Literals are found in blocks, and blocks make up the whole text."""

import io
import random

import pytest

from tools.scan import BLOCK, LiteralScanner, read_blocks, scanner_for


def test_finds_every_occurrence_with_its_end() -> None:
    """Index and end offset of each literal, overlapping ones included."""
    scanner = LiteralScanner([b"NVRM", b"NVRM: Xid", b"", b"not there"])
    assert scanner.find(b"a NVRM: Xid NVRM") == [(0, 6), (1, 11), (0, 16)]


def test_bytes_of_regular_expressions_are_literal() -> None:
    """A dot is a dot, a bracket is a bracket."""
    assert LiteralScanner([b"a.b", b"[12]"]).find(b"axb a.b [12]") == [(0, 7), (1, 12)]


def test_nothing_asked_finds_nothing() -> None:
    """An empty set of literals is no error."""
    assert LiteralScanner([]).find(b"text") == []
    assert scanner_for(("x",)).find(b"") == []


def test_same_literals_compile_once() -> None:
    """The scanner of a set of literals is shared."""
    assert scanner_for(("a", "b")) is scanner_for(("a", "b"))


PRINTED = bytes(32 + value % 88 for value in range(256))
"""Any byte as one that stands in a line."""


@pytest.mark.parametrize("seed", range(12))
def test_blocks_make_up_the_text(seed: int) -> None:
    """Fresh parts, one behind the other, are the text; each ends with a line where it can."""
    rng = random.Random(seed)  # noqa: S311  # repeatable, not secret
    lines = [rng.randbytes(rng.randrange(300)).translate(PRINTED) for _ in range(900)]
    text = b"\n".join(lines)
    offset = 0
    parts = []
    for block in read_blocks(io.BytesIO(text), size=rng.randrange(70_000, 200_000)):
        assert block.offset == offset
        fresh = block.data[block.start : block.stop]
        assert block.last or fresh.endswith(b"\n")
        parts.append(fresh)
        offset += len(fresh)
    assert b"".join(parts) == text


def test_a_line_without_end_is_cut() -> None:
    """Memory stays bounded by a few blocks, whatever the line's length."""
    text = b"x" * (3 * BLOCK + 17)
    blocks = list(read_blocks(io.BytesIO(text)))
    assert sum(block.stop - block.start for block in blocks) == len(text)
    assert max(len(block.data) for block in blocks) < 3 * BLOCK
