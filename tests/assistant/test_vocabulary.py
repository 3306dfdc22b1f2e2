"""Pages speak only words that something stands for."""

import pytest

from assistant.errors import VocabularyError
from assistant.vocabulary import check_vocabulary, find_faults
from tests.assistant.handbook import shipped
from tests.assistant.pages import HANDBOOK, catalog, line, page


def test_the_shipped_handbook_speaks_known_words() -> None:
    """Every kind, channel, scope and probe that a shipped page names exists."""
    assert list(find_faults(shipped())) == []


def test_unknown_words_are_named_with_their_page() -> None:
    """One error lists all of them."""
    check_vocabulary(HANDBOOK)
    odd = page(
        "odd",
        kind="toaster",
        signatures=[line("x", "x", {"bread": "{host}"}, peer={"butter": "{host}"})],
        checks=[
            {"id": "c", "command": ["df"], "sources": ["oracle"], "tells": {"en": "a", "zh": "b"}}
        ],
    )
    with pytest.raises(VocabularyError) as caught:
        check_vocabulary(catalog(odd))
    for word in ("toaster", "bread", "butter", "oracle"):
        assert (
            f"odd: no {'source or probe' if word == 'oracle' else 'entity kind'} is called {word!r}"
            in (caught.value.faults)
        )
