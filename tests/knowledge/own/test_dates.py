"""Dates as documents write them."""

from datetime import UTC, date, datetime

import pytest

from knowledge.own.dates import find_date, read_date

DAY = date(2025, 3, 4)


@pytest.mark.each_counts
@pytest.mark.parametrize(
    "value",
    [
        DAY, datetime(2025, 3, 4, 5, tzinfo=UTC), "2025-03-04", "2025/3/4", "2025年3月4日",
        "2025-03-04T10:00:00Z", "Mar 04, 2025", "March 4, 2025", "4 March 2025", "on 4. Mar. 2025",
    ],
)  # fmt: skip
def test_a_date_is_read_in_the_forms_that_people_use(value: object) -> None:
    """In both languages, alone or in a sentence."""
    assert read_date(value) == DAY


@pytest.mark.each_counts
@pytest.mark.parametrize("value", ["", "soon", "2025-13-45", "Foo 4, 2025", 20250304, None])
def test_what_is_no_date_is_none(value: object) -> None:
    """Nothing is guessed."""
    assert read_date(value) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# Title\n\nLast updated: 2025-03-04\n", DAY),
        ("标题\n更新日期：2025年3月4日\n", DAY),
        ("**Date:** 4 March 2025", DAY),
        ("The outage of 2025-03-04 was long.", None),
        ("x\n" * 2000 + "Date: 2025-03-04", None),
    ],
)
def test_a_text_states_its_date_near_its_top(text: str, found: date | None) -> None:
    """A date that a sentence mentions is not the document's."""
    assert find_date(text) == found
