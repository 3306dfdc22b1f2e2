import pytest

from knowledge.search.tokens import stem, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("mounts failed", ["mount", "fail"]),
        ("FailedAttachVolume", ["failedattachvolume", "fail", "attach", "volum"]),
        ("Xid:79", ["xid79", "xid", "79"]),
        ("显卡掉了", ["显卡", "卡掉", "掉了"]),
        ("盘", ["盘"]),
        ("the of and", []),
        ("x" * 200, ["x" * 200]),
    ],
)
def test_a_text_gives_words_wholes_parts_and_pairs(text: str, tokens: list[str]) -> None:
    """Stop words say nothing; a compound is itself and its parts; Chinese comes in pairs."""
    assert tokens_of(text) == tokens


def test_a_short_word_keeps_its_ending() -> None:
    """What would leave less than four letters is no ending."""
    assert (stem("gas"), stem("bus"), stem("disks"), stem("cache")) == (
        "gas",
        "bus",
        "disk",
        "cach",
    )
