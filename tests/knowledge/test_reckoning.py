import pytest

from knowledge.matching import Matcher
from knowledge.reckoning import terms
from tests.knowledge.pages import catalog, page

GIB = 2.0**30
ASKED = {
    "id": "asked",
    "source": "app",
    "literal": "Tried to allocate",
    "regex": r"Tried to allocate (?P<request>[\d.]+ GiB) of (?P<total>[\d.]+ GiB)"
    r"(?:, (?P<free>[\d.]+ GiB) free)?",
    "entity": {"pod": "{namespace}/{pod}"},
    "fields": {"request": "bytes", "total": "bytes", "free": "bytes"},
    "reckons": {"used": "total - free"},
    "where": [{"field": "request", "op": ">", "value_of": "total"}],
    "examples": ["Tried to allocate 74 GiB of 44 GiB"],
}


def test_a_line_is_taken_only_where_its_own_numbers_allow_it() -> None:
    """The same words mean one thing above the capacity and another below."""
    matcher = Matcher(catalog(page("a", signatures=[ASKED])))

    assert matcher.match_text("app", "", "Tried to allocate 74 GiB of 44 GiB")
    assert not matcher.match_text("app", "", "Tried to allocate 4 GiB of 44 GiB")


def test_a_sum_of_fields_is_a_field_where_every_term_was_read() -> None:
    """What is in use follows from the total and what is free."""
    matcher = Matcher(catalog(page("a", signatures=[ASKED])))

    (whole,) = matcher.match_text("app", "", "Tried to allocate 74 GiB of 44 GiB, 30 GiB free")
    (part,) = matcher.match_text("app", "", "Tried to allocate 74 GiB of 44 GiB")

    assert whole.fields["used"] == 14 * GIB
    assert "used" not in part.fields


@pytest.mark.parametrize("text", ["", "total free", "total - 3", "total -"])
def test_what_is_no_sum_of_names_is_refused(text: str) -> None:
    """A page that cannot be reckoned is told at lint, not at an incident."""
    with pytest.raises(ValueError, match="no sum of fields"):
        list(terms(text))
