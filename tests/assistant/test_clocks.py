"""What evidence says of clocks, and what follows from it."""

import pytest

from assistant.clock_facts import SKEW_QUERY
from tests.assistant.items import (
    T0,
    at,
    kernel,
    line_up,
    look,
    only,
    reading,
    said,
    series,
    since_t0,
    unzoned,
)  # fmt: skip
from tools.evidence import UNKNOWN_BOOT_S, UNKNOWN_ZONE_S, Record

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
NOT_RESPONDING = "nfs: server 10.0.0.10 not responding, still trying"


def storage(seconds: float, evidence: str = "E9", server: str = "10.0.0.10") -> Record:
    return said(
        "device", None, f"failover of {server}", clock=f"file:{evidence}", evidence=evidence,
        time=unzoned(seconds),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("item", "add_s"),
    [
        (said("command", 0, "System time : 12.5 seconds fast of NTP time", host="n1"), -12.5),
        (said("command", 0, "System time : 12.5 seconds slow of NTP time", host="n1"), 12.5),
        (reading("chrony", "n1", offset_s=-12.5), 12.5),
        (reading("chrony", "n1", system_time="12.5 seconds slow of NTP time"), 12.5),
        (series(SKEW_QUERY, {"node": "n1"}, (0, -12.4), (60, -12.5), (120, -12.6)), 12.5),
        (series(SKEW_QUERY, {"instance": "n1:9100"}, (0, 12.5)), -12.5),
        (series("timex_offset", {"node": "n1"}, (0, 12.5)), 12.5),
        (said("service", 0, "System clock wrong by 12.5 seconds", host="n1", unit="chronyd",
              clock="host:n1"), 12.5),
    ],
)  # fmt: skip
def test_a_stated_offset_moves_the_clock(item: object, add_s: float) -> None:
    """However it is stated: chronyc, a typed reading, a scraper, the daemon."""
    timeline = line_up([kernel("n1", 10, XID), item])  # type: ignore[list-item]  # an object among records
    event = only(timeline, "xid-79-fell-off-bus")
    assert since_t0(event.start) == pytest.approx(10 + add_s)
    assert timeline.corrections[0].clock == "host:n1"


@pytest.mark.parametrize(
    "item",
    [
        said("app", 0, "System clock wrong by 99 seconds", host="n1", clock="host:n1"),
        said("command", 0, "System time : 0.000012 seconds slow of NTP time", host="n1"),
        reading("gpu", "n1", offset_s=99.0),
        series(SKEW_QUERY, {}, (0, 99.0)),
        said("service", 0, "System clock wrong by 0.001 seconds", host="n1", clock="host:n1"),
        said("service", 0, "System clock TAI offset set to 37 seconds", host="n1"),
    ],
)
def test_what_is_no_word_about_a_clock_moves_none(item: object) -> None:
    """An application's word, a negligible offset, a series of no host."""
    assert look([item]).clock_facts == ()  # type: ignore[list-item]  # an object among records


def test_a_step_counts_once_though_it_is_announced_first() -> None:
    """ "Wrong by" followed by "stepped by" is one correction, up to the step."""
    chrony = {"host": "n1", "unit": "chronyd", "clock": "host:n1", "evidence": "E1"}
    timeline = line_up(
        [
            kernel("n1", 100, XID, line=1),
            said("service", 110, "System clock wrong by -30.0 seconds", line=2, **chrony),  # type: ignore[arg-type]  # mixed keywords
            said("service", 80, "System clock was stepped by -30.0 seconds", line=3, **chrony),  # type: ignore[arg-type]  # mixed keywords
        ]
    )
    assert since_t0(only(timeline, "xid-79-fell-off-bus").start) == 70
    assert [c.kind for c in timeline.corrections] == ["step", "step"]


def test_siblings_tell_the_zone_where_the_time_of_the_fault_does_not() -> None:
    """A file that fits two whole hours is in the zone that all other unzoned files are in."""
    spread = [kernel(f"n{n}", 900 * n, NOT_RESPONDING) for n in range(9)]
    shared = [
        storage(8 * 3600 + 60, "E8", "10.0.0.99"),
        said("device", 61, "failover of 10.0.0.99", clock="device:b"),
    ]
    timeline = line_up([*spread, *shared, storage(8 * 3600 + 3600)])
    zones = {c.clock: c for c in timeline.corrections}
    assert zones["file:E9"].offset_s == zones["file:E8"].offset_s == -8 * 3600
    assert "all other files" in zones["file:E9"].why
    assert "UTC+08:00" in zones["file:E9"].why
    alone = line_up([*spread, storage(8 * 3600 + 3600)])
    assert alone.unresolved_zones == ("file:E9",)


def test_a_vote_that_is_tied_decides_nothing() -> None:
    """One happening seen twice by a sure clock, hours apart, fits two zones."""
    spread = [kernel(f"n{n}", 900 * n, NOT_RESPONDING) for n in range(9)]
    sure = [said("device", s, "failover of 10.0.0.10", clock="device:a") for s in (0, 7200)]
    assert line_up([*spread, *sure, storage(8 * 3600)]).unresolved_zones == ("file:E9",)


def test_the_original_stamp_is_kept() -> None:
    """A corrected instant still says what the line said."""
    tracking = said("command", 0, "System time : 90 seconds slow of NTP time", host="n1")
    event = only(line_up([tracking, kernel("n1", 0, XID)]), "xid-79-fell-off-bus")
    assert event.start.original == T0.isoformat()


def test_zoneless_stamps_of_one_clock_keep_their_distance() -> None:
    """Whatever its zone is, it moves both alike: their order and delay stay exact."""
    zoneless = [
        said("device", None, "failover of 10.0.0.10", clock="file:E9", evidence="E9",
             time=unzoned(0)),
        said("kernel", None, NOT_RESPONDING, clock="file:E9", evidence="E9", time=unzoned(200),
             host="n1"),
        said("kernel", None, XID, clock="file:E8", evidence="E8", time=unzoned(200), host="n1"),
    ]  # fmt: skip
    timeline = line_up(zoneless)
    cause = only(timeline, "storage-controller-failover")
    effect = only(timeline, "nfs-server-not-responding")
    other = only(timeline, "xid-79-fell-off-bus")
    assert cause.shared_s(effect) == UNKNOWN_ZONE_S
    assert cause.shared_s(other) == 0.0


def boot_clock(seconds: float, text: str) -> Record:
    """A line of a ring buffer whose boot time nothing tells."""
    time = at(seconds, uncertainty_s=UNKNOWN_BOOT_S, zone="unknown", original="[1.0]")
    return said("kernel", None, text, clock="file:E7", evidence="E7", time=time, host="n1")


def test_a_boot_clock_is_placed_by_what_another_clock_stamped() -> None:
    """By any amount, not by whole quarters of an hour; without such a pair it stays unknown."""
    known = line_up([boot_clock(70_000.5, XID), kernel("n1", 10, XID)])
    event = only(known, "xid-79-fell-off-bus")
    assert since_t0(event.start) == pytest.approx(10, abs=3)
    assert known.corrections[0].offset_s == pytest.approx(10 - 70_000.5)
    alone = line_up([boot_clock(70_000.5, XID)])
    assert alone.unresolved_zones == ("file:E7",)
    assert only(alone, "xid-79-fell-off-bus").start.uncertainty_s == UNKNOWN_BOOT_S
