"""Bursts become events in order."""

import pytest

from assistant.event import Timeline
from assistant.timeline import order
from tests.assistant.items import (
    at,
    kernel,
    line_up,
    look,
    only,
    reading,
    said,
    series,
    since_t0,
    thing,
    unzoned,
)  # fmt: skip
from tests.assistant.pages import catalog, line, page

GPU = "GPU-2a6f7a11-0000-4b7c-9d2e-0123456789ab"
XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
NOT_RESPONDING = "nfs: server 10.0.0.10 not responding, still trying"
OK = "nfs: server 10.0.0.10 OK"


def test_repeats_of_one_condition_are_one_event() -> None:
    """Lines within the quiet time fold; a later one is a new occurrence."""
    timeline = line_up(kernel("n1", s, XID, line=i) for i, s in enumerate([0, 30, 90, 5000], 1))
    first, second = timeline.events
    assert (first.count, second.count) == (3, 1)
    assert since_t0(first.last) == 90
    assert first.end == second.start
    assert second.end is None
    assert {c.line for c in first.citations} == {1, 2, 3}


def test_one_fact_told_by_four_sources_is_one_event() -> None:
    """Kubelet, Event, condition: one event with a set of channels, stamped by the first."""
    timeline = line_up(
        [
            said("service", 10, "Node became not ready", host="n1", unit="kubelet",
                 clock="host:n1"),
            said("event", 41, "Node n1 status is now: NodeNotReady", fields={"name": "n1"}),
            thing(
                "Node",
                "n1",
                {
                    "status": {
                        "conditions": [
                            {"type": "Ready", "status": "False",
                             "lastTransitionTime": "2025-06-20T02:00:11Z"},
                        ]
                    }
                },
                seconds=900,
            ),
        ]
    )  # fmt: skip
    event = only(timeline, "node-not-ready")
    assert event.channels == {"service", "event", "object"}
    assert since_t0(event.start) == 10
    assert event.end is None
    assert event.count == 1


def test_a_recovery_closes_and_the_next_line_opens_anew() -> None:
    """An interval ends on its recovery line."""
    timeline = line_up(
        [
            kernel("n1", 0, NOT_RESPONDING),
            kernel("n1", 300, OK),
            kernel("n1", 400, NOT_RESPONDING),
        ]
    )
    first, second = timeline.events
    assert first.end == at(300)
    assert second.end is None


def test_a_timeout_line_reports_an_earlier_onset() -> None:
    """Without the setting the page's bounds hold; with it, the setting widened by a quarter."""
    unknown = only(line_up([kernel("n1", 0, NOT_RESPONDING)]), "nfs-server-not-responding")
    assert (unknown.earliest, unknown.latest) == (at(-200).utc.timestamp(), at(-60).utc.timestamp())
    mount = reading(
        "mount", "n1", fstype="nfs4", target="/data", source="10.0.0.10:/x", major_s=100
    )
    known = only(line_up([mount, kernel("n1", 0, NOT_RESPONDING)]), "nfs-server-not-responding")
    assert (known.earliest, known.latest) == (at(-125).utc.timestamp(), at(-75).utc.timestamp())
    assert known.entity.id == "n1:/data"
    assert ("storage_server", "10.0.0.10") in {(a.kind, a.id) for a in known.anchors}
    assert [(p.kind, p.id) for p in known.peers] == [("storage_server", "10.0.0.10")]


def test_a_snapshot_state_began_somewhere_since_it_was_seen_otherwise() -> None:
    """(last contrary observation, capture], and unbounded where none was made."""

    def node(gpus: str, seconds: float) -> object:
        status = {"allocatable": {"nvidia.com/gpu": gpus}, "capacity": {"nvidia.com/gpu": "8"}}
        return thing("Node", "n1", {"status": status}, seconds=seconds)

    bounded = only(line_up([node("8", 0), node("7", 600)]), "gpu-allocatable-below-capacity")  # type: ignore[list-item]  # an object among records
    assert (since_t0(bounded.start), bounded.before_s) == (600, 600)
    alone = only(line_up([node("7", 600)]), "gpu-allocatable-below-capacity")  # type: ignore[list-item]  # an object among records
    assert alone.before_s > 86400


def test_a_metric_stretch_begins_after_the_last_good_sample() -> None:
    """Onset in (last sample below, first above], end at the next below."""
    samples = [(0, 60.0), (60, 90.0), (120, 91.0), (180, 70.0)]
    labels = {"UUID": GPU, "Hostname": "n1"}
    event = only(line_up([series("gpu_temperature", labels, *samples)]), "gpu-thermal-slowdown")
    assert (since_t0(event.start), event.before_s) == (60, 60)
    assert event.end == at(180)
    assert event.entity.id == GPU


def test_identities_learnt_late_still_bind_early_lines() -> None:
    """The PCI address of a kernel line becomes the UUID that a reading shows afterwards."""
    timeline = line_up(
        [kernel("n1", 0, XID), reading("gpu", "n1", 60, uuid=GPU, pci_bus_id="00000000:9B:00.0")]
    )
    assert only(timeline, "xid-79-fell-off-bus").entity.id == GPU


def test_a_step_splits_a_file_by_line_order() -> None:
    """Lines before the step are put right, those after stand, whatever the stamps say."""
    step = said(
        "service", 40, "System clock was stepped by -37.200000 seconds", host="n1",
        unit="chronyd", clock="host:n1", evidence="E1", line=2,
    )  # fmt: skip
    timeline = line_up(
        [
            kernel("n1", 37.2, XID, line=1),
            step,
            kernel("n1", 50, XID.replace("9B", "AB"), line=3),
        ]
    )
    first, second = timeline.events
    assert since_t0(first.start) == pytest.approx(0.0)
    assert since_t0(second.start) == pytest.approx(50.0)
    assert {c.clock for c in timeline.corrections} == {"host:n1"}


def test_a_clock_offset_moves_everything_that_clock_stamped() -> None:
    """chronyc says 90 s slow: kernel and kubelet of that host move, others stay."""
    tracking = "System time     : 90.000000 seconds slow of NTP time"
    timeline = line_up(
        [
            said("command", 0, tracking, host="n1", clock="host:n1"),
            kernel("n1", 10, XID),
            kernel("n2", 10, XID),
        ]
    )
    moved = {e.entity.id: since_t0(e.start) for e in timeline.events}
    assert moved == {"n1/0000:9b:00": 100.0, "n2/0000:9b:00": 10.0}


def test_an_offset_shows_in_happenings_that_another_clock_stamped() -> None:
    """Two pairs that only a wrong clock can explain correct it, with an error bar."""
    alert = {"node": "n1", "bdf": "0000:9b:00"}
    other = [
        said("event", 5, "Node n1 status is now: NodeNotReady", fields={"name": "n1"}),
        said("alert", 230, "GpuXid79", fields=alert, clock="scrape:p", evidence="E6"),
    ]
    kubelet = {"host": "n1", "unit": "kubelet", "clock": "host:n1"}

    def ahead(seconds: float) -> Timeline:
        notready = said("service", seconds, "Node became not ready", **kubelet)  # type: ignore[arg-type]  # mixed keywords
        return line_up([notready, kernel("n1", 200 + seconds, XID), *other])

    (correction,) = ahead(120).corrections
    assert correction.offset_s + correction.uncertainty_s >= -120
    assert correction.offset_s - correction.uncertainty_s <= -115
    assert correction.evidence == ("E2", "E6")
    assert ahead(-3).corrections == ()


def test_a_stamp_without_zone_is_resolved_by_the_same_happening_elsewhere() -> None:
    """Two reports in another clock align at one whole quarter of an hour: +08:00 it is."""
    shift = 8 * 3600
    timeline = line_up(
        [
            kernel("n1", 0, NOT_RESPONDING),
            said("device", None, "failover of 10.0.0.10", clock="file:E9", evidence="E9",
                 time=unzoned(shift - 240)),
            said("device", 1, "failover of 10.0.0.10", clock="device:a", evidence="E8",
                 time=at(-241)),
        ]
    )  # fmt: skip
    event = only(timeline, "storage-controller-failover")
    assert since_t0(event.start) in {-240, -241}
    assert timeline.unresolved_zones == ()
    (zone,) = timeline.corrections
    assert (zone.kind, zone.offset_s, zone.clock) == ("zone", -shift, "file:E9")


def test_a_zone_is_assumed_if_no_other_fits_the_disturbance() -> None:
    """The one whole hour that puts the appliance's log into the outage stands, and is said."""
    zoned = said("device", None, "failover of 10.0.0.10", clock="file:E9", evidence="E9",
                 time=unzoned(8 * 3600 + 120))  # fmt: skip
    lines = [kernel(f"n{n}", 60 * n, NOT_RESPONDING) for n in range(3)]
    event = only(line_up([*lines, zoned]), "storage-controller-failover")
    assert (since_t0(event.start), event.start.zone) == (120, "assumed")


def test_a_zone_that_nothing_decides_stays_unknown() -> None:
    """Fourteen hours either way, and named as unresolved."""
    zoned = said("device", None, "failover of 10.0.0.10", clock="file:E9", evidence="E9",
                 time=unzoned(0))  # fmt: skip
    timeline = line_up([zoned])
    assert timeline.unresolved_zones == ("file:E9",)
    assert only(timeline, "storage-controller-failover").start.uncertainty_s == 14 * 3600


def test_lines_without_time_count_only_where_nothing_else_does() -> None:
    """An untimed copy of a timed line is dropped; alone it is kept with a huge error bar."""
    timed = line_up([kernel("n1", 0, XID), kernel("n1", None, XID, evidence="E7")])
    assert only(timed, "xid-79-fell-off-bus").before_s == 0
    alone = line_up([kernel("n1", None, XID, evidence="E7")])
    assert only(alone, "xid-79-fell-off-bus").before_s > 86400


def test_an_application_cannot_speak_for_the_kernel() -> None:
    """A forged Xid in a pod's log shows nothing."""
    forged = said("app", 0, XID, fields={"namespace": "ml", "pod": "t-0"})
    assert line_up([forged]).events == ()


def test_progress_is_kept_with_its_span() -> None:
    """Steps fold into one benign event that lasts as long as they do."""
    fields = {"namespace": "ml", "pod": "t-0"}
    steps = [said("app", 60 * n, f"step {n}", fields=fields, line=n) for n in range(1, 11)]
    event = only(line_up(steps), "training-progress")
    assert (event.count, event.fields["step"], event.benign) == (10, 10, "text")
    assert (since_t0(event.start), since_t0(event.last)) == (60, 600)


def test_yesterdays_fault_is_not_todays() -> None:
    """However long a condition lasts, after a long silence it is a new occurrence."""
    lasting = page("lasting", lasts_s=86400, signatures=[line("odd", "odd", {"node": "{host}"})])
    book = catalog(lasting)
    found = order(look([kernel("n1", 0, "odd"), kernel("n1", 40000, "odd")], book), book)
    first, second = found.events
    assert (first.end, second.end) == (first.last, second.last)
    assert since_t0(second.last) == 40000
