"""A host's clock by what a scraper saw of what the host itself logged."""

import pytest

from assistant.clock_facts import SKEW_QUERY
from assistant.event import Timeline
from assistant.timeline import order
from tests.assistant.handbook import shipped
from tests.assistant.items import T0, kernel, look, only, said, series
from tests.assistant.pages import catalog, line, page
from tools.evidence import Item

UUID = "GPU-6f0c2b1e-77aa-4d0e-9d55-0c1b6a2f9e31"
LABELS = {"Hostname": "n1", "UUID": UUID}
NAMED = f"NVRM: GPU at PCI:0000:9b:00: {UUID}"
LINK_DOWN = "pcieport 0000:96:01.0: pciehp: Slot(12): Link Down"
XID = "NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
EARLY_S = -4000.0
AHEAD_S = 90.0


def gauge(changed_s: float, every_s: float = 30.0, code: float = 79.0) -> Item:
    """The exporter's gauge, zero until it changes."""
    points = [(changed_s - every_s * n, 0.0) for n in range(20, 0, -1)]
    return series(
        "gpu_new_xid", LABELS, *points, *[(changed_s + every_s * n, code) for n in (0, 1)]
    )


def log(ahead_s: float, *more: Item, since_s: float = EARLY_S) -> list[Item]:
    """A host's kernel log: it goes on for long, then the link and the GPU behind it go."""
    return [
        kernel("n1", since_s + ahead_s, NAMED, line=1),
        kernel("n1", ahead_s, LINK_DOWN, line=2),
        kernel("n1", 0.35 + ahead_s, XID, line=3),
        *more,
    ]


def line_up(items: list[Item]) -> Timeline:
    return order(look(items, shipped()), shipped())


def offsets(timeline: Timeline) -> dict[str, tuple[float, float]]:
    return {
        c.clock: (c.offset_s - c.uncertainty_s, c.offset_s + c.uncertainty_s)
        for c in timeline.corrections
    }


@pytest.mark.parametrize("seen_s", [1.0, 31.0, 59.0, 89.0])
def test_a_gauge_that_repeats_a_line_cannot_come_before_it(seen_s: float) -> None:
    """The exporter and the scrape each take a while, the clock is off by what no delay explains."""
    timeline = line_up(log(200.0, gauge(seen_s)))
    low, high = offsets(timeline)["host:n1"]
    assert low <= -200.0 <= high < 0.0
    assert high == pytest.approx(seen_s - 200.35 + 2.0, abs=0.1)


def test_the_order_of_a_log_holds_whatever_another_clock_says() -> None:
    """What took the GPU off the bus still stands before its Xid, one third of a second apart."""
    timeline = line_up(log(AHEAD_S, gauge(31.0)))
    link, xid = only(timeline, "pcie-link-failure"), only(timeline, "xid-79-fell-off-bus")
    assert xid.channels == {"kernel", "metric"}
    assert xid.clock == link.clock == "host:n1"
    assert (xid.start.utc - link.start.utc).total_seconds() == pytest.approx(0.35)
    shared = link.shared_s(xid)
    assert link.latest - shared <= xid.earliest + shared
    assert xid.earliest <= xid.start.utc.timestamp() - shared
    assert link.earliest <= T0.timestamp() <= link.latest


def test_a_report_that_comes_late_says_nothing_of_a_clock() -> None:
    """Any delay explains it, of the exporter, of the scrape, of a rule that waits."""
    assert offsets(line_up(log(0.0, gauge(40.0)))) == {}
    assert offsets(line_up(log(-60.0, gauge(40.0)))) == {}


def test_a_line_that_the_log_may_lack_is_no_proof() -> None:
    """The log begins after the gauge changed: its line may be of another time."""
    assert offsets(line_up(log(200.0, gauge(31.0), since_s=-100.0))) == {}


def test_one_of_several_alike_is_no_proof() -> None:
    """A number that came twice may have been seen by the scraper at either time."""
    earlier = kernel("n1", -400.0, XID, line=2)
    assert offsets(line_up(log(200.0, gauge(31.0), earlier))) == {}


def test_a_clock_that_its_scraper_found_right_is_left_alone() -> None:
    """Then it is the report that is of another time, whatever made it so."""
    right = series(SKEW_QUERY, {"node": "n1"}, (0, -0.1), (60, -0.2), (120, -0.1))
    assert offsets(line_up(log(200.0, gauge(31.0), right))) == {}


@pytest.mark.parametrize(("echoes", "corrected"), [(True, True), (False, False)])
def test_a_level_may_show_before_the_line_that_complains_of_it(
    *, echoes: bool, corrected: bool
) -> None:
    """Only a sample that repeats the line proves anything; a filling table is measured first."""
    sample = {
        "id": "m", "source": "metric", "query": "q", "expr": "q", "op": ">", "value": 0.9,
        "echoes": echoes, "entity": {"node": "{node}"}, "examples": [{"node": "n1", "value": 1.0}],
    }  # fmt: skip
    full = page("full", signatures=[line("full", "table full", {"node": "{host}"}), sample])
    other = page("other", signatures=[line("other", "other", {"node": "{host}"})])
    book = catalog(full, other)
    items = [
        kernel("n1", EARLY_S, "other", line=1),
        kernel("n1", 200.0, "table full", line=2),
        series("q", {"node": "n1"}, (-30, 0.5), (0, 1.0), (30, 1.0)),
    ]
    assert ("host:n1" in offsets(order(look(items, book), book))) is corrected


def test_an_alert_of_the_same_leaves_the_sample_its_word() -> None:
    """Its rule waits for minutes: it bounds the offset from one side and confuses nothing."""
    fields = {"Hostname": "n1", "UUID": UUID, "severity": "critical"}
    alert = said(
        "alert", 45.0, f"GPUXidError Xid 79 on n1 GPU {UUID} on n1 reports Xid 79",
        fields=fields, clock="scrape:prometheus", evidence="E6",
    )  # fmt: skip
    low, high = offsets(line_up(log(200.0, gauge(31.0), alert)))["host:n1"]
    alone = offsets(line_up(log(200.0, gauge(31.0))))["host:n1"]
    assert (low, high) == alone
