"""Lines are full in both scripts, and nothing is lost at their ends."""

from itertools import pairwise

import pytest
from rich.cells import cell_len

from integrations.rendering.wrapping import find_breaks


def _lines(words: str, width: int) -> list[str]:
    places = [0, *find_breaks(words, width), len(words)]
    return [words[a:b] for a, b in pairwise(places)]


def test_english_breaks_at_spaces() -> None:
    """As everywhere."""
    assert _lines("the first fault, not the last", 10) == ["the first ", "fault, not ", "the last"]


def test_chinese_fills_the_line_it_begins_on() -> None:
    """It has no spaces: a break before it would leave half a line empty."""
    assert _lines("证据 不能锁定唯一原因", 12) == ["证据 不能锁", "定唯一原因"]


def test_a_mark_never_begins_a_line() -> None:
    """Nor does an opening bracket end one."""
    assert _lines("甲乙丙，丁", 6) == ["甲乙", "丙，丁"]
    assert _lines("甲乙（丙）", 6) == ["甲乙", "（丙）"]


@pytest.mark.parametrize("width", [1, 2, 5, 17, 80])
def test_no_line_is_wider_and_nothing_is_lost(width: int) -> None:
    """Whatever the mixture; a wide character alone may not fit."""
    words = "节点 gpu-05 上的 /a/very/long/path/without/any/space 与“挂载点”（nfs）无响应。 end "
    lines = _lines(words, width)

    assert "".join(lines) == words
    assert all(cell_len(line.rstrip()) <= max(width, 2) for line in lines)
