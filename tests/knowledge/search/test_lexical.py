from pathlib import Path

import numpy as np
import pytest

from knowledge.search.glossary import Glossary
from knowledge.search.lexical import LexicalIndex

TEXTS = ["the mount of the share hangs", "graphics card lost", "显卡丢失", ""]
KNOWN = Glossary.of([["graphics card", "显卡"]])


def test_words_count_by_how_rare_they_are() -> None:
    """The text with the query's rarest word is first; nothing shared is nothing."""
    index = LexicalIndex.build(TEXTS, KNOWN)

    assert int(index.score("mount hangs").argmax()) == 0
    assert not index.score("zebra").any()
    assert index.rarity("zebra") > index.rarity("mount")
    assert (index.knows("mount"), index.knows("zebra")) == (True, False)


def test_the_other_language_counts_half() -> None:
    """A translated word finds the text that has it, with half the weight."""
    index = LexicalIndex.build(TEXTS, KNOWN)

    assert index.score("显卡")[1] == pytest.approx(index.score("graphics card")[1] / 2)
    assert index.score("显卡")[2] > 0


def test_what_was_saved_scores_alike(tmp_path: Path) -> None:
    """Opened from its folder it is the same index."""
    built = LexicalIndex.build(TEXTS, KNOWN)
    built.save(tmp_path)

    assert np.allclose(
        LexicalIndex.open(tmp_path, KNOWN).score("card 显卡"), built.score("card 显卡")
    )
