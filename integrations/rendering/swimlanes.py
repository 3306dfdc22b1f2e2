"""Geometry of the swimlanes: one lane a plane, one row a condition, bars true to time."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.event import Event
from integrations.rendering.axis import Axis, close_of
from integrations.rendering.drawing import shorten
from integrations.rendering.severity import rank_severity
from integrations.rendering.view import PLANES, View
from tools.evidence import Gap

WIDTH, LABELS, ROW, HEAD, FOOT = 1160, 300, 26, 24, 30
_ROWS_IN_LANE = 12
_BARS_IN_ROW = 80
_UNSEEN_ROWS = 8
_LABEL_COLUMNS = 42


@dataclass(frozen=True, slots=True)
class Bar:
    """One event: its interval, its onset and the doubt about the onset."""

    event: str
    severity: str
    left: float
    right: float
    onset: float | None
    """None where it lies outside the axis."""
    early: float
    late: float
    open: bool
    hint: str


@dataclass(frozen=True, slots=True)
class LaneRow:
    """One condition in its lane."""

    label: str
    full: str
    y: float
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Hatch:
    """A time that nobody saw."""

    left: float
    right: float
    y: float
    label: str
    hint: str


@dataclass(frozen=True, slots=True)
class Lane:
    """One plane."""

    plane: str
    title: str
    y: float
    height: float
    rows: tuple[LaneRow, ...]
    hatches: tuple[Hatch, ...] = ()
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Swimlanes:
    """The whole figure."""

    width: int
    height: float
    left: int
    lanes: tuple[Lane, ...]
    ticks: tuple[tuple[float, str], ...]
    outside: int


def draw_swimlanes(view: View, axis: Axis) -> Swimlanes:
    """Lay out the lanes of all planes that something happened in, then what was not seen."""
    drawn = [event for event in view.shown_events if axis.holds(event.earliest, close_of(event))]
    lanes: list[Lane] = []
    y = float(FOOT)
    for plane in PLANES:
        events = [event for event in drawn if event.plane == plane]
        if events:
            lanes.append(_lane(view, axis, plane, events, y))
            y += lanes[-1].height
    unseen = _unseen(view, axis, y)
    if unseen:
        lanes.append(unseen)
        y += unseen.height
    ticks = tuple((_x(place), label) for place, label in axis.ticks())
    outside = len(view.shown_events) - len(drawn)
    return Swimlanes(WIDTH, y + 8, LABELS, tuple(lanes), ticks, outside)


def _lane(view: View, axis: Axis, plane: str, events: Sequence[Event], y: float) -> Lane:
    by_page: dict[str, list[Event]] = {}
    for event in events:
        by_page.setdefault(event.page, []).append(event)
    worst = sorted(by_page, key=lambda page: min(rank_severity(e.severity) for e in by_page[page]))
    kept = set(worst[:_ROWS_IN_LANE])
    pages = [page for page in by_page if page in kept]
    rows = tuple(
        _row(view, axis, by_page[page], y + HEAD + n * ROW + ROW / 2)
        for n, page in enumerate(pages)
    )
    height = HEAD + ROW * len(rows) + 6
    cut = len(by_page) - len(rows)
    return Lane(plane, view.words(f"plane.{plane}"), y, height, rows, cut=cut)


def _row(view: View, axis: Axis, events: Sequence[Event], y: float) -> LaneRow:
    title = view.title(events[0].page)
    things = {member.key for event in events for member in (event.members or (event.entity,))}
    many = f" ×{len(things)}" if len(things) > 1 else ""
    bars = tuple(_bar(view, axis, event) for event in events[:_BARS_IN_ROW])
    return LaneRow(shorten(title, _LABEL_COLUMNS - len(many)) + many, title + many, y, bars)


def _bar(view: View, axis: Axis, event: Event) -> Bar:
    start = event.start.utc.timestamp()
    return Bar(
        event=event.id,
        severity=event.severity,
        left=_x(axis.place(start)),
        right=_x(axis.place(close_of(event))),
        onset=_x(axis.place(start)) if axis.holds(start, start) else None,
        early=_x(axis.place(event.earliest)),
        late=_x(axis.place(event.latest)),
        open=event.end is None and close_of(event) > start,
        hint=f"{event.id} · {view.label(event)} · {view.onset(event, day=True)}",
    )


def _unseen(view: View, axis: Axis, y: float) -> Lane | None:
    gaps = [gap for gap in view.investigation.gaps if _is_drawn(axis, gap)]
    by_source: dict[str, list[Gap]] = {}
    for gap in gaps:
        by_source.setdefault(f"{view.source(gap.source)} {gap.target}".strip(), []).append(gap)
    hatches: list[Hatch] = []
    for n, (label, found) in enumerate(list(by_source.items())[:_UNSEEN_ROWS]):
        middle = y + HEAD + n * ROW + ROW / 2
        hatches += [_hatch(view, axis, gap, middle, label) for gap in found[:_BARS_IN_ROW]]
    if not hatches:
        return None
    rows = min(len(by_source), _UNSEEN_ROWS)
    title = view.words("plane.unseen")
    cut = len(by_source) - rows
    return Lane("unseen", title, y, HEAD + ROW * rows + 6, (), tuple(hatches), cut)


def _is_drawn(axis: Axis, gap: Gap) -> bool:
    since, until = gap.window.since, gap.window.until
    if since is None and until is None:
        return False
    low = since.timestamp() if since else axis.low
    return axis.holds(low, until.timestamp() if until else axis.high)


def _hatch(view: View, axis: Axis, gap: Gap, y: float, label: str) -> Hatch:
    low = gap.window.since.timestamp() if gap.window.since else axis.low
    high = gap.window.until.timestamp() if gap.window.until else axis.high
    shown = shorten(label, _LABEL_COLUMNS)
    return Hatch(
        _x(axis.place(low)), _x(axis.place(high)), y, shown, f"{label}: {view.words.tell(gap.why)}"
    )


def _x(place: float) -> float:
    return round(LABELS + place * (WIDTH - LABELS - 24), 1)
