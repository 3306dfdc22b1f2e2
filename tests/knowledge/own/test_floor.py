"""A page of an organisation makes nothing look less dangerous than the shipped one does."""

import pytest

from knowledge.own.floor import find_lowered
from tests.knowledge.own.test_page_file import addition
from tests.knowledge.pages import XID, page

RESET = {
    "id": "reset", "title": {"en": "Reset the GPU", "zh": "重置 GPU"}, "stage": "recover",
    "risk": "R2", "command": ["nvidia-smi", "-r"], "reversible": False,
}  # fmt: skip
REBOOT = {**RESET, "id": "reboot", "title": {"en": "Reboot", "zh": "重启"}, "risk": "R3",
          "command": ["reboot"]}  # fmt: skip
CAUTION = {
    "text": {"en": "Do not pull it.", "zh": "不要拔。"}, "why": {"en": "w", "zh": "因"},
    "about": ["gpu"],
}  # fmt: skip
LOOK = {"id": "look", "command": ["fio"], "risk": "R1", "tells": {"en": "t", "zh": "看"}}
SHIPPED = page(
    "xid", signatures=[XID], remedies=[RESET, REBOOT], do_not=[CAUTION], checks=[LOOK], damage=1
)
OTHER = {"en": "Something else", "zh": "其他"}


def lowered(**changes: object) -> str:
    """Say what a page of the same id lowers, all in one."""
    same = {"remedies": [RESET, REBOOT], "do_not": [CAUTION], "checks": [LOOK], "damage": 1}
    return "; ".join(find_lowered(page("xid", **{**same, **changes}), SHIPPED))


def test_the_same_or_more_is_no_fault() -> None:
    """Higher risks, further steps and cautions."""
    more = {**CAUTION, "text": {"en": "Nor push it.", "zh": "也不要推。"}}
    new = {**RESET, "id": "new", "title": OTHER, "stage": "verify", "risk": "R0", "command": []}

    assert lowered() == ""
    assert lowered(remedies=[{**RESET, "risk": "R3"}, new], do_not=[CAUTION, more]) == ""
    assert lowered(role="mechanism", priority="P0", severity="critical") == ""


@pytest.mark.each_counts
@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"remedies": [{**RESET, "risk": "R1"}]}, "gives the same step R2"),
        (
            {"remedies": [{**RESET, "id": "x", "command": [], "risk": "R1"}]},
            "gives the same step R2",
        ),
        ({"remedies": [{**RESET, "id": "x", "title": OTHER, "risk": "R0"}]}, "the same step R2"),
        (
            {"remedies": [{**RESET, "id": "x", "title": OTHER, "command": [], "risk": "R2"}]},
            "stage recover go up to R3",
        ),
        ({"remedies": [{**RESET, "reversible": True}]}, "is called reversible"),
        ({"checks": [{**LOOK, "risk": "R0"}]}, "check look has risk R0"),
        ({"checks": [{**LOOK, "id": "peek", "risk": "R0"}]}, "check peek has risk R0"),
        ({"do_not": []}, "drops the caution 'Do not pull it.'"),
        ({"do_not": [{**CAUTION, "text": OTHER}]}, "drops the caution"),
        ({"do_not": [{**CAUTION, "about": ["gpu", "node"]}]}, "narrows the caution"),
        ({"role": "benign"}, "turns a fault"),
        ({"priority": "P3"}, "has priority P3; the shipped page has P1"),
        ({"severity": "info"}, "has severity info; the shipped page has error"),
        ({"damage": 0}, "has damage 0; the shipped page has 1"),
        ({"signatures": [{**XID, "severity": "info"}]}, "signature line has severity info"),
        ({"role": "guidance"}, "turns a fault"),
        (
            {"benign_when": [{"when": [{"field": "count", "op": "<", "value": 9}], "why": OTHER}]},
            "benign_when",
        ),
    ],
)
def test_what_lowers_a_risk_is_said(changes: dict[str, object], why: str) -> None:
    """Also under another name, another command or in another language."""
    assert why in lowered(**changes)


def test_a_caution_may_be_said_better_in_one_language() -> None:
    """The other one shows that it is the same."""
    assert lowered(do_not=[{**CAUTION, "text": {"en": "Never pull it!", "zh": "不要拔。"}}]) == ""


def test_an_extension_cannot_offer_a_gentler_way() -> None:
    """What it adds stands beside the shipped steps."""
    step = {**RESET, "id": "soft", "title": OTHER, "risk": "R1", "command": []}
    added = addition("ours", "xid", remedies=[step])

    assert "go up to R3" in "; ".join(find_lowered(added.content, SHIPPED))
    assert not list(find_lowered(addition("ours", "xid").content, SHIPPED))
