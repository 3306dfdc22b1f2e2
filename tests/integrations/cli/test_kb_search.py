"""What a page shows of those who disagree, and what a search shows in which language."""

import pytest

from tests.integrations.cli.conftest import Run


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
