"""What to do is said once."""

import pytest

from assistant.diagnosis.result import Instruction
from integrations.rendering.advice import name_hosts, tell_advice
from integrations.wording.words import Language, load_words
from knowledge.bilingual import Bilingual


def _say(en: str, zh: str, why: str) -> Instruction:
    return Instruction(text=Bilingual(en=en, zh=zh), why=Bilingual(en=why, zh=why))


CORDONS = (
    _say("Cordon the node and keep its kernel log.", "隔离节点，保留其内核日志。", "A."),
    _say("Pause the queue.", "暂停队列。", "C."),
    _say("Cordon the node; place no new work on it.", "隔离节点；不要放置新任务。", "B."),
)


@pytest.mark.parametrize(
    ("lang", "text", "why"),
    [
        ("en", "Cordon the node and keep its kernel log; place no new work on it.", "A. B."),
        ("zh", "隔离节点，保留其内核日志；不要放置新任务。", "A.B."),
    ],
)
def test_the_same_act_is_one_instruction(lang: Language, text: str, why: str) -> None:
    """Two pages that both cordon the node ask for one cordon, with all particulars."""
    told = tell_advice(load_words(lang), CORDONS)

    assert [(one.text, one.why) for one in told] == [
        (text, why),
        ("Pause the queue." if lang == "en" else "暂停队列。", "C."),
    ]


def test_different_acts_stay_apart() -> None:
    """However alike their beginnings."""
    acts = (
        _say("Do not reboot.", "不要重启。", "x"),
        _say("Do not reset GPUs.", "不要重置。", "y"),
    )

    assert len(tell_advice(load_words("en"), acts)) == 2


def test_what_is_one_act_is_told_of_all_its_hosts() -> None:
    """Two pages ask for the same of two hosts."""
    here = CORDONS[0].model_copy(update={"nodes": ("gpu-09",)})
    there = CORDONS[2].model_copy(update={"nodes": ("gpu-01",)})
    (told,) = tell_advice(load_words("en"), (here, there))

    assert told.nodes == ("gpu-01", "gpu-09")


def test_many_hosts_are_counted() -> None:
    """A few are named, the rest is a number."""
    words = load_words("en")

    assert name_hosts(("a", "b"), words) == "a, b"
    assert name_hosts(tuple("abcdef"), words) == "a, b, c, d, … and 2 more"
