"""A busy log's last line tells its zone, because files are captured after they are written."""

from datetime import timedelta

import pytest

from assistant.capture_zones import align_spans, capture_times, zones_by_capture
from assistant.ledger import Spanned
from tests.assistant.items import T0, kernel, line_up, since_t0, unzoned
from tools.evidence import Evidence, Record, Span

CAPTURE = Evidence(id="E1", source="journal", command="x", observed_at=T0 + timedelta(hours=1))


def spanned(first: float, last: float, lines: int = 1000) -> Spanned:
    return Spanned("E1", "n1", "kernel", "", unzoned(first), unzoned(last), lines)


@pytest.mark.parametrize(
    ("first", "last", "lines", "zone"),
    [
        (8 * 3600, 9 * 3600 - 60, 1000, -8 * 3600),
        (0, 3600 - 60, 1000, 0),
        (0, 3600 - 60 + 19800, 1000, -19800),
        (8 * 3600, 9 * 3600 - 700, 1000, None),
        (8 * 3600, 9 * 3600 - 450, 1000, None),
        (8 * 3600, 9 * 3600 - 60, 10, None),
        (0, 9 * 3600 - 1800, 300, None),
        (0, 3600 - 960, 1000, None),
        (0, 3600 - 60 + 20700, 1000, -20700),
    ],
)
def test_the_zone_is_what_lies_between_the_last_line_and_the_capture(
    first: float, last: float, lines: int, zone: float | None
) -> None:
    """Whole quarters of an hour for a busy log; nothing for a quiet one or a doubtful rest."""
    assert (
        zones_by_capture([spanned(first, last, lines)], capture_times([CAPTURE])).get("E1") == zone
    )


def test_events_and_coverage_of_such_a_log_move_together() -> None:
    """The burst and the stretch that was read end up in the same hour."""
    xid = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
    line = kernel("n1", 0, xid)
    local = Record(line.evidence, "kernel", xid, 7, unzoned(8 * 3600 + 600), "host:n1", "n1")
    span = Span("E1", 0, 9, 1000, unzoned(8 * 3600), unzoned(9 * 3600 - 5), "n1", "kernel")
    timeline = line_up([local, span, CAPTURE])
    (event,) = timeline.events
    assert (since_t0(event.start), event.start.zone) == (600, "assumed")
    (moved,) = align_spans([spanned(8 * 3600, 9 * 3600 - 5)], timeline.corrections)
    assert moved.first is not None
    assert (since_t0(moved.first), moved.first.zone) == (0, "assumed")


def test_a_log_without_events_is_placed_for_coverage_too() -> None:
    """What was read and silent must be known to cover the fault's hour."""
    span = Span("E1", 0, 9, 1000, unzoned(8 * 3600), unzoned(9 * 3600 - 5), "n1", "kernel")
    (correction,) = line_up([span, CAPTURE]).corrections
    assert (correction.offset_s, correction.evidence) == (-8 * 3600, ("E1",))
