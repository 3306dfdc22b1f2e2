"""What templates may use beside a line's own words."""

import pytest

from assistant.naming import values_of
from tools.evidence import Record


@pytest.mark.parametrize(
    ("host", "fields", "place"),
    [
        ("n1", {"pod": "ml/t-0"}, "n1"),
        ("", {"pod": "ml/t-0"}, "ml/t-0"),
        ("", {"pod": "t-0", "namespace": "ml"}, "ml/t-0"),
    ],
)
def test_a_place_is_the_host_or_else_the_pod(host: str, fields: dict[str, str], place: str) -> None:
    """However a carrier spells the pod, a pid in its log has somewhere to be."""
    record = Record("E1", "app", "words", 1, None, "", host, "", fields)
    assert values_of(record)["place"] == place


def test_a_line_of_nobody_has_no_place() -> None:
    """A template that needs one is then left out."""
    assert "place" not in values_of(Record("E1", "app", "words", 1, None, "", "", "", {}))
