import pytest
from pydantic import ValidationError

from knowledge.rules.contents import check as check_contents
from knowledge.rules.disputes import check
from tests.knowledge.pages import page

_YES = {"en": "Yes.", "zh": "可以。"}
_NO = {"en": "No.", "zh": "不行。"}


def _dispute(*claims: tuple[dict[str, str], str]) -> list[dict[str, object]]:
    return [
        {
            "about": {"en": "May it?", "zh": "行不行？"},
            "claims": [
                {"text": text, "source": {"text": source, "trust": "vendor"}}
                for text, source in claims
            ],
        }
    ]


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        (((_YES, "a manual"), (_NO, "A  Manual ")), "2 claims have one source, 'a manual'"),
        (((_YES, "a manual"), (_NO, " ")), "a claim names no source"),
        (((_YES, "a manual"), (_YES, "a case")), "two claims say the same"),
    ],
)
def test_sides_that_are_no_two_sides_are_said(
    claims: tuple[tuple[dict[str, str], str], ...], said: str
) -> None:
    """One source cannot disagree with itself, nor two that say the same."""
    (problem,) = check(page("a", disputes=_dispute(*claims)))

    assert problem.rule == "dispute"
    assert said in problem.text


def test_two_sides_with_their_sources_pass() -> None:
    """As the shipped pages have them."""
    assert list(check(page("a", disputes=_dispute((_YES, "a manual"), (_NO, "a case"))))) == []


def test_one_claim_is_no_dispute() -> None:
    """The shape of the page asks for two."""
    with pytest.raises(ValidationError, match="at least 2 items"):
        page("a", disputes=_dispute((_YES, "a manual")))


def test_each_side_is_told_in_both_languages() -> None:
    """A claim that is only English is found, however deep it lies."""
    english = ({"en": "No.", "zh": "No."}, "a case")
    (problem,) = check_contents(page("a", disputes=_dispute((_YES, "a manual"), english)))

    assert problem.rule == "languages"
