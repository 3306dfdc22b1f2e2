"""The figures are true to time, stay small and never say health where nothing was seen."""

from itertools import pairwise

import pytest

from assistant.diagnosis.result import ChainLink
from integrations.rendering.axis import fit_axis
from integrations.rendering.drawing import count_columns, shorten, wrap
from integrations.rendering.graph import MOST_EDGES, draw_graph
from integrations.rendering.heatmap import draw_heatmap, nodes_of
from integrations.rendering.swimlanes import draw_swimlanes
from integrations.rendering.view import View
from tests.integrations.sample_diagnosis import build_diagnosis
from tests.integrations.sample_events import build_events
from tests.integrations.sample_world import NODES


def _lanes(view: View):  # noqa: ANN202 -- the figure under test
    axis = fit_axis(view)
    assert axis is not None
    return draw_swimlanes(view, axis)


def test_lanes_stand_in_the_order_of_planes(view: View) -> None:
    """Control, compute, storage, workload, then what nobody saw."""
    planes = [lane.plane for lane in _lanes(view).lanes]

    assert planes == ["control", "compute", "storage", "workload", "unseen"]


def test_a_bar_is_as_long_as_its_event(view: View) -> None:
    """No bar is widened to be seen; a moment has no length."""
    bars = {bar.event: bar for lane in _lanes(view).lanes for row in lane.rows for bar in row.bars}
    axis = fit_axis(view)
    assert axis is not None

    failover, hung = bars["ev2"], bars["ev10"]
    share = (failover.right - failover.left) / (_lanes(view).width - _lanes(view).left - 24)
    assert share == pytest.approx(5.2 * 60 / (axis.high - axis.low), abs=0.002)
    assert hung.left == hung.right


def test_doubt_about_the_onset_is_drawn(view: View) -> None:
    """The NFS line may report what began three minutes earlier."""
    bars = {bar.event: bar for lane in _lanes(view).lanes for row in lane.rows for bar in row.bars}

    assert bars["ev3"].early < bars["ev3"].left
    assert bars["ev9"].open
    assert not bars["ev2"].open


def test_a_gap_is_hatched_where_it_lies(view: View) -> None:
    """Only gaps inside the drawn time are drawn."""
    hatches = [hatch for lane in _lanes(view).lanes for hatch in lane.hatches]

    assert [hatch.label for hatch in hatches] == ["network leaf-3"]


def test_a_quiet_node_that_nobody_watched_is_unknown(view: View) -> None:
    """Only nodes whose journal covers the slice can be quiet."""
    axis = fit_axis(view)
    assert axis is not None
    heat = draw_heatmap(view, axis)
    rows = {row.label: row for row in heat.rows}

    assert set(rows) >= set(NODES)
    assert rows["astra-gpu-01"].cells[0].state == "none"
    assert rows["astra-gpu-05"].cells[0].state == "unknown"
    assert "critical" in {cell.state for cell in rows["astra-gpu-05"].cells}
    assert sum(width for _, width in heat.ticks) == len(heat.slices)


def test_many_nodes_fold_into_rows_that_look_alike(view: View) -> None:
    """Three thousand nodes still fit."""
    event = build_events()[7]
    anchor = event.anchors[0]
    anchors = tuple(anchor.model_copy(update={"id": f"n{n}"}) for n in range(3000))
    wide = event.model_copy(update={"anchors": anchors, "members": ()})
    timeline = view.investigation.timeline.model_copy(update={"events": (wide,)})
    big = View(view.investigation.model_copy(update={"timeline": timeline}), view.pages, view.words)
    axis = fit_axis(big)
    assert axis is not None

    heat = draw_heatmap(big, axis)

    assert len(heat.rows) <= 40
    assert max(row.alike for row in heat.rows) == 3000


def test_members_and_anchors_tell_the_nodes() -> None:
    """A mount's host is a node."""
    assert nodes_of(build_events()[2]) == frozenset(NODES)


def test_the_graph_puts_causes_above_effects(view: View) -> None:
    """Ranks follow the links; boxes of one rank do not overlap."""
    graph = draw_graph(view)
    assert graph is not None
    boxes = {box.event: box for box in graph.boxes}

    for link in build_diagnosis().chain:
        assert boxes[link.source].y < boxes[link.target].y
    places = sorted((box.y, box.x) for box in graph.boxes)
    for (y1, x1), (y2, x2) in pairwise(places):
        assert y1 != y2 or x2 - x1 >= graph.box_width
    assert [box.event for box in graph.boxes if box.root] == ["ev2"]


def test_more_than_fifteen_links_are_cut_and_counted(view: View) -> None:
    """The rest stands in the table."""
    chain = tuple(
        ChainLink(source=f"ev{a}", target=f"ev{b}", delay_s=1, delay_uncertainty_s=0,
                  status="observed", scope="node")
        for a in range(1, 7) for b in range(7, 11)
    )  # fmt: skip
    diagnosis = build_diagnosis().model_copy(update={"chain": chain})
    big = View(
        view.investigation.model_copy(update={"diagnosis": diagnosis}), view.pages, view.words
    )

    graph = draw_graph(big)

    assert graph is not None
    assert (len(graph.edges), graph.cut) == (MOST_EDGES, len(chain) - MOST_EDGES)


def test_a_circle_does_not_hang_the_layout(view: View) -> None:
    """Two events that each seem to cause the other are still drawn."""
    there, back = (
        ChainLink(source=a, target=b, delay_s=0, delay_uncertainty_s=9, status="inferred",
                  scope="node")
        for a, b in (("ev2", "ev3"), ("ev3", "ev2"))
    )  # fmt: skip
    diagnosis = build_diagnosis().model_copy(update={"chain": (there, back)})

    graph = draw_graph(
        View(view.investigation.model_copy(update={"diagnosis": diagnosis}), view.pages, view.words)
    )

    assert graph is not None
    assert len(graph.boxes) == 2


@pytest.mark.parametrize(
    "text", ["GPU 健康检查因写共享存储而失败", "a long title of many words", "x" * 90]
)
def test_wrapped_text_fits_its_box(text: str) -> None:
    """At most two lines, each within its columns, Chinese counted double."""
    lines = wrap(text, 20, 2)

    assert 1 <= len(lines) <= 2
    assert all(count_columns(line) <= 20 for line in lines)
    assert count_columns(shorten(text, 12)) <= 12


def test_a_box_shows_the_interval_in_which_it_began(view: View) -> None:
    """An effect seen at once must not seem to come before a cause seen late."""
    event = view.event_by_id["ev3"]
    late = event.model_copy(update={"before_s": 60.0})
    timeline = view.investigation.timeline
    events = tuple(late if one.id == "ev3" else one for one in timeline.events)
    found = view.investigation.model_copy(
        update={"timeline": timeline.model_copy(update={"events": events})}
    )
    graph = draw_graph(View(found, view.pages, view.words))

    assert graph is not None
    when = next(box.when for box in graph.boxes if box.event == "ev3")
    low, _, high = when.partition("–")
    assert high.startswith(f"{event.start.utc:%H:%M:}")
    assert low < high
