"""Sentences of the core, filled in."""

import pytest

from assistant.sentences import say


@pytest.mark.parametrize(
    ("nodes", "told"),
    [(1, "n1; felt on 1 node"), (3, "n1; felt on 3 nodes"), (11, "n1; felt on 11 nodes")],
)
def test_a_noun_follows_its_number(nodes: int, told: str) -> None:
    """One node, several nodes; nobody reads "node(s)"."""
    assert say("where", entity="n1", nodes=nodes).en == told


def test_a_word_may_stand_between() -> None:
    """As in "3 affected nodes"."""
    told = say("where-inferred", entity="10.0.0.10", nodes=3).en
    assert "from 3 affected nodes that" in told
