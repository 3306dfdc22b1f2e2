import pytest

from knowledge.search.exact import ExactFinder
from tests.assistant.handbook import shipped

HANDBOOK = ExactFinder(shipped())


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("GST-2001", "gst-2001"),
        ("Xid:79", "xid-79-fell-off-bus"),
        ("退出码 139", "process-segfault"),
        ("exit code 139", "process-segfault"),
        ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "xid-64-row-remap-failure"),
        ("FailedAttachVolume", "volume-multi-attach"),
    ],
)
def test_codes_are_found_in_the_spellings_that_people_use(query: str, page: str) -> None:
    """With sign or blank, in Chinese words, as a metric's or an event's name."""
    assert page in HANDBOOK.find_codes(query)


def test_a_code_that_is_only_mentioned_weighs_less() -> None:
    """A question with many other words is about them."""
    asked = HANDBOOK.find_codes("Xid 79")["xid-79-fell-off-bus"]
    long = "one DIMM counts corrected errors every day since the upgrade, is Xid 79 of it"

    assert HANDBOOK.find_codes(long)["xid-79-fell-off-bus"] < asked == 1


@pytest.mark.parametrize(
    ("query", "unknown"),
    [("Xid 999", "Xid 999"), ("GST-9999 是什么", "GST-9999"), ("Xid 79", ""), ("ten nodes", "")],
)
def test_a_code_that_no_page_has_is_named(query: str, unknown: str) -> None:
    """So that nobody takes the nearest page for it."""
    assert HANDBOOK.find_unknown_code(query) == unknown
    assert HANDBOOK.asks_for_code(query) == bool(unknown) or not unknown


def test_a_line_is_known_whoever_printed_it() -> None:
    """Without unit or channel; the root comes before the effect that the same line shows."""
    line = "kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."
    both = HANDBOOK.find_lines(
        'Failed to pull image "r.example/train:1": rpc error: code = NotFound desc = failed to'
        ' pull and unpack image "r.example/train:1": r.example/train:1: not found, reason: Failed'
    )

    assert "xid-79-fell-off-bus" in HANDBOOK.find_lines(line)
    assert both["image-not-found"] == 1 > both["image-pull-failed"]
    assert HANDBOOK.find_lines("nothing of the kind") == {}
