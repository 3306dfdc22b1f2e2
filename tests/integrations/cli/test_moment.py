"""Times are read in every form that people type, and nothing else."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from integrations.cli.fault import UsageFault
from integrations.cli.moment import is_exact, read_moment, read_zone

NOW = datetime(2025, 6, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2025-06-20T10:20:00+08:00", datetime(2025, 6, 20, 2, 20, tzinfo=UTC)),
        ("2025-06-20T02:20:00Z", datetime(2025, 6, 20, 2, 20, tzinfo=UTC)),
        ("2025-06-20 10:20", datetime(2025, 6, 20, 2, 20, tzinfo=UTC)),
        ("@1750386000", datetime(2025, 6, 20, 2, 20, tzinfo=UTC)),
        ("2h", NOW - timedelta(hours=2)),
        ("-90 min ago", NOW - timedelta(minutes=90)),
        ("1.5d", NOW - timedelta(hours=36)),
        ("now", NOW),
    ],
)
def test_forms(text: str, moment: datetime) -> None:
    """A time without zone is read in the zone that was given."""
    assert read_moment(text, timezone(timedelta(hours=8)), NOW) == moment


@pytest.mark.parametrize(
    "text", ["", "soon", "25:00", "@", "@1e99", "2y", "2025-13-01", "\N{FULLWIDTH DIGIT NINE}h"]
)
def test_anything_else_is_a_usage_error(text: str) -> None:
    """The message repeats it and shows the forms."""
    with pytest.raises(UsageFault) as caught:
        read_moment(text, UTC, NOW)

    assert repr(text) in caught.value.message
    assert "@1750386000" in caught.value.hint


def test_exact_times_need_no_echo() -> None:
    """Only what names its zone stands by itself."""
    assert is_exact("@1750386000")
    assert is_exact("2025-06-20T02:20:00Z")
    assert not is_exact("2025-06-20 02:20")
    assert not is_exact("2h")


@pytest.mark.parametrize("name", ["+08:00", "+0800", "Asia/Shanghai"])
def test_zones(name: str) -> None:
    """Offsets and IANA names mean the same."""
    assert read_zone(name).utcoffset(NOW) == timedelta(hours=8)


@pytest.mark.parametrize("name", ["+99:00", "Nowhere", "../etc/passwd", "8"])
def test_no_zone(name: str) -> None:
    """Exit 2, not a guess."""
    with pytest.raises(UsageFault, match="is not a time zone"):
        read_zone(name)
