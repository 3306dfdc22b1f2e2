"""Untrusted text cannot steer a terminal, hide, or become Markdown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.rendering.escaping import (
    code_span,
    escape_markdown,
    fence,
    flatten,
    make_visible,
)
from tests.integrations.hostile import LINES
from tests.integrations.markup import parse

_ALLOWED = {"\n", "\t"}
_ANY_TEXT = st.lists(st.integers(0, 0xFF) | st.integers(0, 0x10FFFF)).map(
    lambda points: "".join(map(chr, points))
)
"""Lone surrogates too, as undecodable bytes become; needs no table of Unicode's categories."""


@given(_ANY_TEXT)
def test_no_control_character_survives(text: str) -> None:
    """Whatever comes in, what goes out prints."""
    shown = make_visible(text)

    assert all(letter in _ALLOWED or ord(letter) >= 0x20 for letter in shown)
    assert not any(0x7F <= ord(letter) <= 0x9F for letter in shown)
    shown.encode()


def test_escapes_are_named_not_dropped() -> None:
    """The reader sees that something was there."""
    assert make_visible("\x1b[31m\u202e\udc80") == r"\x1b[31m\u202e\udc80"


def test_ordinary_text_is_left_alone() -> None:
    """Chinese, symbols and tabs are not escapes."""
    assert make_visible("节点 a\tb → ✓ é") == "节点 a\tb → ✓ é"
    assert flatten("a\nb\t c") == "a b c"


@given(st.text(alphabet=st.sampled_from("ab*_`[]()<>#!|~$&@:/.-+=\\ 1")))
def test_escaped_markdown_reads_as_the_words_themselves(text: str) -> None:
    """A Markdown parser finds nothing but text in it."""
    tokens = parse(f"x {escape_markdown(text)}")

    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "softbreak", "text_special"}


@pytest.mark.parametrize("line", LINES)
def test_a_line_in_a_code_span_stays_code(line: str) -> None:
    """No run of backticks inside closes the span."""
    tokens = parse(f"x {code_span(line)} y")

    inline = [child.type for token in tokens for child in token.children or ()]
    assert inline == ["text", "code_inline", "text"]


@pytest.mark.parametrize("line", LINES)
def test_a_line_in_a_fence_stays_in_it(line: str) -> None:
    """No fence inside closes it."""
    tokens = parse(fence(f"before\n{line}\nafter"))

    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content.startswith("before\n")
    assert tokens[0].content.endswith("after\n")


@pytest.mark.parametrize(
    "text", ["- item", "1. item", "1) item", "+ item", "= title", "# title", "> q"]
)
def test_nothing_starts_a_block(text: str) -> None:
    """A line of a log cannot open a list, a heading or a quotation."""
    tokens = parse(escape_markdown(text))

    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    assert tokens[1].children is not None
    assert "".join(child.content for child in tokens[1].children) == text
