"""Whoever approves a page is told what it changes."""

import pytest

from knowledge.own.effect import Effect, find_effect
from tests.knowledge.own.test_floor import CAUTION, LOOK, REBOOT, RESET
from tests.knowledge.own.test_page_file import addition, own
from tests.knowledge.pages import NFS, XID, page

LINK = {"effect": "nfs", "scope": "node", "strength": "usually", "delay": {"max_s": 60}}
SHIPPED = page("xid", signatures=[XID], remedies=[RESET, REBOOT], do_not=[CAUTION], checks=[LOOK])
SAME = {"signatures": [XID], "remedies": [RESET, REBOOT], "do_not": [CAUTION], "checks": [LOOK]}


def said(effect: Effect, lang: str = "en") -> list[str]:
    """Write its changes down."""
    return [f"{each.sign} {each.part} {getattr(each.text, lang)}" for each in effect.changes]


def test_the_same_page_changes_nothing() -> None:
    """Prose may differ."""
    effect = find_effect(own("xid", **SAME, body="Other words.").content, SHIPPED)
    assert (effect.how, effect.target, effect.changes) == ("replaces", "xid", ())


LINE = f"~ signatures line (kernel): {XID['regex']}"


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"remedies": [RESET]}, "- remedies R3 reboot: Reboot · $ reboot"),
        (
            {"remedies": [{**RESET, "command": ["rm", "x"]}, REBOOT]},
            "~ remedies R2 reset: Reset the GPU · $ rm x",
        ),
        ({"checks": [LOOK, {**LOOK, "id": "x"}]}, "+ checks R1 x: t · $ fio"),
        ({"signatures": [{**XID, "examples": ["y"]}]}, LINE),
        ({"causes": [LINK]}, "+ causes nfs (node, usually)"),
        ({"priority": "P0"}, "~ priority P1 → P0"),
        ({"hides": ["kernel"]}, "~ hides - → kernel"),
        ({"codes": ["HOUSE-1"]}, "+ codes HOUSE-1"),
        ({"do_not": []}, "- do_not Do not pull it."),
    ],
)  # fmt: skip
def test_each_difference_is_told(changes: dict[str, object], expected: str) -> None:
    """What comes, goes or is otherwise; of steps the risk and the command too."""
    assert said(find_effect(own("xid", **{**SAME, **changes}).content, SHIPPED)) == [expected]


def test_all_of_a_new_page_is_told() -> None:
    """In the reader's language."""
    effect = find_effect(own("house", signatures=[NFS], remedies=[RESET]).content, None)
    lines = said(effect, "zh")

    assert effect.how == "new"
    assert "+ remedies R2 reset: 重置 GPU · $ nvidia-smi -r" in lines
    assert any(line.startswith("+ signatures line (kernel)") for line in lines)
    assert "+ severity error" in lines


def test_an_addition_tells_what_it_adds() -> None:
    """And to which page."""
    effect = find_effect(addition("ours", "xid", causes=[LINK]).content, SHIPPED)
    assert (effect.how, effect.target) == ("extends", "xid")
    assert said(effect) == ["+ causes nfs (node, usually)"]
