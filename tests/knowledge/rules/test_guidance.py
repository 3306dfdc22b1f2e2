import pytest

from knowledge.rules.guidance import check
from tests.knowledge.pages import NFS, catalog, page

HABIT = {
    "text": {"en": "Give it a limit.", "zh": "设置时限。"},
    "why": {"en": "It would wait for ever.", "zh": "否则会永远等待。"},
}
CALM: dict[str, object] = {
    "role": "guidance",
    "severity": "info",
    "priority": "P3",
    "guides": ["b"],
    "practice": [HABIT],
}
LINK = {"effect": "b", "scope": "node", "strength": "often", "delay": {"max_s": 5}}
WHY = {"en": "Speaks against it.", "zh": "与之矛盾。"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"signatures": [NFS]}, "has signatures"),
        ({"causes": [LINK]}, "has causes"),
        ({"codes": ["Xid 79"]}, "has codes"),
        ({"stands_for": ["b"]}, "has stands_for"),
        ({"damage": 1}, "has damage"),
        ({"severity": "error"}, "has severity error"),
        ({"priority": "P1"}, "has priority P1"),
        ({"practice": []}, "no practice"),
        ({"guides": []}, "guides no condition"),
        ({"guides": ["b", "gone"]}, "guides gone, which no page is"),
        ({"guides": ["b", "other"]}, "guides other, which is guidance itself"),
    ],
)
def test_guidance_is_no_condition(changes: dict[str, object], words: str) -> None:
    """What only a condition has is refused, and so is guidance that leads nowhere."""
    shelf = catalog(page("a", **{**CALM, **changes}), page("b"), page("other", **CALM))
    (problem,) = check(shelf)
    assert problem.page == "a"
    assert words in problem.text


@pytest.mark.parametrize(
    "changes",
    [
        {"causes": [{**LINK, "effect": "a"}]},
        {"refuted_by": [{"condition": "a", "scope": "node", "why": WHY}]},
        {"distinguish": [{"other": "a", "check": "look", "means": WHY}]},
        {"collateral_of": ["a"]},
        {"stands_for": ["a"]},
        {"infer": {"over": "server", "effects": ["a"]}},
    ],
)
def test_no_condition_names_guidance_as_one(changes: dict[str, object]) -> None:
    """A habit is neither cause nor effect nor rival of anything."""
    (problem,) = check(catalog(page("a", **CALM), page("b", **changes)))
    assert problem.text == "names a as a condition, but that is guidance"


@pytest.mark.parametrize("field", [{"guides": ["b"]}, {"practice": [HABIT]}])
def test_a_condition_gives_no_guidance(field: dict[str, object]) -> None:
    """Its advice is for the incident: `contain` and `do_not`."""
    (problem,) = check(catalog(page("a", **field), page("b")))
    assert "only guidance has" in problem.text


def test_sound_guidance_passes() -> None:
    """Practice, a condition it helps, and nothing else."""
    assert list(check(catalog(page("a", **CALM), page("b")))) == []
