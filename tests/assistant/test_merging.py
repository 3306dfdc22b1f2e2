"""Reports of one fact become one happening."""

from assistant.timeline import order
from tests.assistant.items import at, kernel, line_up, look, only, reading, said, since_t0, thing
from tests.assistant.pages import catalog, line, page

XID = "NVRM: Xid (PCI:0000:9B:00): 79, GPU has fallen off the bus."
ALERT = {"node": "n1", "bdf": "0000:9b:00"}


def not_ready(since: str, captured: float) -> object:
    condition = {"type": "Ready", "status": "False", "lastTransitionTime": since}
    return thing("Node", "n1", {"status": {"conditions": [condition]}}, seconds=captured)


def test_a_recovery_on_another_clock_closes_it() -> None:
    """The kernel saw the stall, another source the recovery."""
    ok = said("kernel", 200, "nfs: server 10.0.0.10 OK", host="n1", clock="api:c")
    stall = kernel("n1", 0, "nfs: server 10.0.0.10 not responding, still trying")
    event = only(line_up([stall, ok]), "nfs-server-not-responding")
    assert event.end == at(200)
    assert any("OK" in citation.text for citation in event.citations)


def test_a_recovery_without_a_fault_is_no_event() -> None:
    """Nothing was seen to begin, so nothing ends."""
    assert line_up([kernel("n1", 0, "nfs: server 10.0.0.10 OK")]).events == ()


def test_a_late_report_of_another_source_is_the_same_happening() -> None:
    """The alert comes a minute later: one event, counted by its loudest source."""
    lines = [kernel("n1", s, XID) for s in (0, 10, 20)]
    alert = said("alert", 75, "GpuXid79", fields=ALERT, clock="scrape:p", evidence="E6")
    event = only(line_up([*lines, alert]), "xid-79-fell-off-bus")
    assert (event.count, since_t0(event.start)) == (3, 0)
    assert event.channels == {"kernel", "alert"}
    assert event.clocks == {"host:n1", "scrape:p"}
    assert {c.evidence for c in event.citations} == {"E1", "E6"}


def test_a_snapshot_confirms_the_run_it_falls_into() -> None:
    """A state with a stated beginning joins what the kubelet printed then."""
    line = said("service", 5, "Node became not ready", host="n1", unit="kubelet", clock="host:n1")
    event = only(line_up([line, not_ready("2025-06-20T02:00:06Z", 900)]), "node-not-ready")  # type: ignore[list-item]  # an object among records
    assert event.channels == {"service", "object"}
    assert (since_t0(event.start), since_t0(event.last)) == (5, 900)


def test_a_container_and_its_pod_are_one_subject() -> None:
    """The runtime names the container, the kubelet the pod; the page speaks of pods."""

    killed = page(
        "killed",
        kind="pod",
        signatures=[
            line("killed", r"killed (?P<id>[0-9a-f]{64})", {"container": "{id}"}),
            line("OOM", r"OOM", {"pod": "{namespace}/{pod}"}, source="app"),
        ],
    )
    container = "ab" * 32
    pod = thing(
        "Pod", "t-0", {"status": {"containerStatuses": [{"containerID": f"x://{container}"}]}},
        namespace="ml",
    )  # fmt: skip
    own = said("app", 1, "OOM", fields={"namespace": "ml", "pod": "t-0"})
    book = catalog(killed)
    (event,) = order(look([pod, kernel("n1", 0, f"killed {container}"), own], book), book).events
    assert event.entity.key == "pod:ml/t-0"
    assert event.channels == {"kernel", "app"}


def test_a_snapshot_without_a_beginning_joins_the_line_that_has_one() -> None:
    """What was seen lost at the capture is what the kernel saw go."""
    lost = page(
        "lost",
        signatures=[
            line("gone", "gone", {"node": "{host}"}),
            {
                "id": "lost",
                "source": "reading",
                "kind": "gpu",
                "where": [{"field": "lost", "op": "==", "value": "yes"}],
                "entity": {"node": "{host}"},
                "examples": [{"lost": "yes"}],
            },
        ],
        persists=True,
    )
    book = catalog(lost)
    items = [kernel("n1", 0, "gone"), reading("gpu", "n1", 5000, lost="yes")]
    (event,) = order(look(items, book), book).events
    assert (since_t0(event.start), event.before_s, since_t0(event.last)) == (0, 0, 5000)
    alone = order(
        look([reading("gpu", "n1", 5000, lost="yes"), kernel("n1", 9000, "gone")], book), book
    )
    assert [since_t0(event.start) for event in alone.events] == [5000, 9000]


def test_an_end_is_a_recovery_or_the_last_sighting() -> None:
    """How long a condition may act is no observation of when it was over."""
    lasting = page("lasting", lasts_s=86400, signatures=[line("odd", "odd", {"node": "{host}"})])
    book = catalog(lasting)
    (event,) = order(look([kernel("n1", s, "odd") for s in (0, 60)], book), book).events
    assert event.end == event.last
    assert since_t0(event.last) == 60


def test_a_report_without_a_time_is_a_witness_of_the_one_that_has_one() -> None:
    """A copy of the line in a note bears no stamp: it is cited, and moves nothing."""
    dated = kernel("n1", 20, XID)
    undated = said("kernel", None, XID, host="n1", clock="untimed:E6", evidence="E6")
    event = only(line_up([dated, undated]), "xid-79-fell-off-bus")

    assert since_t0(event.start) == 20
    assert {c.evidence for c in event.citations} == {"E1", "E6"}


SLEWED = said(
    "service", 0, "System clock wrong by -60.0 seconds", host="n1", unit="chronyd", clock="host:n1"
)
"""The clock of n1 was ahead: by a minute at first, and by less and less."""


def test_a_line_keeps_its_place_in_its_log_though_the_clock_was_off() -> None:
    """What lies within the clock's error is the line's own moment, not the alert's."""
    alert = said("alert", 20, "GpuXid79", fields=ALERT, clock="scrape:p", evidence="E6")
    stall = kernel("n1", 69, "nfs: server 10.0.0.10 not responding, still trying")
    timeline = line_up([SLEWED, stall, kernel("n1", 70, XID), alert])
    event = only(timeline, "xid-79-fell-off-bus")
    assert event.clocks == {"host:n1", "scrape:p"}
    assert (event.clock, since_t0(event.start)) == ("host:n1", 10)
    assert event.shared_s(only(timeline, "nfs-server-not-responding")) == 30


def test_what_a_right_clock_stamped_stands_before_one_that_was_off() -> None:
    """Another host told of the same server: its line is the sharper one."""
    one, other = (
        said("device", seconds, "failover of 10.0.0.10", host=host, clock=f"host:{host}")
        for host, seconds in (("n1", 70), ("n2", 5))
    )
    event = only(line_up([SLEWED, one, other]), "storage-controller-failover")
    assert event.clocks == {"host:n1", "host:n2"}
    assert (event.clock, since_t0(event.start)) == ("host:n2", 5)
