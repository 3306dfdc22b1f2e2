"""What a page shows of those who disagree, and what a search shows in which language."""

import pytest

from tests.integrations.cli.conftest import Run, load


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ("The sources disagree", "[vendor] NVIDIA Xid catalog", "An application error")),
        ("zh", ("各方说法不一", "[厂商] NVIDIA Xid catalog", "属于应用错误")),
    ],
)
def test_a_disputed_page_shows_each_side_with_its_source(
    run: Run, lang: str, said: tuple[str, ...]
) -> None:
    """Question, claims with source and trust, and what to do meanwhile."""
    out = run("kb", "show", "Xid 109", "--lang", lang)[1]

    assert [part for part in said if part not in out] == []
    assert "→" in out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_text_is_shown_in_the_language_asked_for(run: Run, language: str) -> None:
    """Independent of the question's language and of that of the table."""
    out = run("kb", "search", "共享目录卡住不动", "--language", language, "-k", "3", "-o", "json")[
        1
    ]

    assert [hit["lang"] for hit in load(out)["items"]] == [language] * 3  # type: ignore[attr-defined]  # a list


def test_a_language_that_there_is_not_is_told(run: Run) -> None:
    """It would silently find nothing."""
    code, _, err = run("kb", "search", "Xid 79", "--language", "fr")

    assert (code, "There is no language 'fr'" in err, "en, zh" in err) == (2, True, True)


def test_a_search_marks_a_page_whose_sources_disagree(run: Run) -> None:
    """And the dispute itself can be found."""
    out, err = run("kb", "search", "is 85 °C too hot for a GPU?", "-k", "1", "-o", "json")[1:]

    (hit,) = load(out)["items"]  # type: ignore[misc]  # a list
    assert (hit["id"], hit["disputed"], err) == ("gpu-thermal-slowdown", True, "")
