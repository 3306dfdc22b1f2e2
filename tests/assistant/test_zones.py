"""A zone that the operator states counts, unless evidence says that it cannot be."""

from datetime import timedelta

import pytest

from assistant.event import Timeline
from tests.assistant.items import (
    T0,
    at,
    kernel,
    line_up,
    only,
    reading,
    said,
    since_t0,
    unzoned,
)
from tools.evidence import Evidence, Instant, Item, Record

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
FAILOVER = "failover of 10.0.0.10"
NOT_RESPONDING = "nfs: server 10.0.0.10 not responding, still trying"
EIGHT_HOURS = 8 * 3600


def claimed(seconds: float) -> Instant:
    """A wall time read in the zone that the operator stated."""
    return at(seconds, uncertainty_s=1.0, zone="assumed")


def device(seconds: float) -> Record:
    return said(
        "device", None, FAILOVER, clock="file:E9", evidence="E9", time=claimed(seconds)
    )  # fmt: skip


def denied(timeline: Timeline) -> dict[str, float]:
    return {c.clock: c.offset_s for c in timeline.corrections if c.kind == "zone"}


def test_a_stated_zone_is_no_conclusion() -> None:
    """Nothing speaks against it: the stamp counts as if it named its zone."""
    timeline = line_up([device(0), kernel("n1", 30, NOT_RESPONDING)])
    event = only(timeline, "storage-controller-failover")
    assert (event.start.zone, event.start.uncertainty_s, since_t0(event.start)) == ("stated", 1, 0)
    assert denied(timeline) == {}


def test_happenings_that_another_clock_stamped_deny_a_stated_zone() -> None:
    """The file keeps the zone that evidence shows, and the correction says why."""
    local = said(
        "kernel", None, XID, clock="file:E8", evidence="E8", host="n1",
        time=claimed(EIGHT_HOURS + 10),
    )  # fmt: skip
    timeline = line_up([local, kernel("n1", 10, XID)])
    event = only(timeline, "xid-79-fell-off-bus")
    assert since_t0(event.start) == 10
    assert denied(timeline) == {"file:E8": -EIGHT_HOURS}
    assert "the zone stated for it fails" in timeline.corrections[0].why


@pytest.mark.parametrize(
    ("captured_after", "expected"), [(3600, {"file:E9": -EIGHT_HOURS}), (86400, {})]
)
def test_a_line_younger_than_its_capture_denies_a_stated_zone(
    captured_after: float, expected: dict[str, float]
) -> None:
    """Where things broke elsewhere says which zone it is; by itself that denies nothing."""
    moment = T0 + timedelta(seconds=captured_after)
    export = Evidence(id="E9", source="file", command="export", observed_at=moment)
    elsewhere: list[Item] = [kernel(f"n{n}", 60, NOT_RESPONDING) for n in range(3)]
    timeline = line_up([device(EIGHT_HOURS), *elsewhere, export])
    assert denied(timeline) == expected


def test_a_log_whose_zone_was_found_places_another_that_shares_a_happening() -> None:
    """What both report counts more than where most alarms of the other would fit."""
    found = [
        said("kernel", None, XID, clock="file:E8", evidence="E8", host="n1",
             time=unzoned(EIGHT_HOURS + 10)),
        said("device", None, FAILOVER, clock="file:E8", evidence="E8",
             time=unzoned(EIGHT_HOURS)),
    ]  # fmt: skip
    other = said("device", None, FAILOVER, clock="file:E9", evidence="E9", time=unzoned(1))
    old = [
        said("kernel", None, NOT_RESPONDING, clock="file:E9", evidence="E9", host=f"m{n}",
             time=unzoned(-3600))
        for n in range(3)
    ]  # fmt: skip
    elsewhere: list[Item] = [kernel(f"n{n}", 60, NOT_RESPONDING) for n in range(3)]
    timeline = line_up([*found, other, *old, kernel("n1", 10, XID), *elsewhere])
    assert denied(timeline) == {"file:E8": -EIGHT_HOURS, "file:E9": 0}


@pytest.mark.parametrize("shown", [{"utc_offset": "+0800"}, {"zone": "Asia/Shanghai"}])
def test_a_host_that_says_its_zone_dates_what_it_stamped_without_one(shown: dict[str, str]) -> None:
    """A package history in local time lies where timedatectl puts it, and that is said."""
    upgraded = said(
        "service", None, "Upgrade: libnvidia-compute-550:amd64 (550.90, 550.127)", host="n1",
        clock="host:n1", time=unzoned(8 * 3600),
    )  # fmt: skip
    timeline = line_up([upgraded, reading("chrony", "n1", 0.0, **shown)])
    (event,) = timeline.events
    assert (since_t0(event.start), event.start.zone) == (0, "assumed")
    assert event.start.uncertainty_s < 2
    assert timeline.unresolved_zones == ()
    assert "says that it keeps" in timeline.corrections[0].why


def test_a_host_that_says_two_zones_says_none() -> None:
    """Somebody changed it between: which stamps are of which nobody knows."""
    upgraded = said(
        "service", None, "Upgrade: libnvidia-compute-550:amd64 (550.90, 550.127)", host="n1",
        clock="host:n1", time=unzoned(8 * 3600),
    )  # fmt: skip
    said_two = [reading("chrony", "n1", utc_offset=zone) for zone in ("+0800", "+0000")]
    assert line_up([upgraded, *said_two]).unresolved_zones == ("host:n1",)


def test_one_alarm_beside_a_fault_of_one_host_tells_no_zone() -> None:
    """It could be put before the fault by chance, and would then pass for its cause."""
    zoned = said("device", None, "failover of 10.0.0.10", clock="file:E9", evidence="E9",
                 time=unzoned(8 * 3600 + 40))  # fmt: skip
    timeline = line_up([kernel("n1", 60, NOT_RESPONDING), kernel("n1", 70, XID), zoned])
    assert timeline.unresolved_zones == ("file:E9",)
    assert only(timeline, "storage-controller-failover").start.uncertainty_s == 14 * 3600


@pytest.mark.parametrize(("host", "found"), [("n9", False), ("n1", True)])
def test_alarms_that_may_lie_beside_a_fault_tell_no_zone_of_a_stranger(
    *, host: str, found: bool
) -> None:
    """That they can coincide would be both why the zone is believed and what it then proves."""
    own = [
        said("kernel", None, XID.replace("79", code), host=host, clock="file:E9", evidence="E9",
             time=unzoned(EIGHT_HOURS + 30))
        for code in ("79", "48")
    ]  # fmt: skip
    timeline = line_up([*own, kernel("n1", 60, NOT_RESPONDING), kernel("n2", 60, NOT_RESPONDING)])
    assert (timeline.unresolved_zones == ()) is found
