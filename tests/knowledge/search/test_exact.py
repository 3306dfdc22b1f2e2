import pytest

from knowledge.search.exact import DEAF, ExactFinder
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


@pytest.mark.parametrize(
    ("line", "page"),
    [
        ("    HW Thermal Slowdown        : Active", "gpu-thermal-slowdown"),
        (
            "kernel: NETDEV WATCHDOG: eth0 (mlx5_core): transmit queue 3 timed out",
            "nic-transmit-timeout",
        ),
    ],
)
def test_a_name_of_several_words_is_found_where_they_follow_each_other(
    line: str, page: str
) -> None:
    """As messages are made of them; a number need not be among them."""
    assert HANDBOOK.find_codes(line)[page] > 0.5


@pytest.mark.parametrize("form", ["{}", "{} 怎么处理", "what does {} mean"])
def test_every_name_finds_its_page(form: str) -> None:
    """Alone and in a short question, unless so many pages have it that it points to none."""
    names = {
        name: page.id
        for page in shipped().pages.values()
        if page.role not in DEAF
        for name in page.phrases.names[:2]
        if HANDBOOK.find_codes(name)
    }

    assert len(names) > 500
    assert {n: p for n, p in names.items() if p not in HANDBOOK.find_codes(form.format(n))} == {}


def test_a_saying_spelt_as_one_identifier_is_found() -> None:
    """As constants are."""
    assert HANDBOOK.find_codes("HW_Thermal_Slowdown")["gpu-thermal-slowdown"] == 1
    assert "xid-109" in HANDBOOK.find_codes("CTX_SWITCH_TIMEOUT")


def test_the_words_of_a_saying_apart_are_no_name() -> None:
    """Nor joined into one."""
    assert "gpu-thermal-slowdown" not in HANDBOOK.find_codes("HW is in thermal slowdown")
    common = ExactFinder(shipped(), spread=lambda word: 30 if word == "stated" else 0)
    assert common.find_codes("the stated reason") == {}


def test_an_everyday_word_is_no_name_although_a_state_is_called_so() -> None:
    """Alone it is asked for, and in capitals it is spelt as a name."""
    common = ExactFinder(shipped(), spread=lambda word: 30 if word.lower() == "timeout" else 0)

    assert "slurm-time-limit" in HANDBOOK.find_codes("upstream request timeout")
    assert "slurm-time-limit" not in common.find_codes("upstream request timeout.")
    assert "slurm-time-limit" in common.find_codes("timeout 是什么")
    assert "slurm-time-limit" in common.find_codes("the job ended in TIMEOUT")


def test_a_capital_makes_a_name_of_an_everyday_word_in_a_short_question() -> None:
    """Reasons of events are words; in a long line the word may begin a sentence."""
    common = ExactFinder(shipped(), spread=lambda word: 30 if word == "Unhealthy" else 0)
    line = "Unhealthy food in the canteen again, nobody orders anything else but fried rice here"

    assert "liveness-probe-failed" in common.find_codes("what does Unhealthy mean")
    assert "liveness-probe-failed" not in common.find_codes(line)


def test_an_effects_saying_weighs_less_than_a_causes_line() -> None:
    """The same line often holds both."""
    line = 'Failed to pull image "r.example/train:1"'

    assert HANDBOOK.find_codes(line)["image-pull-failed"] < 0.5


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
