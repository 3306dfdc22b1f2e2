"""What `date` prints tells a year, and a zone only where its name means one."""

from datetime import UTC, datetime, timedelta

import pytest

from tools.printed_dates import printed_date
from tools.request import Request

NOON = datetime(2025, 11, 13, 12, 0, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "latest"),
    [
        ("Thu Nov 13 12:00:05 UTC 2025", "UTC", NOON),
        ("Thu Nov 13 12:00:05 PM UTC 2025", "UTC", NOON),
        ("Thu 13 Nov 2025 09:00:05 PM JST", "+09:00", NOON),
        ("Thu Nov 13 12:00:05 +08 2025", "+08:00", NOON - timedelta(hours=8)),
        ("2025年 11月 13日 星期四 12:00:05 UTC", "UTC", NOON),
        ("2025年 11月 13日 木曜日 21:00:05 JST", "+09:00", NOON),
        ("2025年11月13日 星期四 12:00:05 CST", "", NOON + timedelta(hours=14)),
        ("Thu Nov 13 12:00:05 CST 2025", "", NOON + timedelta(hours=14)),
    ],
)
def test_a_date_is_read(text: str, zone: str, latest: datetime) -> None:
    """Of an ambiguous zone the latest moment counts."""
    assert printed_date(text, Request()) == (latest, zone)


@pytest.mark.parametrize(
    "text",
    ["Thu Nov 13 12:00:05 2025", "Thu Xyz 13 12:00:05 UTC 2025", "Thu Nov 31 12:00:05 UTC 2025"],
)
def test_what_is_no_date_is_none(text: str) -> None:
    """A stamp without a zone heads other outputs, and a day must be in its month."""
    assert printed_date(text, Request()) is None
