import pytest

from knowledge.errors import PatternInvalidError
from knowledge.pattern import compile_pattern, encode


def test_only_groups_that_took_part_are_returned() -> None:
    """An optional group that matched nothing is absent, one that matched nothing-long is empty."""
    pattern = compile_pattern(r"(?P<a>x+)(?P<b>y)?(?P<c>z*)")
    assert pattern.search(b"--xx") == {"a": "xx", "c": ""}
    assert pattern.search(b"--") is None
    assert pattern.names == ("a", "b", "c")


def test_characters_beyond_ascii_survive() -> None:
    """Groups are cut at bytes and decoded again."""
    assert compile_pattern("卷(?P<name>.+)失败").search(encode("卷数据失败")) == {"name": "数据"}


def test_covers_means_the_whole_text() -> None:
    """A prefix is not enough."""
    pattern = compile_pattern("etcd")
    assert [pattern.covers(text) for text in (b"etcd", b"etcd-2", b"")] == [True, False, False]


@pytest.mark.parametrize("expression", ["(", "(?=x)", r"(a)\1"])
def test_what_re2_cannot_do_is_refused(expression: str, capfd: pytest.CaptureFixture[str]) -> None:
    """By our own error, quietly."""
    with pytest.raises(PatternInvalidError, match="cannot compile"):
        compile_pattern(expression)
    assert "re2" not in capfd.readouterr().err
