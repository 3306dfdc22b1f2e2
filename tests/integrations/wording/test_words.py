"""Both languages say the same things."""

import string

import pytest

from integrations.wording.words import load_words, tell_language
from knowledge.bilingual import Bilingual


def _holes(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_both_languages_have_the_same_keys_and_holes() -> None:
    """A sentence that one language lacks would fail in front of a reader."""
    en, zh = load_words("en").table, load_words("zh").table

    assert en.keys() == zh.keys()
    assert [key for key in en if _holes(en[key]) != _holes(zh[key])] == []


def test_an_unknown_key_is_an_error() -> None:
    """Nothing is ever said by its key."""
    with pytest.raises(KeyError):
        load_words("en")("no.such")


@pytest.mark.parametrize(
    ("tag", "lang"),
    [("zh_CN.UTF-8", "zh"), ("ZH", "zh"), ("en_US.UTF-8", "en"), ("C", "en"), ("", "en")],
)
def test_the_locale_tells_the_language(tag: str, lang: str) -> None:
    """Chinese of any region is Chinese; all else is English."""
    assert tell_language(tag) == lang


def test_a_sentence_is_said_in_its_language() -> None:
    """The page holds both."""
    both = Bilingual(en="a", zh="甲")

    assert (load_words("en").say(both), load_words("zh").say(both)) == ("a", "甲")
