"""A series that was seen is read the short way, with the same result."""

import pytest

from tools.readers.openmetrics import split_known, split_sample

LABELLED = 'up{instance="a:9100",path="/x} 3"}'
TAILS = (
    " 1",
    " 1.5 1750384800",
    "\t-2e-3\t1750384800.25",
    " +Inf",
    " NaN 1750384800",
    " 1_000",
    " nan",
    " 1 1750384800000",
    ' 1 # {trace_id="x"} 2',
    " 1 2 3",
    " ",
    "",
    " .5",
    " 1750384800 x",
    " 0x10",
)


@pytest.mark.parametrize("name", [LABELLED, "up"])
@pytest.mark.parametrize("tail", TAILS)
def test_a_series_that_was_seen_is_split_alike(name: str, tail: str) -> None:
    """The short way gives what the whole way gives, or leaves it to that."""
    line = name + tail
    quick = split_known(line, {LABELLED, "up"}, 7.0)
    assert quick in {None, split_sample(line, 7.0)}
    assert split_known(line, set(), 7.0) is None


def test_most_lines_take_the_short_way() -> None:
    """Plain numbers with or without a time."""
    assert split_known("up 1 1750384800", {"up"}, 7.0) == ("up", 1750384800.0, 1.0)
    assert split_known(f"{LABELLED} 1.5", {LABELLED}, 7.0) == (LABELLED, 7.0, 1.5)
