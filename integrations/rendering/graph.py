"""Geometry of the propagation graph: causes above, effects below, few enough to follow."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.diagnosis.result import ChainLink
from assistant.event import Event
from integrations.rendering.drawing import PIXELS_A_COLUMN, count_columns, shorten, wrap
from integrations.rendering.moments import write_delay, write_time
from integrations.rendering.propagation import find_homes, longest_way
from integrations.rendering.view import View

MOST_EDGES = 15
_BOXES_IN_ROW = 4
_BOX_WIDTH, _BOX_HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 240, 76, 24, 58, 12
_COLUMNS = 31
_SURE_S, _VAGUE_S = 2.5, 43_200.0
"""Onsets known to less than the one are a moment; to no better than the other, a bound."""


@dataclass(frozen=True, slots=True)
class Box:
    """One event."""

    event: str
    severity: str
    x: float
    y: float
    title: tuple[str, ...]
    subject: str
    when: str
    root: bool
    inferred: bool
    label: str
    """The event's id, or that it is inferred."""
    badge: str
    """A word on the upper edge; empty where there is nothing to mark."""
    badge_width: float
    hint: str


@dataclass(frozen=True, slots=True)
class Edge:
    """One link, from the bottom of its cause to the top of its effect."""

    path: str
    status: str
    label: str
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class Graph:
    """The whole figure."""

    width: float
    height: float
    box_width: int
    box_height: int
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    cut: int


def draw_graph(view: View) -> Graph | None:
    """Lay the chain out in ranks; links beyond fifteen would make a hairball and are cut."""
    if view.diagnosis is None:
        return None
    known = [
        link
        for link in view.diagnosis.chain
        if link.source in view.event_by_id and link.target in view.event_by_id
    ]
    links = _at_home(view, _choose(view, known))
    if not links:
        return None
    ranks = _rank(links)
    places = _place(ranks, links)
    roots = {root.event for root in view.diagnosis.root_causes} | set(view.inferred)
    boxes = tuple(_box(view, event, *places[event], root=event in roots) for event in ranks)
    edges = tuple(_edges(view, links, places))
    width = max(x for x, _ in places.values()) + _BOX_WIDTH + _MARGIN
    height = max(y for _, y in places.values()) + _BOX_HEIGHT + _MARGIN
    cut = len(known) - len(links)
    return Graph(width, height, _BOX_WIDTH, _BOX_HEIGHT, boxes, edges, cut)


def _choose(view: View, links: Sequence[ChainLink]) -> Sequence[ChainLink]:
    """Keep the way through the amplifiers, then mechanisms, then symptoms, in their order."""
    way = longest_way(view)
    rest = sorted(
        (link for link in links if link not in way),
        key=lambda link: view.event_by_id[link.target].role == "symptom",
    )
    kept = [*way, *rest][:MOST_EDGES]
    return [link for link in links if link in kept]


def _at_home(view: View, links: Sequence[ChainLink]) -> Sequence[ChainLink]:
    """Let links start at the box that stands for their condition."""
    homes = find_homes(view, links)
    return [link.model_copy(update={"source": homes[link.source]}) for link in links]


def _rank(links: Sequence[ChainLink]) -> Mapping[str, int]:
    """Give each event the length of the longest way to it; a circle ends after one round."""
    ranks = dict.fromkeys((end for link in links for end in (link.source, link.target)), 0)
    for _ in ranks:
        for link in links:
            ranks[link.target] = min(max(ranks[link.target], ranks[link.source] + 1), len(ranks))
    return ranks


def _place(ranks: Mapping[str, int], links: Sequence[ChainLink]) -> dict[str, tuple[float, float]]:
    """Centre each rank, ordered by where the causes stand; a long rank takes several rows."""
    by_rank: dict[int, list[str]] = {}
    for event, rank in ranks.items():
        by_rank.setdefault(rank, []).append(event)
    widest = _length(min(_BOXES_IN_ROW, max(len(row) for row in by_rank.values())))
    places: dict[str, tuple[float, float]] = {}
    y = float(_MARGIN)
    for rank in sorted(by_rank):
        ordered = sorted(by_rank[rank], key=lambda event: _mean_cause(event, links, places))
        for row in _rows(ordered):
            left = _MARGIN + (widest - _length(len(row))) / 2
            for n, event in enumerate(row):
                places[event] = (left + n * (_BOX_WIDTH + _GAP_X), y)
            y += _BOX_HEIGHT + _GAP_Y
    return places


def _rows(ordered: Sequence[str]) -> Sequence[Sequence[str]]:
    """Cut a rank into rows of like length."""
    count = -(-len(ordered) // _BOXES_IN_ROW)
    size = -(-len(ordered) // count)
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]


def _length(boxes: int) -> float:
    """Return how wide so many boxes side by side are."""
    return max(0.0, boxes * (_BOX_WIDTH + _GAP_X) - _GAP_X)


def _mean_cause(
    event: str, links: Sequence[ChainLink], places: Mapping[str, tuple[float, float]]
) -> float:
    causes = [
        places[link.source][0] for link in links if link.target == event and link.source in places
    ]
    return sum(causes) / len(causes) if causes else 0.0


def _box(view: View, event_id: str, x: float, y: float, *, root: bool) -> Box:
    event = view.event_by_id[event_id]
    badge = view.words("event.amplifies") if view.amplifies(event_id) else ""
    return Box(
        event=event_id,
        severity=event.severity,
        x=x,
        y=y,
        title=wrap(view.condition(event), _COLUMNS - 4, 2),
        subject=shorten(view.subject(event), _COLUMNS),
        when=_when(view, event),
        root=root,
        inferred=event_id in view.inferred,
        label=view.words("edge.inferred") if event_id in view.inferred else event_id,
        badge=badge,
        badge_width=count_columns(badge) * PIXELS_A_COLUMN + 12,
        hint=f"{view.label(event)} · {view.onset(event, day=True)}",
    )


def _when(view: View, event: Event) -> str:
    """Say when it began, and of how many things the same holds."""
    alike = view.count_alike(event)
    many = f" · {view.words('event.times', count=alike)}" if alike > 1 else ""
    return _span(event) + many


def _span(event: Event) -> str:
    """Write an onset as the interval it lies in, so that no arrow seems to run back in time."""
    first, last = (datetime.fromtimestamp(at, UTC) for at in (event.earliest, event.latest))
    spread = event.latest - event.earliest
    if not event.start.dated:
        return event.start.original or "?"
    if spread < _SURE_S:
        return write_time(event.start.utc)
    if spread > _VAGUE_S:
        return f"≤ {write_time(last)}"
    return f"{write_time(first)[:-1]}–{write_time(last)}"


def _edges(
    view: View, links: Sequence[ChainLink], places: Mapping[str, tuple[float, float]]
) -> Sequence[Edge]:
    entering: dict[str, int] = {}
    edges = []
    for link in links:
        nth = entering.get(link.target, 0)
        entering[link.target] = nth + 1
        edges.append(_edge(view, link, places, nth))
    return edges


def _edge(view: View, link: ChainLink, places: Mapping[str, tuple[float, float]], nth: int) -> Edge:
    (x1, y1), (x2, y2) = places[link.source], places[link.target]
    start, end = (x1 + _BOX_WIDTH / 2, y1 + _BOX_HEIGHT), (x2 + _BOX_WIDTH / 2, y2)
    path = (
        f"M{start[0]:.0f} {start[1]:.0f} C{start[0]:.0f} {start[1] + 24:.0f} "
        f"{end[0]:.0f} {start[1] + 2:.0f} {end[0]:.0f} {end[1] - 30:.0f} V{end[1] - 3:.0f}"
    )
    delay = write_delay(link.delay_s, link.delay_uncertainty_s, view.words)
    label = shorten(" · ".join(filter(None, (delay, " ".join(link.evidence[:2])))), _COLUMNS)
    width = count_columns(label) * PIXELS_A_COLUMN + 8
    return Edge(path, link.status, label, end[0], end[1] - 20 - nth * 16, width)
