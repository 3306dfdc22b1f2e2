"""The management controller's log has a time on each row, in whichever form."""

from tests.tools.readers import operator_samples as samples
from tests.tools.readers.conftest import Read

ASSERTED = ("Asserted",)


def test_rows_are_dated_and_of_the_controller(read: Read) -> None:
    """Without a zone the time is known to be uncertain."""
    records = read(samples.SEL, literals=ASSERTED).records

    assert [(one.channel, one.unit, one.line) for one in records] == [
        ("device", "bmc", 1), ("device", "bmc", 2), ("device", "bmc", 3),
    ]  # fmt: skip
    first = records[0].time
    assert first is not None
    assert (first.utc.isoformat(), first.zone) == ("2024-05-11T07:41:02+00:00", "unknown")
    assert records[0].text == samples.SEL.split("\n")[0]


def test_newer_rows_state_zones_two_digits_and_halves_of_the_day(read: Read) -> None:
    """What was noted before the clock was set has no time."""
    records = read(samples.SEL_ELIST, literals=("|",)).records

    assert [one.time.utc.isoformat() if one.time else "" for one in records] == [
        "2023-06-14T10:01:17+00:00", "2022-12-14T22:09:44+00:00", "2025-02-25T21:50:09+00:00",
        "", "2008-04-10T14:50:13+00:00",
    ]  # fmt: skip
